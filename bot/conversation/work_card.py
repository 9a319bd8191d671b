"""What a speaker does in a turn, and the card that shows it while it lasts. Pure."""

from dataclasses import dataclass
from enum import StrEnum

from bot.conversation.session import Streaming
from bot.messenger import MessageContent
from bot.quoting import plain, quotation
from bot.speaker.speaker import SpeakerEvent, TextCame, Thought, ToolFinished, ToolUsed

LONGEST_CARD = 1700
"""How many characters a card has at most."""
MOST_STEPS = 8
"""How many of the newest steps it shows."""

_KEPT_STEPS = 50
_KEPT_OF_A_THOUGHT = 400
_LONGEST_THOUGHT = 240
_LONGEST_NAME = 60
_LONGEST_DETAIL = 120
_MINUTE, _HOUR = 60, 3600


class WorkEnd(StrEnum):
    """How a turn ended, as its card shows it."""

    DONE = "✅ Done"
    CANCELLED = "🚫 Cancelled"
    FAILED = "⚠️ Failed"


@dataclass(slots=True)
class _Tool:
    """The use of a tool, or several alike in a row."""

    name: str
    detail: str
    times: int = 1
    running: int = 1
    failed: int = 0


@dataclass(slots=True)
class _Thinking:
    """What it thought before it did or said something."""

    text: str

    def go_on(self, text: str) -> bool:
        """Take the next piece; return whether it is kept."""
        is_kept = len(self.text) < _KEPT_OF_A_THOUGHT
        self.text = (self.text + text)[:_KEPT_OF_A_THOUGHT]
        return is_kept


@dataclass(slots=True)
class _Writing:
    """It says something, which stands in the answer."""


_Step = _Tool | _Thinking | _Writing


class Work:
    """What a speaker has done in one turn so far."""

    def __init__(self, *, began_at: float) -> None:
        """Begin at a time, in seconds."""
        self._began_at = began_at
        self._steps: list[_Step] = []
        self.tools = 0
        """How many tools were used."""

    @property
    def is_only_said(self) -> bool:
        """Whether it has said something, and done nothing else."""
        return bool(self._steps) and all(isinstance(step, _Writing) for step in self._steps)

    def add(self, event: SpeakerEvent, streaming: Streaming = Streaming.FULL) -> bool:
        """Take what came next; return whether a card of that kind shows something new."""
        newest = self._newest
        match event:
            case ToolUsed(name, detail):
                self.tools += 1
                self._use(_shown_name(name), detail)
                return True
            case ToolFinished(name, is_error):
                self._finish(_shown_name(name), is_error=is_error)
                return is_error and streaming is Streaming.FULL
            case Thought(text) if isinstance(newest, _Thinking):
                return newest.go_on(text) and streaming is Streaming.FULL
            case Thought(text):
                self._append(_Thinking(text[:_KEPT_OF_A_THOUGHT]))
                return True
            case TextCame() if not isinstance(newest, _Writing):
                self._append(_Writing())
                return True
            case _:
                return False

    def card(self, streaming: Streaming, *, now: float) -> MessageContent:
        """Return the card as it should look now, short or in full."""
        summary = self._headline(self._current(), now=now)
        if streaming is not Streaming.FULL:
            return MessageContent(text=summary, is_silent=True)
        lines = [_line(step) for step in self._steps[-MOST_STEPS:]]
        while lines and len("\n".join([summary, *lines])) > LONGEST_CARD:
            del lines[0]
        return MessageContent(text="\n".join([summary, *lines]), is_silent=True)

    def last_card(self, end: WorkEnd, *, now: float) -> MessageContent:
        """Return the card as it stays once the turn is over."""
        return MessageContent(text=self._headline(end.value, now=now), is_silent=True)

    def _use(self, name: str, detail: str) -> None:
        newest = self._newest
        if isinstance(newest, _Tool) and (newest.name, newest.detail) == (name, detail):
            newest.times += 1
            newest.running += 1
        else:
            self._append(_Tool(name, detail))

    def _finish(self, name: str, *, is_error: bool) -> None:
        for step in self._steps:
            if isinstance(step, _Tool) and step.name == name and step.running:
                step.running -= 1
                step.failed += is_error
                return

    def _append(self, step: _Step) -> None:
        self._steps.append(step)
        del self._steps[:-_KEPT_STEPS]

    @property
    def _newest(self) -> _Step | None:
        return self._steps[-1] if self._steps else None

    def _current(self) -> str:
        """Return what it does at present, in a few words."""
        match self._newest:
            case _Tool() as tool:
                return f"🤔 {_tool_words(tool)}"
            case _Writing():
                return "✍️ Writing"
            case _:
                return "🤔 Thinking"

    def _headline(self, state: str, *, now: float) -> str:
        figures = [state]
        if self.tools:
            figures.append(f"{self.tools} {'tool' if self.tools == 1 else 'tools'}")
        if (seconds := int(now - self._began_at)) > 0:
            figures.append(_time_words(seconds))
        return " · ".join(figures)


def _shown_name(name: str) -> str:
    """Return the name of a tool as one knows it: `mcp__papercup__list` is `list`."""
    return name.rsplit("__", 1)[-1] or name if name.startswith("mcp__") else name


def _tool_words(tool: _Tool) -> str:
    name, detail = plain(tool.name, _LONGEST_NAME), plain(tool.detail, _LONGEST_DETAIL)
    return f"{name}: {detail}" if detail else name


def _line(step: _Step) -> str:
    match step:
        case _Tool():
            mark = "❌" if step.failed else "🔧"
            times = f" ×{step.times}" if step.times > 1 else ""  # noqa: RUF001 - the sign is meant
            return f"{mark} {_tool_words(step)}{times}"
        case _Thinking():
            thought = " ".join(step.text.split())
            return quotation(thought, _LONGEST_THOUGHT) or "> …"
        case _Writing():
            return "✍️ Wrote some of the answer"


def _time_words(seconds: int) -> str:
    if seconds < _MINUTE:
        return f"{seconds} s"
    if seconds < _HOUR:
        return f"{seconds // _MINUTE} min {seconds % _MINUTE} s"
    return f"{seconds // _HOUR} h {seconds % _HOUR // _MINUTE} min"
