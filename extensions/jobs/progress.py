"""How far a run has come, as data. Pure."""

from dataclasses import dataclass, replace

from extensions.claude.stream import AssistantMessage, Event, ToolCalled, TurnEnded


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What is known of a run while it goes on."""

    turns: int = 0
    """Answers that the model has given."""
    last_tool: str | None = None
    """The tool that it used last."""
    message: str | None = None
    """What it reported last, in its own words."""
    fraction: float | None = None
    """How much of the work it reckons is done, from 0 to 1."""

    def after(self, event: Event) -> "Progress":
        """Return the progress once `event` was seen in the run's stream."""
        match event:
            case ToolCalled(name=name):
                return replace(self, last_tool=name)
            case AssistantMessage():
                return replace(self, turns=self.turns + 1)
            case TurnEnded(turns=turns):
                return replace(self, turns=turns)
            case _:
                return self

    def reported(self, message: str, fraction: float | None) -> "Progress":
        """Return the progress once the run itself reported some."""
        return replace(self, message=message, fraction=fraction)
