"""How long people wait when they talk, how well they are understood, and what it costs."""
