"""What a child process may use at most. Pure."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessLimits:
    """The limits of a child and of all that it starts; `None` leaves a limit as it is inherited."""

    open_files: int | None = None
    """How many files and sockets it may hold open."""
    core_bytes: int | None = 0
    """The size of a core dump. None are written: they hold what was said, and tokens."""
    file_bytes: int | None = None
    """The size to which it may write one file."""
    data_bytes: int | None = None
    """How much memory each process may ask for to write in; what it only reserves is free."""
    address_bytes: int | None = None
    """How much memory each process may reserve. Node and Java reserve tens of gigabytes."""
    cpu_seconds: int | None = None
    """How much processor time each process may take in its whole life; then it is ended."""
    processes: int | None = None
    """How many processes the same user may have in all, others' too. It does not bind root."""

    def by_name(self) -> dict[str, int]:
        """Return the limits that are set, under the names of the system's limits."""
        limits = {
            "RLIMIT_NOFILE": self.open_files,
            "RLIMIT_CORE": self.core_bytes,
            "RLIMIT_FSIZE": self.file_bytes,
            "RLIMIT_DATA": self.data_bytes,
            "RLIMIT_AS": self.address_bytes,
            "RLIMIT_CPU": self.cpu_seconds,
            "RLIMIT_NPROC": self.processes,
        }
        return {name: value for name, value in limits.items() if value is not None}
