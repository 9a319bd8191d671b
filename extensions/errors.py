"""What can go wrong in `extensions`.

ExtensionsError
    ProtocolError
        LocalProtocolError    we asked for what the protocol forbids: our bug
        RemoteProtocolError   the peer broke the protocol: expected, handled
    DatabaseError             the database cannot be used
    JobNotFoundError          no job has that id or name
    JobSettledError           the job has ended already
    QueueFullError            too many jobs wait already
    JobsClosedError           no job is taken any more
    ClaudeNotFoundError       there is no `claude` program to run
    ClaudeStartError          `claude` did not become ready
    RunnerStartError          no runner could be started for a run
    JailProbeError            the probe could not be run in a jail
"""


class ExtensionsError(Exception):
    """Base of every error that this package raises on purpose."""


class ProtocolError(ExtensionsError):
    """One side broke the protocol. Never raised itself."""


class LocalProtocolError(ProtocolError):
    """This side asked for what the protocol forbids."""


class RemoteProtocolError(ProtocolError):
    """The peer sent what the protocol forbids."""


class DatabaseError(ExtensionsError):
    """The database cannot be used."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return f"cannot use the database {self.path}: {self.reason}"


class JobNotFoundError(ExtensionsError):
    """No job has that id or name."""

    def __init__(self, wanted: str) -> None:
        super().__init__(wanted)
        self.wanted = wanted

    def __str__(self) -> str:
        return f"no job is called {self.wanted!r}"


class JobSettledError(ExtensionsError):
    """The job has ended already, so it cannot be told anything."""

    def __init__(self, name: str, status: str) -> None:
        super().__init__(name, status)
        self.name = name
        self.status = status

    def __str__(self) -> str:
        return f"job {self.name!r} has already ended ({self.status})"


class QueueFullError(ExtensionsError):
    """Too many jobs wait already."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.limit = limit

    def __str__(self) -> str:
        return f"{self.limit} jobs are waiting already; let some end first"


class JobsClosedError(ExtensionsError):
    """No job is taken any more, because the program is about to end."""

    def __str__(self) -> str:
        return "Papercup is shutting down and takes no more jobs"


class ClaudeNotFoundError(ExtensionsError):
    """There is no `claude` program to run."""

    def __init__(self, looked_at: str) -> None:
        super().__init__(looked_at)
        self.looked_at = looked_at

    def __str__(self) -> str:
        return f"no usable claude program ({self.looked_at})"


class ClaudeStartError(ExtensionsError):
    """`claude` was started but did not become ready."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"claude did not become ready: {self.reason}"


class RunnerStartError(ExtensionsError):
    """No runner could be started for a run."""

    def __init__(self, folder: str, reason: str) -> None:
        super().__init__(folder, reason)
        self.folder = folder
        self.reason = reason

    def __str__(self) -> str:
        return f"no runner could be started in {self.folder}: {self.reason}"


class JailProbeError(ExtensionsError):
    """The probe could not be run in a jail."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"the probe does not run in the jail: {self.reason}"
