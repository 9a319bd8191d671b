"""How far a job has come, as data. Pure."""

from dataclasses import dataclass, field, replace

from extensions.claude.usage import Usage

MOST_TOOLS = 4
"""How many of the newest calls of tools are remembered."""


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool that was called."""

    name: str
    detail: str = ""
    """What the call was about, in a word or two; empty if nothing is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What is known of a job's newest run while it goes on."""

    turns: int = 0
    """Answers that the model has given."""
    last_tool: str | None = None
    """The tool that it used last."""
    message: str | None = None
    """What it reported last, in its own words."""
    fraction: float | None = None
    """How much of the work it reckons is done, from 0 to 1."""
    tools: tuple[ToolUse, ...] = ()
    """The tools that it used last, the newest at the end."""
    files_written: int = 0
    """How many files it has written or changed with Claude's own tools."""
    newest_file: str | None = None
    """The path of the one that it wrote last; relative to the job's folder if it is in there."""
    usage: Usage = field(default_factory=Usage)
    """The tokens that it has used, as far as is known: while a turn is under way, of what the
    model wrote there may be more."""
    cost_usd: float | None = None
    """What Claude reckons that it cost; known once a turn has ended."""

    def reported(self, message: str | None, fraction: float | None) -> "Progress":
        """Return the progress with what the job itself reported."""
        return replace(self, message=message, fraction=fraction)

    def called(self, tool: ToolUse) -> "Progress":
        """Return the progress once a tool was called."""
        return replace(self, last_tool=tool.name, tools=(*self.tools, tool)[-MOST_TOOLS:])

    def used(self, usage: Usage) -> "Progress":
        """Return the progress if at least so many tokens of each kind were used."""
        known = self.usage
        return replace(
            self,
            usage=Usage(
                input_tokens=max(known.input_tokens, usage.input_tokens),
                output_tokens=max(known.output_tokens, usage.output_tokens),
                cache_read_tokens=max(known.cache_read_tokens, usage.cache_read_tokens),
                cache_write_tokens=max(known.cache_write_tokens, usage.cache_write_tokens),
            ),
        )
