"""What a process with lines is told, and tells: one line of JSON each."""

import json
from dataclasses import asdict, dataclass

from pydantic import TypeAdapter


@dataclass(frozen=True, slots=True, kw_only=True)
class LineSpec:
    """One line, on a Discord of its own."""

    host: str
    port: int
    ca_path: str
    token: str
    guild_id: int
    channel_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """All lines of a process."""

    folder: str
    """Where it keeps its data."""
    lines: list[LineSpec]
    replies: list[str]
    """What is answered, in turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """All lines hear and speak."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """Something that somebody said is answered."""

    line: int
    person_id: int
    text: str
    began_at: float
    """Of `time.monotonic`, as all times here."""
    ended_at: float
    committed_at: float
    """When it was taken to be over."""
    at: float
    """When it was told."""
    reason: str
    """Why it was taken to be over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Overheard:
    """Somebody said something that is not answered."""

    line: int
    person_id: int
    text: str
    began_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """Something was answered."""

    line: int
    written: str
    heard: str
    is_whole: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Happened:
    """A line was told something of its connection, or of who is there."""

    line: int
    event: str
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LineLook:
    """How one line is doing."""

    state: str
    is_answering: bool
    rejoins: int
    link_counts: dict[str, int]
    hearing_counts: dict[str, int]
    troubles: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How the process is doing."""

    at: float
    rss_bytes: int
    tasks: int
    threads: int
    files: int
    """File descriptors."""
    cpu_seconds: float
    """So far."""
    lines: list[LineLook]


Told = Ready | Taken | Overheard | Answered | Happened | Look
Speech = Taken | Overheard

_KINDS = {
    kind.__name__: TypeAdapter[Told](kind)
    for kind in (Ready, Taken, Overheard, Answered, Happened, Look)
}
_SPEC: TypeAdapter[Spec] = TypeAdapter(Spec)


def spec_of(text: bytes) -> Spec:
    """Return what a process is to run."""
    return _SPEC.validate_json(text)


def text_of(told: Told) -> str:
    """Return what is told as a line of text."""
    return json.dumps({"kind": type(told).__name__} | asdict(told))


def told_in(line: bytes) -> Told:
    """Return what a line of text tells."""
    values = json.loads(line)
    return _KINDS[values.pop("kind")].validate_python(values)
