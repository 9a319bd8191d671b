"""Joins what belongs to one turn, though it came in several utterances. Pure."""

from collections.abc import Collection
from dataclasses import dataclass, replace

from voice.events import EndReason, Remark, SpokenTurn, Utterance

_MOST_PARTS = 4
"""After so many utterances without an end somebody is answered all the same."""
_AUDIBLE_SECONDS = 0.3
"""So much of an answer is not taken for one that was heard: they talked into it at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """What one person said, in one utterance or several."""

    utterance: Utterance
    """The last one, with the text of all."""
    began_at: float
    """When the first one began."""
    parts: int = 1

    def joined(self, after: "Spoken") -> "Spoken":
        """Return both as one."""
        text = f"{self.utterance.text} {after.utterance.text}"
        return Spoken(
            utterance=replace(after.utterance, text=text),
            began_at=self.began_at,
            parts=self.parts + after.parts,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Taken:
    spoken: Spoken
    overheard: tuple[Remark, ...]
    committed_at: float
    is_done: bool = False


class TakenTurns:
    """The last turn of each person, and what is kept back, as they go on."""

    def __init__(self, *, merge_seconds: float) -> None:
        self._merge_seconds = merge_seconds
        self._held: dict[int, Spoken] = {}
        self._last: dict[int, _Taken] = {}

    @property
    def holds_any(self) -> bool:
        """Whether something that was said is kept back."""
        return bool(self._held)

    def is_unanswered(self, person_id: int) -> bool:
        """Say whether somebody's last turn is still being answered, or will be."""
        last = self._last.get(person_id)
        return person_id in self._held or (last is not None and not last.is_done)

    def answered(self, person_id: int) -> None:
        """Know that nothing more will be said about somebody's last turn."""
        if last := self._last.get(person_id):
            self._last[person_id] = replace(last, is_done=True)

    def left(self, person_id: int) -> Spoken | None:
        """Forget somebody, and return what was kept back of them."""
        self._last.pop(person_id, None)
        return self._held.pop(person_id, None)

    def dropped(self, person_id: int) -> bool:
        """Forget what is kept back of somebody, and say whether there is more to take back."""
        self._held.pop(person_id, None)
        return self.is_unanswered(person_id)

    def goes_on(self, utterance: Utterance) -> bool:
        """Say whether somebody has only gone on with what they said to the bot before."""
        last = self._last.get(utterance.person_id)
        return utterance.person_id in self._held or (
            last is not None
            and not last.is_done
            and utterance.began_at <= last.committed_at + self._merge_seconds
        )

    def joined(self, utterance: Utterance) -> Spoken:
        """Return an utterance, with what is kept back of that person before it."""
        spoken = Spoken(utterance=utterance, began_at=utterance.began_at)
        held = self._held.pop(utterance.person_id, None)
        return spoken if held is None else held.joined(spoken)

    def held_back(self, spoken: Spoken, *, talks_again: bool) -> bool:
        """Keep it back if that person is not done yet; say whether that is so."""
        is_cut = spoken.utterance.reason is EndReason.TOO_LONG
        if spoken.parts >= _MOST_PARTS or not (is_cut or talks_again):
            return False
        self._held[spoken.utterance.person_id] = spoken
        return True

    def taken(
        self, spoken: Spoken, overheard: tuple[Remark, ...], *, answer_seconds: float
    ) -> SpokenTurn:
        """Return what is to be answered, as that person's last turn from now on.

        Args:
            spoken: What was said to the bot.
            overheard: What was said besides since the last turn of anybody.
            answer_seconds: How much of an answer to their turn before has been heard.
        """
        utterance = spoken.utterance
        last = self._last.get(utterance.person_id)
        is_merged = (
            last is not None
            and not last.is_done
            and spoken.began_at <= last.committed_at + self._merge_seconds
            and answer_seconds < _AUDIBLE_SECONDS
        )
        if last is not None and is_merged:
            spoken = last.spoken.joined(spoken)
            overheard = last.overheard + overheard
        self._last[utterance.person_id] = _Taken(
            spoken=spoken, overheard=overheard, committed_at=utterance.committed_at
        )
        return SpokenTurn(utterance=spoken.utterance, overheard=overheard, is_merged=is_merged)

    def last_committed_at(self, person_id: int) -> float | None:
        """Return when somebody's last turn was over."""
        last = self._last.get(person_id)
        return None if last is None else last.committed_at

    def due(self, now: float, talking: Collection[int]) -> list[Spoken]:
        """Return, and forget, what is kept back of those who have not gone on after all."""
        due = [
            person_id
            for person_id, held in self._held.items()
            if person_id not in talking and now >= self._ends_at(held)
        ]
        return [self._held.pop(person_id) for person_id in due]

    def next_at(self, talking: Collection[int]) -> float | None:
        """Return when something is due."""
        ends = [self._ends_at(held) for who, held in self._held.items() if who not in talking]
        return min(ends, default=None)

    def _ends_at(self, held: Spoken) -> float:
        return held.utterance.committed_at + self._merge_seconds
