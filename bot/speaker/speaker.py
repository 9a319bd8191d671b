"""The interface between a conversation and whatever answers in it."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


@dataclass(frozen=True, slots=True)
class TextCame:
    """A piece of the answer; pieces of one paragraph are put together as they come."""

    text: str


@dataclass(frozen=True, slots=True)
class ParagraphEnded:
    """A paragraph is whole: what comes next is a new one."""

    text: str | None = None
    """All of it, which counts for more than its pieces: they may have come twice, or in part."""


@dataclass(frozen=True, slots=True)
class ParagraphDropped:
    """The paragraph that was being said is not meant: it is said anew."""


@dataclass(frozen=True, slots=True)
class ToolUsed:
    """The speaker uses a tool."""

    name: str
    detail: str = ""
    """What it is used on, in a few words; empty if that would tell nothing."""


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """A tool that the speaker used has given back something."""

    name: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Thought:
    """A piece of what the speaker thinks before it says something."""

    text: str


@dataclass(frozen=True, slots=True)
class Spent:
    """What the turn has cost so far, since the last time that this was told."""

    cost_usd: float


@dataclass(frozen=True, slots=True)
class Warned:
    """Something was not as it should be, but the answer goes on."""

    sentence: str


@dataclass(frozen=True, slots=True)
class Delayed:
    """The answer has to wait; this is told until it begins."""

    sentence: str


@dataclass(frozen=True, slots=True)
class Answered:
    """The turn is over. Nothing comes after it."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The turn is over, and not as it should be. Nothing comes after it."""

    sentence: str
    """What the person is told."""


SpeakerEvent = (
    TextCame
    | ParagraphEnded
    | ParagraphDropped
    | ToolUsed
    | ToolFinished
    | Thought
    | Spent
    | Warned
    | Delayed
    | Answered
    | Failed
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """A picture that is shown to the speaker."""

    media_type: str
    """`image/png`, `image/jpeg`, `image/gif` or `image/webp`."""
    content: bytes


class PermissionMode(StrEnum):
    """What a speaker does where it would ask a person."""

    DONT_ASK = "dontAsk"
    """Refuse what it was not allowed beforehand."""
    ACCEPT_EDITS = "acceptEdits"
    """Write and edit files in its own folder."""
    PLAN = "plan"
    """Only look, and make a plan."""
    AUTO = "auto"
    """Judge by itself; only in a jail."""
    BYPASS = "bypassPermissions"
    """Do everything; only in a jail."""

    @property
    def needs_jail(self) -> bool:
        """Whether it may be had only in a jail, and by an owner."""
        return self in {PermissionMode.AUTO, PermissionMode.BYPASS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Knobs:
    """What can be set of a speaker, for each session."""

    model: str | None = None
    """`None`: what the configuration says."""
    effort: str | None = None
    """`None`: what the configuration says."""
    permission_mode: PermissionMode | None = None
    """`None`: what the configuration says."""
    mcp_servers: frozenset[str] = frozenset()
    """The names of the configured MCP servers that it may use besides the bot's own."""
    is_spoken: bool = False
    """Whether what it says is spoken aloud, on a voice line. Not stored: it holds while the line
    is open."""


class Speaker(Protocol):
    """Answers in one conversation, one turn after the other."""

    async def run(self) -> None:
        """Keep the speaker going until it is cancelled."""
        ...

    def warm_up(self) -> None:
        """Get ready to answer, in the background."""
        ...

    def answer(self, text: str, images: Sequence[Image] = ()) -> AsyncGenerator[SpeakerEvent, None]:
        """Say `text` to the speaker, and yield the answer; it ends with `Answered` or `Failed`."""
        ...

    def change(self, knobs: Knobs) -> None:
        """Answer with other knobs from the next turn on; what was said before is kept."""
        ...

    async def interrupt(self) -> bool:
        """Have the running answer end at once; `False` if there is none."""
        ...
