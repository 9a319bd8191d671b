"""What the demo found out, as data."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from simulator.discord.model import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """Something that had to be so."""

    name: str
    ok: bool
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenWords:
    """Something that was said aloud."""

    author: str
    meant: str
    """What it was to be."""
    heard: str
    """What speech-to-text made of its recording."""
    at_seconds: float
    """Monotonic: when it began."""
    seconds: float
    """How long it took."""


@dataclass(slots=True)
class Report:
    """Everything that was checked, said and measured."""

    checks: list[Check] = field(default_factory=list[Check])
    timings_ms: dict[str, float] = field(default_factory=dict[str, float])
    messages: Sequence[Message] = ()
    spoken: list[SpokenWords] = field(default_factory=list[SpokenWords])
    """What the bot said aloud."""
    wavs: Mapping[str, str] = field(default_factory=dict[str, str])
    """The recordings, by who is heard in them."""

    @property
    def ok(self) -> bool:
        """Whether all was as it had to be."""
        return bool(self.checks) and all(check.ok for check in self.checks)

    def check(self, name: str, ok: object, detail: str) -> None:
        """Note whether something was as it had to be, and what was seen."""
        self.checks.append(Check(name=name, ok=bool(ok), detail=detail))

    def time(self, name: str, seconds: float) -> None:
        """Note how long something took."""
        self.timings_ms[name] = round(seconds * 1000, 1)

    def as_json(self) -> str:
        """Return the report for other programs; what was said aloud only if anything was."""
        report: dict[str, Any] = {
            "checks": [asdict(check) for check in self.checks],
            "messages": [_described(message) for message in self.messages],
            "timings_ms": self.timings_ms,
        }
        if self.spoken:
            report["spoken"] = [_heard(words) for words in self.spoken]
        if self.wavs:
            report["wavs"] = dict(self.wavs)
        return json.dumps(report, indent=2, ensure_ascii=False) + "\n"

    def with_all_of(self, other: "Report") -> "Report":
        """Return both in one."""
        return Report(
            checks=[*self.checks, *other.checks],
            timings_ms={**self.timings_ms, **other.timings_ms},
            messages=[*self.messages, *other.messages],
            spoken=[*self.spoken, *other.spoken],
            wavs={**self.wavs, **other.wavs},
        )

    def print_on(self, console: Console) -> None:
        """Show the checks as a table."""
        table = Table(title="What was checked", title_justify="left", show_lines=False)
        table.add_column("")
        table.add_column("check")
        table.add_column("seen", overflow="fold")
        for check in self.checks:
            mark = "[green]✓[/green]" if check.ok else "[bold red]✗[/bold red]"
            table.add_row(mark, escape(check.name), escape(check.detail))
        console.print()
        console.print(table)


def _described(message: Message) -> Mapping[str, Any]:
    return {
        "author": message.author.name,
        "text": message.text,
        "versions": len(message.versions),
        "posted_at_seconds": round(message.posted_at_seconds, 3),
        "ephemeral": message.is_ephemeral,
        "buttons": [button.label for button in message.buttons],
        "files": [file.name for file in message.files],
    }


def _heard(words: SpokenWords) -> Mapping[str, Any]:
    return {
        "author": words.author,
        "meant": words.meant,
        "heard": words.heard,
        "at_seconds": round(words.at_seconds, 3),
        "seconds": round(words.seconds, 3),
    }
