"""Child processes, their limits and their jail."""
