"""What a file has to hash to. Pure."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """What a file has to hash to."""

    algorithm: str
    """`sha512` or `sha256`."""
    value: bytes
