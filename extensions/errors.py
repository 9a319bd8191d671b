"""What can go wrong in `extensions`.

ExtensionsError
    ProtocolError
        LocalProtocolError    we asked for what the protocol forbids: our bug
        RemoteProtocolError   the peer broke the protocol: expected, handled
    DatabaseError             the database cannot be used
        DatabaseDamagedError  what stands in it is not what was written
    DiskFullError             there is no room for what has to be stored
    JobNotFoundError          no job has that id or name
    JobSettledError           the job has ended already
    JobNotInterruptedError    the job cannot go on, as nothing interrupted it
    JobFilesGoneError         the job cannot go on, as its files are gone
    QueueFullError            too many jobs wait already
    SpawnRateError            somebody has started too many jobs within a minute
    JobsClosedError           no job is taken any more
    ClaudeNotFoundError       there is no `claude` program to run
    ClaudeStartError          `claude` did not become ready
    PruneError                the files of old jobs cannot be removed
    RunnerStartError          no runner could be started for a run
    JailProbeError            the probe could not be run in a jail
    PluginError               a plugin cannot do what is asked of it
        PluginNotFoundError   no plugin has that id
        PluginCallError       a call of a plugin came to nothing
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


class DatabaseDamagedError(DatabaseError):
    """What stands in the database is not what was written to it."""


class DiskFullError(ExtensionsError):
    """There is no room on the disk for what has to be stored; nothing has changed."""

    def __str__(self) -> str:
        return "the disk is full, so nothing can be stored: its operator has to make room"


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


class JobNotInterruptedError(ExtensionsError):
    """The job cannot go on, as nothing interrupted it, or as it goes on already."""

    def __init__(self, name: str, status: str) -> None:
        super().__init__(name, status)
        self.name = name
        self.status = status

    def __str__(self) -> str:
        return f"job {self.name!r} was not interrupted ({self.status})"


class JobFilesGoneError(ExtensionsError):
    """The job cannot go on, as its files have been removed."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name

    def __str__(self) -> str:
        return f"the files of job {self.name!r} have been removed since"


class QueueFullError(ExtensionsError):
    """Too many jobs wait already."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.limit = limit

    def __str__(self) -> str:
        return f"{self.limit} jobs are waiting already; let some end first"


class SpawnRateError(ExtensionsError):
    """Somebody has started as many jobs as they may within a minute."""

    def __init__(self, limit: int, wait_seconds: int) -> None:
        super().__init__(limit, wait_seconds)
        self.limit = limit
        self.wait_seconds = wait_seconds
        """After which one more may be started."""

    def __str__(self) -> str:
        jobs = "one job" if self.limit == 1 else f"{self.limit} jobs"
        seconds = "1 second" if self.wait_seconds == 1 else f"{self.wait_seconds} seconds"
        return (
            f"this person has started {jobs} within a minute, and may start no more at present:"
            f" tell them, and try again in {seconds} if they still want it"
        )


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


class PruneError(ExtensionsError):
    """The files of old jobs cannot be removed."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"the files of old jobs cannot be removed: {self.reason}"


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


class PluginError(ExtensionsError):
    """A plugin cannot do what is asked of it."""

    def __init__(self, plugin_id: str, reason: str) -> None:
        super().__init__(plugin_id, reason)
        self.plugin_id = plugin_id
        self.reason = reason
        """A sentence's end, without a full stop."""

    def __str__(self) -> str:
        return f"plugin {self.plugin_id}: {self.reason}"


class PluginNotFoundError(PluginError):
    """No plugin of that id is there."""


class PluginCallError(PluginError):
    """A call of a plugin came to nothing: it failed, took too long, or the plugin is down."""
