"""What each caller has used of the model, and whether its last answer came whole. Pure."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from extensions.callers import Caller
from extensions.claude.usage import Usage


class AnswerState(StrEnum):
    """How the last answer to a caller stands."""

    OPEN = "open"
    CUT = "cut"
    WHOLE = "whole"


class AnswerBook(Protocol):
    """Where that is kept beyond the life of this program."""

    async def note(self, caller: Caller, state: AnswerState) -> None:
        """Keep how the last answer to `caller` stands; it is kept when this returns."""
        ...


class NoBook:
    """Keeps nothing."""

    async def note(self, caller: Caller, state: AnswerState) -> None:
        """Do nothing."""


@dataclass(slots=True)
class _Account:
    usage: Usage = field(default_factory=Usage)
    last_was_cut: bool = False
    open_answers: int = 0


class AnswerLedger:
    """Counts the model's answers, a caller at a time."""

    def __init__(self) -> None:
        self._accounts: dict[Caller, _Account] = {}

    def opened(self, caller: Caller) -> None:
        """An answer to `caller` has been asked for."""
        self._accounts.setdefault(caller, _Account()).open_answers += 1

    def ended(self, caller: Caller, *, cut: bool, usage: Usage) -> None:
        """An answer to `caller` is over.

        Args:
            caller: Who asked for it.
            cut: Whether it broke off, though neither the caller nor the model ended it. Claude
                takes what has come for the whole after some tries, and says so nowhere.
            usage: What it took, as far as is known.
        """
        account = self._accounts.setdefault(caller, _Account())
        account.open_answers -= 1
        account.usage += usage
        account.last_was_cut = cut

    def was_cut(self, caller: Caller) -> None:
        """An answer to `caller` was not seen to come whole, before this ledger was begun."""
        self._accounts.setdefault(caller, _Account()).last_was_cut = True

    def state_of(self, caller: Caller) -> AnswerState:
        """Return how the last answer to `caller` stands; open, as long as any is."""
        account = self._accounts.get(caller, _Account())
        if account.open_answers > 0:
            return AnswerState.OPEN
        return AnswerState.CUT if account.last_was_cut else AnswerState.WHOLE

    def usage_of(self, caller: Caller) -> Usage:
        """Return what `caller` has used so far."""
        account = self._accounts.get(caller)
        return Usage() if account is None else account.usage

    def last_answer_was_cut(self, caller: Caller) -> bool:
        """Return whether the answer to `caller` that ended last broke off."""
        account = self._accounts.get(caller)
        return account is not None and account.last_was_cut

    def forget(self, caller: Caller) -> None:
        """Drop what is known of a caller that has ended."""
        self._accounts.pop(caller, None)
