"""The interface between a voice line and what hears and speaks on it."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from voice.events import Heard, LineMode
from voice.line_listener import LineListener
from voice.line_report import LineReport
from voice.link import VoiceLink


class LinePipeline(Protocol):
    """Hears people on one link, and speaks to them. Use it on the loop's thread.

    Only one voice speaks at a time: what is asked for while something is spoken waits for its end.
    """

    async def answer(self, pieces: AsyncGenerator[str, None], *, to: int | None) -> Heard:
        """Speak an answer while it is written, and return what was heard of it.

        All pieces are taken, whether they are spoken or not, so that whoever writes them is not
        held up; when it was interrupted, this returns at once.

        Args:
            pieces: What is to be spoken, as it is written. This closes them.
            to: Whom it answers; `None` if that was asked in writing.
        """
        ...

    async def say(self, text: str) -> Heard:
        """Speak a text after what is spoken at present, before anything else."""
        ...

    async def announce(self, make_text: Callable[[], str]) -> Heard:
        """Speak a text in the next pause; cancel it to take it back.

        Args:
            make_text: Called right before it is spoken. If it returns nothing, nothing is spoken,
                and it counts as not heard.
        """
        ...

    def stop_speech(self) -> None:
        """End what is spoken at present, and what waits of it."""
        ...

    def working_for(self, person_id: int | None) -> None:
        """Know that something is being answered, and whom; `None`: it was asked in writing."""
        ...

    def work_ended(self) -> None:
        """Know that nothing is being answered any more."""
        ...

    def set_mode(self, mode: LineMode) -> None:
        """Take people to talk to the bot in another way from now on."""
        ...

    def push(self, person_id: int) -> None:
        """Know that somebody has pressed the button to talk."""
        ...

    def set_muted(self, is_muted: bool) -> None:  # noqa: FBT001 - what it sets is all that it says
        """Listen no more, or again."""
        ...

    async def set_voice(self, name: str) -> None:
        """Speak in another voice from the next sentence on.

        Raises:
            EngineError: If there is no such voice; its text says what to do about it.
        """
        ...

    def people_changed(self) -> None:
        """Know that somebody came, went, or may do something else than before."""
        ...

    async def heard_from(self, person_id: int) -> str:
        """Return the next thing that somebody says, to the end; it starts nothing else.

        It ends when it is cancelled. Whatever mode the line is in, that person is heard.
        """
        ...

    def report(self) -> LineReport:
        """Return how it is doing."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class LineOptions:
    """How one line hears and speaks; all else the configuration says, which the opener knows."""

    names: tuple[str, ...]
    """What the bot is called, aliases included."""
    mode: LineMode = LineMode.OPEN
    is_muted: bool = False
    voice: str | None = None
    """In which voice it speaks; `None`: the configured one."""


OpenPipeline = Callable[
    [VoiceLink, LineListener, LineOptions], AbstractAsyncContextManager[LinePipeline]
]
"""Opens what hears and speaks on a link, and closes it in the end.

A model that cannot be used is no error: the line then says so (`LineState.DEAF`, and `troubles` of
the report).
"""
