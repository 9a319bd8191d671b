"""The status message of a voice line. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bot.conversation.transcript import TranscriptLine, shown_line
from bot.messenger import Button, ButtonAction, ButtonStyle, MessageContent
from bot.quoting import plain
from voice.events import LineMode, LineState
from voice.line_report import STAGES, StageTimes

LINE_CARD = "line"
"""The kind of this card; its subject is the id of the line."""
PUSH_VERB = "talk"
"""Of the button to talk."""
LONGEST_STATUS = 1900

_LONGEST_NAME = 40
_LONGEST_TROUBLE = 200
_MOST_TROUBLES = 3

_STATES = {
    LineState.LISTENING: "👂 listening",
    LineState.HEARING: "🗨️ hearing",
    LineState.THINKING: "🤔 thinking",
    LineState.SPEAKING: "🔊 speaking",
    LineState.MUTED: "🔇 not listening",
    LineState.DEAF: "🙉 cannot hear",
    LineState.RECONNECTING: "🔌 reconnecting",
}
_MODES = {
    LineMode.OPEN: "Alone with me, just talk; among others, say my name.",
    LineMode.NAME: "Say my name, and I answer.",
    LineMode.PUSH: "Press the button, and talk.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LineStatus:
    """All that the status message shows."""

    line_id: str
    session: str
    """The name of the session."""
    state: LineState
    person: str | None = None
    """Who talks, or is answered."""
    mode: LineMode
    is_muted: bool = False
    lines: tuple[TranscriptLine, ...] = ()
    """What was said last."""
    stages: Mapping[str, StageTimes] = field(default_factory=dict[str, StageTimes])
    """How long each stage took, of the newest turn."""
    troubles: tuple[str, ...] = ()


def status_message(status: LineStatus) -> MessageContent:
    """Return the status message of a line that is open."""
    state = LineState.MUTED if status.is_muted and _is_idle(status) else status.state
    who = f" {plain(status.person, _LONGEST_NAME)}" if status.person and _has_person(state) else ""
    head = f"☎️ **{status.session}** · {_STATES[state]}{who}"
    troubles = [f"⚠️ {plain(each, _LONGEST_TROUBLE)}" for each in status.troubles[:_MOST_TROUBLES]]
    times = stage_words(status.stages)
    foot = [f"-# {times}"] if times else []
    foot.append(f"-# {_MODES[status.mode]} `/voice mode` · `/voice mute` · `/hangup`")
    text = _fitted([head, *troubles], [shown_line(line) for line in status.lines], foot)
    return MessageContent(text=text, buttons=_buttons(status), is_silent=True)


def last_status(session: str, lines: Sequence[TranscriptLine], why: str) -> MessageContent:
    """Return the status message as it stays once the line has ended.

    Args:
        session: The name of the session.
        lines: What was said last; none if it is not kept what was said.
        why: Why it ended, as a sentence; empty if somebody hung up.
    """
    head = f"☎️ **{session}** · hung up" + (f"\n{why}" if why else "")
    return MessageContent(text=_fitted([head], [shown_line(line) for line in lines], []))


def stage_words(stages: Mapping[str, StageTimes]) -> str:
    """Return how long the stages of the newest turn took; empty if nothing was measured."""
    measured = [(name, stages[name]) for name in STAGES if name in stages and stages[name].count]
    return " · ".join(f"{name} {seconds_words(each.newest_seconds)}" for name, each in measured)


def seconds_words(seconds: float) -> str:
    """Return a short time: "24 ms", "1.2 s"."""
    return f"{seconds * 1000:.0f} ms" if seconds < 0.9995 else f"{seconds:.1f} s"  # noqa: PLR2004 - rounds to a second


def _is_idle(status: LineStatus) -> bool:
    return status.state in {LineState.LISTENING, LineState.HEARING}


def _has_person(state: LineState) -> bool:
    return state is LineState.HEARING


def _fitted(head: Sequence[str], lines: Sequence[str], foot: Sequence[str]) -> str:
    """Return the message; of the lines the oldest are left out that do not fit."""
    kept = list(lines)
    while len(text := "\n".join([*head, *kept, *foot])) > LONGEST_STATUS and kept:
        del kept[0]
    return text


def _buttons(status: LineStatus) -> tuple[Button, ...]:
    if status.mode is not LineMode.PUSH:
        return ()
    action = ButtonAction(verb=PUSH_VERB, subject=status.line_id)
    return (Button(label="🎙️ Talk", action=action, style=ButtonStyle.PRIMARY),)
