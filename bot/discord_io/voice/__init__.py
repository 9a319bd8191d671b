"""Voice channels of Discord: hears each person in one, and speaks there."""
