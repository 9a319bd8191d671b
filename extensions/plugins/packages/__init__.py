"""Brings plugins in from elsewhere: from folders, npm, PyPI and git; and takes them out again."""
