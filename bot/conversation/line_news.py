"""What the speaker is told of a voice line besides the turns: remarks, interruptions. Pure."""

from collections import deque

from bot.quoting import cleaned
from voice.events import Heard, Remark

MOST_REMARKS = 40
"""Of more that was said meanwhile, only the newest are told."""
LONGEST_NEWS = 6_000
"""How many characters they have together."""

_MOST_KNOWN = 200
_LONGEST_REMARK = 400
_LONGEST_NAME = 40
_LONGEST_HEARD = 240
_LEFT_OUT = "[Some of what was said before that is left out.]"
_FORBIDDEN = str.maketrans({"[": "(", "]": ")", '"': "'"})


class LineNews:
    """Gathers news until the next turn; each is one line in square brackets."""

    def __init__(self) -> None:
        self._lines = deque[str]()
        self._has_left_out = False
        self._known = deque[tuple[int, float, str]](maxlen=_MOST_KNOWN)

    def overheard(self, remark: Remark, name: str) -> bool:
        """Take what somebody said, and not to the bot; `False` if it is known already."""
        key = (remark.person_id, remark.at, remark.text)
        if key in self._known:
            return False
        self._known.append(key)
        who, text = _word(name, _LONGEST_NAME), _word(remark.text, _LONGEST_REMARK)
        if remark.is_of_other:
            self._add(f'[{who}, who may not talk to you and asks nothing of you, said: "{text}"]')
        else:
            self._add(f'[{who} said, but not to you: "{text}"]')
        return True

    def answered(self, heard: Heard, *, interrupter: str, is_written: bool) -> None:
        """Take how much of the last answer was heard, if that was not all of it.

        Args:
            heard: How much of it.
            interrupter: What whoever interrupted it is called; empty if nobody did.
            is_written: Whether all of it stands in the chat.
        """
        if heard.is_whole:
            return
        end = _end_of(heard.text)
        heard_of_it = f'only this was heard: "{end}"' if end else "nothing was heard"
        who = f"interrupted by {_word(interrupter, _LONGEST_NAME)}; " if interrupter else ""
        stands = "; it stands in the chat" if is_written else ""
        self._add(f"[{who}of your last answer {heard_of_it}{stands}]")

    def went_on(self, name: str) -> None:
        """Take it that somebody had not finished when they were taken to have."""
        who = _word(name, _LONGEST_NAME)
        self._add(f"[{who} had not finished: what comes now takes the place of what came before.]")

    def told(self, note: str) -> None:
        """Take what the bot itself has said, or done."""
        self._add(note)

    def take(self) -> str:
        """Return all of it, each on a line of its own, and forget it."""
        lines = [_LEFT_OUT, *self._lines] if self._has_left_out else list(self._lines)
        self._lines.clear()
        self._has_left_out = False
        return "".join(f"{line}\n" for line in lines)

    def _add(self, line: str) -> None:
        self._lines.append(line)
        while len(self._lines) > MOST_REMARKS or sum(map(len, self._lines)) > LONGEST_NEWS:
            self._lines.popleft()
            self._has_left_out = True


def _word(text: str, limit: int) -> str:
    """Return what somebody wrote or said so that it can pass for nothing else."""
    one_line = " ".join(cleaned(text).split()).translate(_FORBIDDEN)
    return one_line if len(one_line) <= limit else f"{one_line[: limit - 1]}…"


def _end_of(text: str) -> str:
    """Return the end of what was heard: where it was broken off."""
    one_line = " ".join(text.split()).translate(_FORBIDDEN)
    if len(one_line) <= _LONGEST_HEARD:
        return one_line
    return "…" + one_line[-_LONGEST_HEARD:].partition(" ")[2]
