"""Keeps in the audit log what plugins were refused, without letting them fill it."""

from collections.abc import Callable

from extensions.plugins.services import AuditKind, AuditLog

_BETWEEN_SECONDS = 60.0


class RefusalNotes:
    """Keeps each refusal of a plugin once a minute: it may be asked for thousands of times."""

    def __init__(self, audit: AuditLog, clock: Callable[[], float]) -> None:
        """Make it.

        Args:
            audit: Where it is kept.
            clock: Gives the seconds since any fixed time.
        """
        self._audit = audit
        self._clock = clock
        self._noted_at: dict[tuple[str, str], float] = {}

    def note(self, plugin_id: str, what: str, text: str) -> None:
        """Keep that a plugin was refused something.

        Args:
            plugin_id: Which plugin.
            what: What sort of thing; one of few.
            text: What is kept.
        """
        now, noted_at = self._clock(), self._noted_at.get((plugin_id, what))
        if noted_at is None or now - noted_at >= _BETWEEN_SECONDS:
            self._noted_at[plugin_id, what] = now
            self._audit.note(AuditKind.REFUSED, plugin_id, text)
