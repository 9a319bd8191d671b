"""How far a job has come, as data. Pure."""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What is known of a job while it goes on."""

    turns: int = 0
    """Answers that the model has given."""
    last_tool: str | None = None
    """The tool that it used last."""
    message: str | None = None
    """What it reported last, in its own words."""
    fraction: float | None = None
    """How much of the work it reckons is done, from 0 to 1."""

    def reported(self, message: str | None, fraction: float | None) -> "Progress":
        """Return the progress with what the job itself reported."""
        return replace(self, message=message, fraction=fraction)
