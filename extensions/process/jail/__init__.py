"""The jail that a job runs in."""
