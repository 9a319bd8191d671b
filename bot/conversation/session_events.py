"""Tells the plugins what becomes of sessions."""

from bot.conversation.session import Session
from extensions.hooks import SPEAKER_AGENT, Observers, Occasion


class SessionEvents:
    """Tells of each session that it was opened, has another model, or was closed."""

    def __init__(self, observers: Observers) -> None:
        self._observers = observers
        self._open: dict[str, Session] = {}

    def session_changed(self, session: Session) -> None:
        """Take a session that was opened, changed or closed, as it is by now."""
        before = self._open.pop(session.id, None)
        if not session.is_open:
            if before is not None:
                self._tell("session_shutdown", session, reason="hangup")
            return
        self._open[session.id] = session
        if before is None:
            self._started(session, "new" if session.claude_session_id is None else "resume")
        elif before.knobs.model != session.knobs.model:
            self._tell(
                "model_select", session, model=session.knobs.model, previous=before.knobs.model
            )

    def plugins_started(self) -> None:
        """Tell plugins that have just been started of the sessions that are open."""
        for session in self._open.values():
            self._started(session, "startup")

    def _started(self, session: Session, reason: str) -> None:
        self._tell("session_start", session, reason=reason)

    def _tell(self, event: str, session: Session, **payload: str | None) -> None:
        if not self._observers.is_observed(event):
            return
        occasion = Occasion(
            session_id=session.id,
            person_id=session.opened_by,
            guild_id=session.place.guild_id,
            channel_id=session.place.channel_id,
        )
        about = {"agent_id": SPEAKER_AGENT, "session_id": session.id}
        self._observers.tell(event, {**payload, **about}, occasion)
