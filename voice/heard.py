"""How much of a speech people have heard, from the packets that were sent. Pure."""

import re
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from voice.link import PACKET_SECONDS

_WORD = re.compile(r"\w+(?:['\u2019.,:-]\w+)*")
_TOLERANCE_SECONDS = PACKET_SECONDS / 2
_CHARACTERS_PER_SECOND = 14.0
"""How fast English is spoken, about; for a chunk whose length is not known yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Handed:
    """Packets that were given to the link at once."""

    start: int
    """How many had been given before."""
    count: int


@dataclass(slots=True, kw_only=True)
class _Chunk:
    written: str
    spoken: str
    skipped_seconds: float = 0.0
    handed: list[_Handed] = field(default_factory=list[_Handed])
    words: list[tuple[int, float]] = field(default_factory=list[tuple[int, float]])
    is_complete: bool = False
    is_over: bool = False

    @property
    def is_silent(self) -> bool:
        return not self.spoken

    @property
    def seconds(self) -> float:
        """How long it takes; a guess until it is complete."""
        known = PACKET_SECONDS * sum(handed.count for handed in self.handed)
        if self.is_complete:
            return known
        return max(known, len(self.spoken) / _CHARACTERS_PER_SECOND)

    def sent(self, sent_count: int) -> int:
        """Return how many of its packets are among the first that were sent."""
        return sum(min(max(sent_count - h.start, 0), h.count) for h in self.handed)

    def is_past(self, sent_count: int) -> bool:
        """Return whether nothing more will be sent of it, be it whole or not."""
        return self.is_over and all(h.start + h.count <= sent_count for h in self.handed)

    def spoken_end(self, sent_count: int) -> int:
        """Return how many characters of the spoken text had been said by then."""
        seconds = self.sent(sent_count) * PACKET_SECONDS
        if self.words:
            passed = seconds + self.skipped_seconds + _TOLERANCE_SECONDS
            return max((end for end, at in self.words if at <= passed), default=0)
        return int(len(self.spoken) * seconds / self.seconds) if seconds else 0


class SpeechLog:
    """What of one speech was given to the link, chunk by chunk, and so what people have heard."""

    def __init__(self) -> None:
        self._chunks: list[_Chunk] = []

    def begin(self, *, written: str, spoken: str) -> None:
        """Note the next chunk: how it was written, and what is said of it, if anything is."""
        self._chunks.append(_Chunk(written=written, spoken=spoken))

    def handed(self, *, start: int, count: int) -> None:
        """Note that packets of the newest chunk were given to the link.

        Args:
            start: How many packets it had been given before, as `sent_count` counts them.
            count: How many were given now.
        """
        self._newest.handed.append(_Handed(start=start, count=count))

    def word(self, *, text_end: int, at_seconds: float) -> None:
        """Note at what time of its audio the newest chunk was said up to a place in its text."""
        self._newest.words.append((text_end, at_seconds))

    def skipped(self, seconds: float) -> None:
        """Note how much audio of the newest chunk was left out before its first packet."""
        self._newest.skipped_seconds = seconds

    def complete(self) -> None:
        """Note that all of the newest chunk was given to the link."""
        self._newest.is_complete = self._newest.is_over = True

    def left_out(self) -> None:
        """Note that nothing more of the newest chunk will be given to the link."""
        self._newest.is_over = True

    @property
    def is_complete(self) -> bool:
        """Whether there was something to be said, and all of it was given to the link."""
        said = [chunk for chunk in self._chunks if not chunk.is_silent]
        return bool(said) and all(chunk.is_complete for chunk in said)

    @property
    def end(self) -> int:
        """What `sent_count` will be once all has been sent that was given to the link."""
        ends = [h.start + h.count for chunk in self._chunks for h in chunk.handed]
        return max(ends, default=0)

    def text(self, sent_count: int) -> str:
        """Return what had been sent by then, as it was written, up to the end of a word."""
        heard: list[str] = []
        silent: list[str] = []
        for chunk in self._chunks:
            if chunk.is_silent:
                silent.append(chunk.written)
                continue
            part = _part(chunk, sent_count)
            if part:
                heard += [*silent, part]
                silent = []
            if not chunk.is_past(sent_count):
                return "".join(heard).strip()
        return "".join([*heard, *(silent if heard else [])]).strip()

    @property
    def _newest(self) -> _Chunk:
        return self._chunks[-1]


def _part(chunk: _Chunk, sent_count: int) -> str:
    if chunk.is_complete and chunk.is_past(sent_count):
        return chunk.written
    return written_part(chunk.written, chunk.spoken, chunk.spoken_end(sent_count))


def written_part(written: str, spoken: str, spoken_end: int) -> str:
    """Return as much of a written text as was said of it, up to the end of a word.

    Words that are spoken otherwise than they are written (`3 km`, `three kilometres`) are placed
    between their neighbours that are not.
    """
    said = [word for word in _WORD.finditer(spoken) if word.end() <= spoken_end]
    words = list(_WORD.finditer(written))
    if not said or not words:
        return ""
    count = _written_count(_keys(spoken), _keys(written), len(said))
    return written[: words[count - 1].end()] if count else ""


def _keys(text: str) -> list[str]:
    return [word[0].casefold() for word in _WORD.finditer(text)]


def _written_count(spoken: list[str], written: list[str], said: int) -> int:
    """Return how many written words the first `said` spoken ones stand for."""
    matcher = SequenceMatcher(None, spoken, written, autojunk=False)
    before_spoken, before_written = 0, 0
    for block in matcher.get_matching_blocks():
        if block.a >= said:
            share = (said - before_spoken) / max(block.a - before_spoken, 1)
            return before_written + int(share * (block.b - before_written))
        if block.a + block.size >= said:
            return block.b + said - block.a
        before_spoken, before_written = block.a + block.size, block.b + block.size
    return before_written
