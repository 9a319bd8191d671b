"""What is said of a settled job, where, and that it arrived."""
