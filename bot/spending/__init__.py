"""What was spent."""
