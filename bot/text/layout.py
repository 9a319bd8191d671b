"""Lays out what a model wrote as messages, or as a file if it is long. Pure."""

from dataclasses import dataclass

from bot.messenger import File
from bot.text.readable import readable
from bot.text.splitting import MESSAGE_LIMIT, split_message

MOST_MESSAGES = 3
"""A longer text would push what others said out of sight."""
FILE_NAME = "answer.md"
REST_IN_FILE = f"-# This is how it begins. The whole answer is in the file `{FILE_NAME}`."
GOES_ON = "-# It goes on; the whole answer comes as a file once it is written."


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
    without_file: tuple[str, ...] = ()
    """What stands there if the file is not taken: all of it, in however many messages."""


def lay_out(text: str, *, limit: int = MESSAGE_LIMIT, most: int = MOST_MESSAGES) -> Layout:
    """Return how `text` is shown, with all that Discord does not draw made readable.

    As a text grows, every message but the last stays as it is, save where something turns out to
    be a table, or formatted: then those from its beginning on change.

    Args:
        text: What a model wrote, in markdown.
        limit: The most characters of a message.
        most: The most messages; of a text that needs more, one shows how it begins, and a file
            has all of it.
    """
    # It may be made up of nothing but what would not be drawn.
    shown = readable(text.replace("\r\n", "\n")).strip() or text
    messages = tuple(split_message(shown, limit))
    if len(messages) <= most:
        return Layout(messages=messages)
    return Layout(
        messages=(_ended(shown, REST_IN_FILE, limit),),
        file=File(name=FILE_NAME, content=text.encode(errors="replace")),
        growing=(*messages[: most - 1], _ended(messages[most - 1], GOES_ON, limit)),
        without_file=messages,
    )


def _ended(text: str, remark: str, limit: int) -> str:
    """Return the beginning of `text` in one message, with a remark below it."""
    beginning = split_message(text, limit - len(remark) - 2)[0]
    return f"{beginning}\n\n{remark}"
