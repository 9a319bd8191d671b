"""Everything that a spawned Claude calls."""
