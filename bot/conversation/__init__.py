"""A session that is open in a place, and the turns taken in it."""
