"""What plugins may ask of the bot."""
