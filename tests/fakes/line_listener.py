"""Whoever is told what people say on a line, and answers nothing."""

from dataclasses import dataclass, field

from voice.events import LineState, Participant, Remark, SpokenTurn, StopCause


@dataclass
class ToldListener:
    """Implements `LineListener`."""

    strangers: set[int] = field(default_factory=set)
    """The ids of those who may not talk to the bot."""
    turns: list[SpokenTurn] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    stops: list[tuple[int, StopCause]] = field(default_factory=list)
    cancels: list[int] = field(default_factory=list)
    states: list[tuple[LineState, int | None]] = field(default_factory=list)

    def participant(self, person_id: int) -> Participant:
        may_talk = person_id not in self.strangers
        return Participant(person_id=person_id, name=f"person {person_id}", may_talk=may_talk)

    def turn_taken(self, turn: SpokenTurn) -> None:
        self.turns.append(turn)

    def overheard(self, remark: Remark) -> None:
        self.remarks.append(remark)

    def speech_stopped(self, by: int, cause: StopCause) -> None:
        self.stops.append((by, cause))

    def work_cancelled(self, by: int) -> None:
        self.cancels.append(by)

    def state_changed(self, state: LineState, person_id: int | None) -> None:
        self.states.append((state, person_id))
