"""What adds up while a run goes on: the files that it writes, and its tokens. Pure."""

import posixpath
from dataclasses import dataclass, field, replace

from extensions.claude.usage import Usage
from extensions.jobs.line_facts import AnswerUsage

_MOST_FILES = 1000
"""How many files are told apart; more are not counted."""
_LONGEST_PATH = 1000
_MOST_BEGUN = 100
"""How many calls are remembered that have not returned; the oldest are forgotten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileTally:
    """The files that were written or changed with Claude's own tools."""

    folder: str = ""
    """Where the run works; paths in there are shown as relative to it."""
    newest: str | None = None
    """The path of the one that was written last."""
    _paths: frozenset[str] = frozenset()
    _begun: tuple[tuple[str, str], ...] = ()

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._paths)

    def begun(self, tool_use_id: str, path: str) -> "FileTally":
        """Return the tally once a call has begun that writes the file at `path`."""
        return replace(self, _begun=(*self._begun, (tool_use_id, path))[-_MOST_BEGUN:])

    def ended(self, tool_use_id: str, *, is_error: bool) -> "FileTally":
        """Return the tally once a call has ended; what did not work has written nothing."""
        path = dict(self._begun).get(tool_use_id)
        if path is None:
            return self
        begun = tuple(one for one in self._begun if one[0] != tool_use_id)
        if is_error:
            return replace(self, _begun=begun)
        shown = self._shown(path)
        paths = self._paths if self.count >= _MOST_FILES else self._paths | {shown}
        return replace(self, newest=shown, _paths=paths, _begun=begun)

    def all_ended(self) -> "FileTally":
        """Return the tally once no call is under way any more."""
        return replace(self, _begun=())

    def _shown(self, path: str) -> str:
        normal = posixpath.normpath(path[:_LONGEST_PATH])
        return normal.removeprefix(f"{self.folder.rstrip('/')}/") if self.folder else normal


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenTally:
    """The tokens that were used."""

    _before: Usage = field(default_factory=Usage)
    """In the turns that have ended."""
    _in_turn: Usage = field(default_factory=Usage)
    _answer_id: str | None = None

    @property
    def total(self) -> Usage:
        """All of them."""
        return self._before + self._in_turn

    def answered(self, answer: AnswerUsage) -> "TokenTally":
        """Return the tally with an answer of the model, which may be told several times."""
        if answer.answer_id == self._answer_id:
            return self
        in_turn = self._in_turn + answer.usage
        return replace(self, _in_turn=in_turn, _answer_id=answer.answer_id)

    def turn_ended(self, usage: Usage) -> "TokenTally":
        """Return the tally once a turn has ended, which says what all of it took."""
        # Of a turn that was stopped it says nothing.
        used = usage if usage.total_tokens else self._in_turn
        return TokenTally(_before=self._before + used)
