"""Looks for what keeps Papercup from working, and says how to mend it."""
