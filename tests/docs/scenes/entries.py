"""What is written down of a scene, and the transcript that is made of it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap

from simulator.discord import TextChannel
from simulator.discord.markdown_html import Names
from simulator.discord.model import Message, MessageKind
from tests.docs.scenes.steady import readable

_INDENT = "    "
_WIDTH = 96
_MOST_LINES = 16
_LAST_LINES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Something that was done or seen."""

    channel: TextChannel
    head: str
    """Who did what, or whose message it is."""
    body: tuple[str, ...] = ()
    """What it says, line by line."""
    message: Message | None = None
    """The message that was seen, as it was then."""
    is_in_picture: bool = True

    @property
    def lines(self) -> list[str]:
        """The entry as lines of a transcript."""
        if not self.body:
            return [self.head]
        in_one_line = f"{self.head}: {self.body[0]}"
        if self.message is not None and len(self.body) == 1 and len(in_one_line) <= _WIDTH:
            return [in_one_line]
        lines = [part for line in self.body for part in _wrapped(line)]
        return [f"{self.head}:", *(f"{_INDENT}{line}".rstrip() for line in _abridged(lines))]


def transcript(entries: Iterable[Entry]) -> str:
    """Return what was done and seen as text."""
    lines: list[str] = []
    where: TextChannel | None = None
    for entry in entries:
        if where is None or entry.channel.id != where.id:
            where = entry.channel
            lines += ["", f"# {where.name}"]
        lines += ["", *entry.lines]
    return "\n".join(lines).strip("\n")


def message_entry(
    message: Message,
    channel: TextChannel,
    names: Names,
    shown: Mapping[int, Message],
    *,
    is_in_picture: bool = True,
) -> Entry:
    """Return what is written down of a message.

    Args:
        message: The message, as it is on every play.
        channel: Where it was seen.
        names: What mentions stand for.
        shown: What was written down before, by ids.
        is_in_picture: Whether the picture shows it.
    """
    return Entry(
        channel=channel,
        head=_head(message, shown),
        body=() if message.is_system else tuple(_body(message, names)),
        message=message,
        is_in_picture=is_in_picture,
    )


def _head(message: Message, shown: Mapping[int, Message]) -> str:
    name = message.author.name
    if message.kind is MessageKind.PINNED:
        return f"{name} pins a message"
    if message.kind is MessageKind.THREAD_CREATED:
        return f"{name} starts the thread {message.text}"
    if message.id in shown:
        return f"{name}, the same message now"
    if message.seen_only_by is not None:
        return f"{name}, to {message.seen_only_by.name} alone"
    if (question := shown.get(message.reply_to or 0)) is not None:
        return f"{name}, in reply to {question.author.name}"
    return name


def _body(message: Message, names: Names) -> Iterable[str]:
    if message.text:
        yield from readable(message.text, names).split("\n")
    yield from (f"📎 {file.name}" for file in message.files)
    for menu in message.menus:
        yield f"[{menu.placeholder or 'Choose'} ▾]"
    if message.buttons:
        yield " ".join(f"[{button.label}]" for button in message.buttons)


def _wrapped(line: str) -> list[str]:
    mark = "> " if line.startswith("> ") else ""
    return wrap(line, _WIDTH, subsequent_indent=mark, break_long_words=False) or [""]


def _abridged(lines: Sequence[str]) -> Iterable[str]:
    if len(lines) <= _MOST_LINES:
        return lines
    left_out = len(lines) - _MOST_LINES + 1
    first = lines[: _MOST_LINES - _LAST_LINES - 1]
    return [*first, f"(… {left_out} more lines …)", *lines[-_LAST_LINES:]]
