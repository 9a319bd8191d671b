"""The Claude that answers."""
