"""Where sentences end, in text of a few hundred characters. Pure."""

import re
from dataclasses import dataclass
from enum import Enum

from voice.words import word_set

_MARK = re.compile(
    r"""
      (?P<code>`+)
    | (?P<line>\n)
    | (?P<bracket>[\[\]()])
    | (?P<wide_end>[。\uff01\uff1f｡]+)
    | (?P<end>[.!?…]+)
    | (?P<pause>[,;:](?=\s)|(?<=\s)[\u2013—](?=\s)|[\uff0c、\uff1b\uff1a])
    """,
    re.VERBOSE,
)
_CLOSING = re.compile(r"[\"'”\u2019»)\]}*_~」』\uff09】〉》]*")
_SPACE = re.compile(r"\s")
_FOLLOWING = re.compile(r"\s{1,3}(\S)?")
_WORD = re.compile(r"[^\W_]+(?:['\u2019.-][^\W_]+)*")
_LAST_WORD = re.compile(r"[^\s(\[\"'“\u2018«*_~`]*$")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_FOLLOWING_SPACES = 3
_FENCE_LENGTH = 3
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
_LIST_NUMBER = re.compile(r"\d{1,3}")

_NEVER_LAST = word_set("""
    mr mrs ms dr prof st sr jr gen col sgt capt lt rev hon gov rep pres e.g i.e eg ie vs cf al
    approx resp viz ca figs eqs pp eds dept tel incl excl bzw z.b d.h u.a ggf evtl bspw p.ex
    mme mlle sra
""")
"""Abbreviations, without their last full stop, after which a sentence goes on."""
_SELDOM_LAST = word_set("""
    etc inc ltd co corp no a.m p.m am pm usw fig eq sec ch vol p ed ext est nr str av m sen
    jan feb mar apr jun jul aug sep sept oct nov dec min max
""")
"""After these it ends only if what follows looks like a beginning."""


def has_words(text: str) -> bool:
    """Say whether there is a word or a number in a text."""
    return _WORD.search(text) is not None


def count_words(text: str) -> int:
    """Return how many words a text has; two characters of Chinese or Japanese count as one."""
    wide = len(_WIDE.findall(text))
    return len(_WORD.findall(_WIDE.sub(" ", text))) + wide // 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Prose:
    """A text that begins with a sentence, and may not be all of it."""

    text: str
    """Begins with something visible."""
    is_end: bool
    """Whether nothing more will follow."""
    longest: int
    """A sentence that has not ended by then is too long."""
    pause_after_words: int | None = None
    """After how many words a comma counts as an end, too; `None`: never."""

    def end(self) -> int | None:
        """Return where the first sentence ends; `None` if it does not, or that is uncertain.

        Some of the white space after it is included.
        """
        return _Reading(self).end()

    def place_to_cut(self) -> int | None:
        """Return where to cut it if it is too long: at a comma, else between words."""
        head = self.text[: self.longest]
        pauses = [mark.end() for mark in _MARK.finditer(head) if mark.lastgroup == "pause"]
        if pauses and pauses[-1] > self.longest // 2:
            end = pauses[-1]
            return end + 1 if _SPACE.match(self.text, end) else end
        spaces = [space.end() for space in _SPACE.finditer(head)]
        return spaces[-1] if spaces else None


class _Look(Enum):
    """What a mark in the text means if it is no end."""

    ON = "on"
    """The sentence goes on."""
    LATER = "later"
    """It depends on what follows, which is not known yet."""


