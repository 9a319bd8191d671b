"""Stand-ins for the services that need an account."""
