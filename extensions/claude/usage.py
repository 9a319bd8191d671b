"""How many tokens were used. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from extensions.claude.values import count


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens that were used."""

    input_tokens: int = 0
    """Read by the model, without those that came from its cache or went into it."""
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cache_read_tokens=self.cache_read_tokens + other.cache_read_tokens,
            cache_write_tokens=self.cache_write_tokens + other.cache_write_tokens,
        )

    @property
    def total_tokens(self) -> int:
        """All of them together."""
        return (
            self.input_tokens
            + self.output_tokens
            + self.cache_read_tokens
            + self.cache_write_tokens
        )


def read_usage(usage: Mapping[str, Any]) -> Usage:
    """Return the usage in the words of the Messages API; what it leaves out is zero.

    Raises:
        ValueError: If a count is no number.
    """
    return Usage(
        input_tokens=_count(usage.get("input_tokens")),
        output_tokens=_count(usage.get("output_tokens")),
        cache_read_tokens=_count(usage.get("cache_read_input_tokens")),
        cache_write_tokens=_count(usage.get("cache_creation_input_tokens")),
    )


def _count(value: Any) -> int:
    return 0 if value is None else count(value)
