"""The interface between a voice line and whoever answers on it. Pure."""

from typing import Protocol

from voice.events import LineState, Participant, Remark, SpokenTurn, StopCause


class LineListener(Protocol):
    """Whoever is told what people say on a line. Its methods return at once."""

    def participant(self, person_id: int) -> Participant:
        """Return somebody who is in the channel; asked afresh for each utterance."""
        ...

    def turn_taken(self, turn: SpokenTurn) -> None:
        """Answer what somebody said; with `is_merged`, in place of the turn before."""
        ...

    def overheard(self, remark: Remark) -> None:
        """Keep what somebody said, and not to the bot."""
        ...

    def speech_stopped(self, by: int, cause: StopCause) -> None:
        """Speak no more of the present answer; its work goes on."""
        ...

    def work_cancelled(self, by: int) -> None:
        """Stop what is being answered."""
        ...

    def state_changed(self, state: LineState, person_id: int | None) -> None:
        """Show what the line does, and who talks if it hears somebody."""
        ...
