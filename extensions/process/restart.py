"""When a program that ended unasked is started again, and when it is given up. Pure.

Times are those of a clock that never jumps; chance comes in as an argument.
"""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class RestartOptions:
    """How patient one is with a program."""

    most_restarts: int = 5
    """Within the window; at the next end it is given up."""
    window_seconds: float = 300.0
    first_wait_seconds: float = 1.0
    """Before the first restart; each further one in a row waits twice as long."""
    longest_wait_seconds: float = 16.0
    jitter_share: float = 0.2
    """By which share a wait may be shorter or longer, so that programs do not start together."""
    healthy_seconds: float = 60.0
    """A program that was well for so long waits as if it had never ended before."""


@dataclass(frozen=True, slots=True)
class Restarts:
    """The ends of a program so far. Never changed in place."""

    ended_at: tuple[float, ...] = ()
    """When it ended, each end within the window before the last one."""
    in_a_row: int = 0
    """How many ends there were since it was last well."""

    def ended(
        self, options: RestartOptions, *, at: float, well_for_seconds: float = 0.0
    ) -> "Restarts":
        """Return these ends with one more.

        Args:
            options: How patient one is.
            at: When it ended.
            well_for_seconds: For how long it had been of use before.
        """
        recent = tuple(each for each in self.ended_at if at - each < options.window_seconds)
        before = 0 if well_for_seconds >= options.healthy_seconds else self.in_a_row
        # All of them are counted, however well it was between: else one that ends once a
        # minute would be started again for ever.
        return replace(self, ended_at=(*recent, at), in_a_row=before + 1)

    def is_given_up(self, options: RestartOptions) -> bool:
        """Say whether it has ended too often to be started again."""
        return len(self.ended_at) > options.most_restarts

    def wait_seconds(self, options: RestartOptions, *, chance: float) -> float:
        """Return how long to wait before it is started again.

        Args:
            options: How patient one is.
            chance: From 0 to 1: where the wait lies between the shortest and the longest.
        """
        doublings = min(max(self.in_a_row - 1, 0), 32)
        wait = min(options.first_wait_seconds * 2.0**doublings, options.longest_wait_seconds)
        return wait * (1.0 + options.jitter_share * (2.0 * chance - 1.0))
