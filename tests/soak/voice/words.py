"""What people say on the lines, what the bot answers, and how much of it was understood. Pure."""

import difflib
import re

SENTENCES = (
    "Can you tell me what is left to do before the release?",
    "Put the meeting on Wednesday at half past three.",
    "How many people were online last night?",
    "Write a short poem about a cat that hates rain.",
    "What does the error in the last build mean?",
    "Ask the others whether they want pizza or noodles.",
    "Is there a train to the airport after midnight?",
    "Count the lines of code in the project without the tests.",
    "Nobody has seen the keys since yesterday afternoon.",
    "How long does it take to boil an egg?",
    "Who wrote the book that this movie is based on?",
    "My brother arrives on Friday with his new dog.",
    "Open the window and let some fresh air in.",
    "Look up how far it is from Berlin to Vienna.",
    "There are seven apples and two pears in the basket.",
    "Why does the game freeze when I open the map?",
)

REPLIES = (
    "That is done already. I will tell you when the second half is there.",
    "Yes, it has worked that way since the spring, when somebody moved the old settings.",
    "I found three of them. The largest one belongs to a customer in Norway.",
    "Let me put it like this. The numbers are higher, and somebody who knows should look at them.",
)

UNDERSTOOD_FROM = 0.6
"""As a share of the words of a sentence: some are lost with their packets."""


def understood(said: str, written: str) -> float:
    """Return how many of the words that were said were written down, in their order, 0 to 1."""
    want, got = _words(said), _words(written)
    if not want:
        return 0.0
    matcher = difflib.SequenceMatcher(None, want, got, autojunk=False)
    return sum(run.size for run in matcher.get_matching_blocks()) / len(want)


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9']+", text.lower())
