"""Messages that are edited in place."""
