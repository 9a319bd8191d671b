"""Background Claude runs."""
