"""Which spoken answers are also written into the chat. Pure."""

import re

from voice.events import Heard

LONGEST_SPOKEN = 700
"""An answer that is longer is also written: nobody remembers all of it."""

_UNSPEAKABLE = re.compile(
    r"```|https?://|\]\(|^\s*\|.*\|\s*$|^\s*(?:[-*+]|\d+[.)])\s", re.MULTILINE
)
"""Code, links, tables and lists."""


def is_written_down(text: str, heard: Heard, *, came_late: bool, is_warned: bool) -> bool:
    """Say whether a spoken answer is also written.

    So is what cannot be spoken, or is too much to remember, what nobody could hear, what came only
    after somebody had interrupted it, and what came with a warning.

    Args:
        text: The whole answer.
        heard: What was heard of it.
        came_late: Whether more of it came after it was interrupted.
        is_warned: Whether there was a warning; those are not spoken.
    """
    is_unheard = not heard.is_whole and heard.interrupted_by is None
    is_unspeakable = len(text) > LONGEST_SPOKEN or _UNSPEAKABLE.search(text) is not None
    return is_unspeakable or is_unheard or came_late or is_warned
