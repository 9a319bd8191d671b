"""What is looked at, one after the other: each check yields what it found."""
