"""How fast plugins are called, started and found, against others that do the same."""
