"""What a method of the wire is. Pure."""

from dataclasses import dataclass
from enum import StrEnum

from papercup_plugin.conformance.kinds import Kind


class Dialect(StrEnum):
    """Which wire format a plugin speaks."""

    SEP = "sep"
    """Of an `extension.toml`, or of a `package.json` with the key `smooth`."""
    STDIO = "stdio"
    """Of a `plugin.toml`."""


class Side(StrEnum):
    """Who says something."""

    HOST = "host"
    PLUGIN = "plugin"


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """Something that one side asks or tells the other."""

    name: str
    by: Side
    params: Kind
    result: Kind | None = None
    """`None`: it is a notification."""
    capability: str | None = None
    """What the manifest has to declare for it."""

    @property
    def is_request(self) -> bool:
        """Whether it is answered."""
        return self.result is not None
