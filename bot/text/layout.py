"""Lays out what a model wrote as messages, or as a file if it is long. Pure."""

from dataclasses import dataclass
from itertools import islice

from bot.messenger import File
from bot.text.readable import readable
from bot.text.splitting import MESSAGE_LIMIT, messages_of

MOST_MESSAGES = 3
"""A longer text would push what others said out of sight."""
FILE_NAME = "answer.md"
REST_IN_FILE = f"-# This is how it begins. The whole answer is in the file `{FILE_NAME}`."
GOES_ON = "-# It goes on; the whole answer comes as a file once it is written."


_LOOKED_AT = 2
"""How many times as much as the messages may hold is looked at first: some may not be drawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """A text as it is shown."""

    messages: tuple[str, ...]
    """What stands in the channel once the text is whole."""
    file: File | None = None
    """The whole text as it was written, which goes with the last message; `None` if the messages
    hold all of it."""
    growing: tuple[str, ...] = ()
    """What stands there while the text is being written; empty if that is the same."""


def lay_out(text: str, *, limit: int = MESSAGE_LIMIT, most: int = MOST_MESSAGES) -> Layout:
    """Return how `text` is shown, with all that Discord does not draw made readable.

    As a text grows, every message but the last stays as it is, save where something turns out to
    be a table, or formatted: then those from its beginning on change. Of a long text no more is
    looked at than is shown.

    Args:
        text: What a model wrote, in markdown.
        limit: The most characters of a message.
        most: The most messages; of a text that needs more, one shows how it begins, and a file
            has all of it.
    """
    shown, messages = _beginning(text, limit, most)
    if len(messages) <= most:
        return Layout(messages=messages)
    return Layout(
        messages=(_ended(shown, REST_IN_FILE, limit),),
        file=File(name=FILE_NAME, content=text.encode(errors="replace")),
        growing=(*messages[: most - 1], _ended(messages[most - 1], GOES_ON, limit)),
    )


def all_messages(text: str, *, limit: int = MESSAGE_LIMIT) -> tuple[str, ...]:
    """Return all of `text` in however many messages, for where no file is taken.

    That takes its time for a long one: call it on a thread.
    """
    return tuple(messages_of(_drawn(text.replace("\r\n", "\n")), limit))


def _beginning(text: str, limit: int, most: int) -> tuple[str, tuple[str, ...]]:
    """Return how a text looks, and its messages; if there are too many, as much as decides them."""
    text, length = text.replace("\r\n", "\n"), _LOOKED_AT * (most + 1) * limit
    while True:
        is_whole = length >= len(text)
        shown = _drawn(text) if is_whole else readable(text[:length]).strip()
        messages = tuple(islice(messages_of(shown, limit), most + 2))
        # The last may change, and the one before it if something is being formatted there.
        if is_whole or len(messages) > most + 1:
            return shown, messages
        length *= 2


def _drawn(text: str) -> str:
    # It may be made up of nothing but what would not be drawn.
    return readable(text).strip() or text


def _ended(text: str, remark: str, limit: int) -> str:
    """Return the beginning of `text` in one message, with a remark below it."""
    beginning = next(messages_of(text, limit - len(remark) - 2))
    return f"{beginning}\n\n{remark}"
