"""What is said to a plugin, in each of the dialects."""