class _Reading:
    """Reads one text from mark to mark."""

    def __init__(self, prose: Prose) -> None:
        self._prose = prose
        self._text = prose.text
        self._at = 0
        self._brackets = 0
        self._parentheses = 0

    def end(self) -> int | None:
        while mark := _MARK.search(self._text, self._at):
            if mark.start() >= self._prose.longest:
                return None
            self._at = mark.end()
            found = self._look_at(mark)
            if found is not _Look.ON:
                return None if found is _Look.LATER else found
        return None

    def _look_at(self, mark: re.Match[str]) -> int | _Look:
        match mark.lastgroup:
            case "line":
                return mark.end()
            case "code":
                return self._code(mark)
            case "bracket":
                return self._bracket(mark[0])
            case "pause":
                return self._pause(mark)
            case _:
                return self._full_stop(mark)

    def _code(self, mark: re.Match[str]) -> int | _Look:
        """Skip code within the line; a block of code ends what stands before it."""
        if mark.end() == len(self._text) and not self._prose.is_end:
            return _Look.LATER
        if len(mark[0]) >= _FENCE_LENGTH:
            return mark.start()
        closing = re.compile(rf"(?<!`){mark[0]}(?!`)|\n").search(self._text, mark.end())
        if closing is None and not self._prose.is_end:
            return _Look.LATER
        if closing and closing[0] != "\n":
            self._at = closing.end()
        return _Look.ON

    def _bracket(self, bracket: str) -> _Look:
        if bracket in "[]":
            self._brackets = max(0, self._brackets + (1 if bracket == "[" else -1))
        else:
            self._parentheses = max(0, self._parentheses + (1 if bracket == "(" else -1))
        return _Look.ON

    def _pause(self, mark: re.Match[str]) -> int | _Look:
        enough = self._prose.pause_after_words
        if enough is None or self._brackets or self._parentheses:
            return _Look.ON
        if count_words(self._text[: mark.start()]) < enough:
            return _Look.ON
        return mark.end() + 1 if _SPACE.match(self._text, mark.end()) else mark.end()

    def _full_stop(self, mark: re.Match[str]) -> int | _Look:
        closing = _CLOSING.match(self._text, mark.end())
        after = closing.end() if closing else mark.end()
        if after == len(self._text):
            return _Look.ON if self._prose.is_end else _Look.LATER
        if self._brackets:
            return _Look.ON
        if mark.lastgroup == "wide_end":
            return after
        if not _SPACE.match(self._text, after):
            return _Look.ON
        return self._sentence_end(mark, after)

    def _sentence_end(self, mark: re.Match[str], after: int) -> int | _Look:
        """Decide about `.`, `!`, `?` and `...` before white space."""
        word = _LAST_WORD.search(self._text, 0, mark.start())
        likely = _likelihood(
            word[0] if word else "",
            mark[0],
            is_at_start=not word or not self._text[: word.start()].strip(),
            is_closed=after > mark.end(),
        )
        if likely is not _Likely.LOOK:
            return after + 1 if likely is _Likely.YES else _Look.ON
        following = _FOLLOWING.match(self._text, after)
        shown = following[1] if following else None
        if (
            shown is None
            and len(self._text) <= after + _FOLLOWING_SPACES
            and not self._prose.is_end
        ):
            return _Look.LATER
        is_beginning = shown is None or not (shown.islower() or shown.isdigit() or shown in ",;:)")
        return after + 1 if is_beginning else _Look.ON


class _Likely(Enum):
    YES = "yes"
    NO = "no"
    LOOK = "look at what follows"


def _likelihood(word: str, mark: str, *, is_at_start: bool, is_closed: bool) -> _Likely:
    if mark != ".":
        is_open = is_closed or "…" in mark or set(mark) == {"."}
        return _Likely.LOOK if is_open else _Likely.YES
    folded = word.lower()
    if folded in _SELDOM_LAST:
        return _Likely.LOOK
    if folded in _NEVER_LAST or (is_at_start and _LIST_NUMBER.fullmatch(word)):
        return _Likely.NO
    is_initial = len(word) == 1 and word.isupper() and word != "I" and not _WIDE.match(word)
    if is_initial or _DOTTED.fullmatch(word):
        return _Likely.NO
    return _Likely.LOOK if is_closed else _Likely.YES
