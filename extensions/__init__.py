"""What extends the speaker, and what every spawned Claude talks to."""
