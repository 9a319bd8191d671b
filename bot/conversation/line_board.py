"""Keeps the status message of one voice line true."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from bot.access import Place
from bot.cards.card import Card
from bot.conversation.line_status import LINE_CARD, LineStatus, last_status, status_message
from bot.conversation.line_store import KeptLine
from bot.conversation.session_cards import CardBoard
from bot.conversation.transcript import RecentLines, TranscriptLine
from bot.messenger import MessageContent
from voice.events import LineState
from voice.line_report import LineReport, StageTimes


class LineBoard:
    """Shows what a line does, in one message that is edited in place."""

    def __init__(
        self, cards: CardBoard, kept: KeptLine, session_name: Callable[[], str], *, keeps: bool
    ) -> None:
        """Make it; nothing is shown yet.

        Args:
            cards: Where the message is.
            kept: The line.
            session_name: Gives the name of its session.
            keeps: Whether it is kept what was said; else it is gone when the line has ended.
        """
        self._cards = cards
        self._kept = kept
        self._session_name = session_name
        self._keeps = keeps
        self._lines = RecentLines()
        self._state = LineState.LISTENING
        self._person: str | None = None
        self._is_away = False
        self._stages: Mapping[str, StageTimes] = {}
        self._troubles: tuple[str, ...] = ()
        self._is_open = False

    @property
    def state(self) -> LineState:
        """What the line does."""
        return LineState.RECONNECTING if self._is_away else self._state

    def open(self, lines: Iterable[TranscriptLine] = ()) -> None:
        """Show it from now on, with what was said before."""
        self._is_open = True
        for line in lines:
            self._lines.add(line)
        self._show()

    def does(self, state: LineState, person: str | None) -> None:
        """Show what the line does, and who talks."""
        if (state, person) != (self._state, self._person):
            self._state, self._person = state, person
            self._show()

    def is_away(self, *, is_away: bool) -> None:
        """Show whether the connection is gone at present."""
        self._is_away = is_away
        self._show()

    def said(self, line: TranscriptLine) -> None:
        """Show what was said."""
        self._lines.add(line)
        self._show()

    def reports(self, report: LineReport) -> None:
        """Show how long the stages took, and what does not work."""
        self._stages, self._troubles = report.stages, report.troubles
        self._show()

    def changed(self, kept: KeptLine) -> None:
        """Show how the line is set by now."""
        self._kept = kept
        self._show()

    def moved(self, kept: KeptLine) -> None:
        """Go on with another message, where the line is by now."""
        self._end(f"I was moved to <#{kept.place.channel_id}>.")
        self._kept = kept
        self._show()

    def end(self, why: str) -> None:
        """Show for good that the line has ended; empty if somebody hung up."""
        if self._is_open:
            self._is_open = False
            self._end(why)

    def _end(self, why: str) -> None:
        lines = tuple(self._lines) if self._keeps else ()
        self._put(last_status(self._session_name(), lines, why), is_final=True)

    def _show(self) -> None:
        if not self._is_open:
            return
        status = LineStatus(
            line_id=self._kept.id,
            session=self._session_name(),
            state=self.state,
            person=self._person,
            mode=self._kept.mode,
            is_muted=self._kept.is_muted,
            lines=tuple(self._lines),
            stages=self._stages,
            troubles=self._troubles,
        )
        self._put(status_message(status), is_final=False)

    def _put(self, content: MessageContent, *, is_final: bool) -> None:
        self._cards.show(line_card(self._kept.id, self._kept.place, content, is_final=is_final))


def line_card(
    line_id: str, place: Place, content: MessageContent, *, is_final: bool = True
) -> Card:
    """Return the card of a line."""
    return Card(
        kind=LINE_CARD,
        subject=line_id,
        place=place,
        content=replace(content, is_silent=True),
        is_final=is_final,
    )
