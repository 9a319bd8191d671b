"""The states of a plugin's program, and the steps between them. Pure."""

from dataclasses import dataclass, replace
from typing import TypeAlias

from extensions.errors import LocalProtocolError


@dataclass(frozen=True, slots=True)
class Spawning:
    """It is being started: for the first time, or because it was reloaded."""

    def __str__(self) -> str:
        return "spawning"


@dataclass(frozen=True, slots=True)
class Ready:
    """It has said what it offers, and answers."""

    def __str__(self) -> str:
        return "ready"


@dataclass(frozen=True, slots=True)
class Restarting:
    """It has ended unasked, and is started again."""

    attempt: int
    """1 for the first restart in a row."""

    def __str__(self) -> str:
        return "restarting"


@dataclass(frozen=True, slots=True)
class Failed:
    """It is down, and stays down until somebody reloads it."""

    reason: str

    def __str__(self) -> str:
        return "failed"


@dataclass(frozen=True, slots=True)
class Shutdown:
    """It was stopped on purpose, for good."""

    def __str__(self) -> str:
        return "shutdown"


PluginState: TypeAlias = Spawning | Ready | Restarting | Failed | Shutdown


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifecycle:
    """Where a plugin stands. Never changed in place: each step gives a new value."""

    state: PluginState = Spawning()
    epoch: int = 0
    """How many programs were started for it. What was given to an older one counts no more."""
    restarts: int = 0
    """How often it was started again unasked."""

    def spawned(self) -> "Lifecycle":
        """Return this plugin with one more program, whose handshake is to come.

        Raises:
            LocalProtocolError: If no program may be started.
        """
        if not isinstance(self.state, Spawning | Restarting):
            raise LocalProtocolError(f"a plugin is spawned while it is {self.state}")
        again = isinstance(self.state, Restarting)
        return replace(self, epoch=self.epoch + 1, restarts=self.restarts + again)

    def ready(self) -> "Lifecycle":
        """Return this plugin after its handshake.

        Raises:
            LocalProtocolError: If no handshake was under way.
        """
        if not isinstance(self.state, Spawning | Restarting) or self.epoch == 0:
            raise LocalProtocolError(f"a plugin becomes ready while it is {self.state}")
        return replace(self, state=Ready())

    def restarting(self, *, attempt: int) -> "Lifecycle":
        """Return this plugin after its program has ended unasked.

        Raises:
            LocalProtocolError: If it was never ready, or is down for good.
        """
        if not isinstance(self.state, Ready | Restarting):
            raise LocalProtocolError(f"a plugin is restarted while it is {self.state}")
        return replace(self, state=Restarting(attempt))

    def failed(self, reason: str) -> "Lifecycle":
        """Return this plugin, given up.

        Raises:
            LocalProtocolError: If it was stopped on purpose.
        """
        if isinstance(self.state, Shutdown):
            raise LocalProtocolError("a plugin fails after its shutdown")
        return replace(self, state=Failed(reason))

    def reloading(self) -> "Lifecycle":
        """Return this plugin, to be started anew.

        Raises:
            LocalProtocolError: If it was stopped on purpose.
        """
        if isinstance(self.state, Shutdown):
            raise LocalProtocolError("a plugin is reloaded after its shutdown")
        return replace(self, state=Spawning())

    def shut_down(self) -> "Lifecycle":
        """Return this plugin, stopped on purpose; nothing happens the second time."""
        return replace(self, state=Shutdown())
