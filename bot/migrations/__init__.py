"""The database's numbered migrations."""
