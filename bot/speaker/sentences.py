"""What a speaker says of itself. Pure."""

from bot.wording import duration_words

AFRESH = "I could not pick up what we said earlier, so I begin afresh."
NO_START = "I could not start: the operator finds the reason in the log."
CANCELLED = "Cancelled."
BUSY = "I am busy in all the other conversations that I can hold at once; you are next in line."
STILL_BUSY = "I was too busy elsewhere to answer in time: ask me again in a while."
LOST = "My process ended while I was answering. I am back with all we said before: ask me again."


def too_long(seconds: float) -> str:
    """Say that a turn was broken off after that time."""
    return f"I broke off after {duration_words(seconds)}; work that long belongs in a job."
