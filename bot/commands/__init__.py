"""The commands that people are offered: one table for all who read it."""
