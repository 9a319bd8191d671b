"""Discord's markdown as HTML. Pure; whatever a message says is escaped."""

import datetime as dt
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html import escape
from itertools import groupby

_FENCE = re.compile(r"```(?:[ \t]*([\w+#.-]+)[ \t]*\n)?\n?(.*?)\n?```", re.DOTALL)
_QUOTE_TO_THE_END = re.compile(r"^>>> ", re.MULTILINE)
_INLINE = re.compile(
    r"""
      \\(?P<escaped>[!-/:-@\[-`{-~])
    | (?P<ticks>`+)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)
    | \[(?P<label>(?:\\.|[^\]\\])+)\]\(<?(?P<href>https?://[^\s<>)]+)>?\)
    | <(?P<angled>https?://[^\s<>]+)>
    | (?P<bare>https?://[^\s<>]*[^\s<>.,:;!?'")\]])
    | <@!?(?P<user>\d+)>
    | <@&(?P<role>\d+)>
    | <\#(?P<channel>\d+)>
    | </(?P<command>[^:<>]+):\d+>
    | <t:(?P<time>\d+)(?::(?P<style>[tTdDfFR]))?>
    | \*\*(?P<bold>.+?)\*\*(?!\*)
    | __(?P<underlined>.+?)__(?!_)
    | ~~(?P<struck>.+?)~~
    | \|\|(?P<spoiler>.+?)\|\|
    | \*(?!\s)(?P<italic>[^*]+?)(?<!\s)\*
    | (?<!\w)_(?P<slanted>[^_]+?)_(?!\w)
    """,
    re.VERBOSE | re.DOTALL,
)
_TAGS = {
    "bold": ("<strong>", "</strong>"),
    "underlined": ("<u>", "</u>"),
    "struck": ("<s>", "</s>"),
    "italic": ("<em>", "</em>"),
    "slanted": ("<em>", "</em>"),
    "spoiler": ('<span class="spoiler">', "</span>"),
}
_HEADING = re.compile(r"^(#{1,3}) +(.+)$")
_ITEM = re.compile(r"^( *)(?:[-*]|\d+\.) +(.+)$")
_UNITS = (
    ("year", 31_536_000),
    ("month", 2_592_000),
    ("day", 86_400),
    ("hour", 3600),
    ("minute", 60),
)
_STYLES = {
    "t": "%H:%M",
    "T": "%H:%M:%S",
    "d": "%d/%m/%Y",
    "D": "%d %B %Y",
    "f": "%d %B %Y %H:%M",
    "F": "%A, %d %B %Y %H:%M",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """What mentions stand for, and the time that it is."""

    users: Mapping[int, str] = field(default_factory=dict[int, str])
    roles: Mapping[int, str] = field(default_factory=dict[int, str])
    channels: Mapping[int, str] = field(default_factory=dict[int, str])
    now_unix_seconds: float = 0.0
    """By which relative times are told."""


def markdown_html(text: str, names: Names) -> str:
    """Return a message's text as HTML."""
    quote = _quote_to_the_end(text)
    if quote is None:
        return _with_fences(text, names)
    before, quoted = text[: quote.start()].removesuffix("\n"), text[quote.end() :]
    quoted_html = f"<blockquote>{_with_fences(quoted, names)}</blockquote>"
    return _with_fences(before, names) + quoted_html


def inline_html(text: str, names: Names) -> str:
    """Return text within a line as HTML."""
    parts: list[str] = []
    end = 0
    for found in _INLINE.finditer(text):
        parts += [escape(text[end : found.start()]), _inline(found, names)]
        end = found.end()
    return "".join([*parts, escape(text[end:])])


def relative_time(unix_seconds: float, now_unix_seconds: float) -> str:
    """Return how long ago that was, or how long it is till then, as Discord words it."""
    seconds = unix_seconds - now_unix_seconds
    unit, count = "second", round(abs(seconds))
    for name, length in _UNITS:
        if abs(seconds) >= length:
            unit, count = name, round(abs(seconds) / length)
            break
    told = f"{count} {unit}{'' if count == 1 else 's'}"
    return f"in {told}" if seconds > 0 else f"{told} ago"


def _quote_to_the_end(text: str) -> re.Match[str] | None:
    """Return the mark from which on all is quoted, fenced blocks too."""
    fences = [found.span() for found in _FENCE.finditer(text)]
    for mark in _QUOTE_TO_THE_END.finditer(text):
        if not any(start < mark.start() < end for start, end in fences):
            return mark
    return None


def _with_fences(text: str, names: Names) -> str:
    parts: list[str] = []
    end = 0
    for found in _FENCE.finditer(text):
        parts.append(_blocks(text[end : found.start()].removesuffix("\n"), names))
        parts.append(f"<pre><code>{escape(found[2])}</code></pre>")
        end = found.end()
    parts.append(_blocks(text[end:].removeprefix("\n") if end else text, names))
    return "".join(parts)


def _blocks(text: str, names: Names) -> str:
    if not text:
        return ""
    parts: list[str] = []
    for kind, lines in groupby(text.split("\n"), key=_kind):
        parts.append(_block(kind, list(lines), names))
    return "".join(parts)


def _kind(line: str) -> str:
    if line.startswith("> ") or line == ">":
        return "quote"
    if line.startswith("-# "):
        return "aside"
    if _HEADING.match(line):
        return "heading"
    return "item" if _ITEM.match(line) else "line"


def _block(kind: str, lines: list[str], names: Names) -> str:
    match kind:
        case "quote":
            return f"<blockquote>{_blocks(_join(line[2:] for line in lines), names)}</blockquote>"
        case "aside":
            return "".join(f"<small>{inline_html(line[3:], names)}</small>" for line in lines)
        case "heading":
            return "".join(_heading(line, names) for line in lines)
        case "item":
            return "".join(_item(line, names) for line in lines)
        case _:
            return f"<p>{inline_html(_join(lines), names)}</p>".replace("\n", "<br>")


def _join(lines: Iterable[str]) -> str:
    return "\n".join(lines)


def _heading(line: str, names: Names) -> str:
    found = _HEADING.match(line)
    assert found is not None, "it is one"
    level = len(found[1])
    return f"<h{level}>{inline_html(found[2], names)}</h{level}>"


def _item(line: str, names: Names) -> str:
    found = _ITEM.match(line)
    assert found is not None, "it is one"
    mark = line.split(maxsplit=1)[0]
    shown = mark if mark[0].isdigit() else "•"
    depth = len(found[1]) // 2
    text = inline_html(found[2], names)
    return f'<div class="item" style="--depth:{depth}"><span>{shown}</span><div>{text}</div></div>'


def _inline(found: re.Match[str], names: Names) -> str:
    kind = found.lastgroup or ""
    value = found[kind]
    if kind in _TAGS:
        opening, closing = _TAGS[kind]
        return f"{opening}{inline_html(value, names)}{closing}"
    match kind:
        case "escaped":
            return escape(value)
        case "code":
            return f"<code>{escape(value.strip() or value)}</code>"
        case "href":
            return _link(value, inline_html(found["label"], names))
        case "angled" | "bare":
            return _link(value, escape(value))
        case _:
            return f'<span class="mention">{escape(_mention(kind, found, names))}</span>'


def _link(address: str, shown: str) -> str:
    return f'<a href="{escape(address)}">{shown}</a>'


def _mention(kind: str, found: re.Match[str], names: Names) -> str:
    match kind:
        case "user":
            return f"@{names.users.get(int(found[kind]), 'unknown-user')}"
        case "role":
            return f"@{names.roles.get(int(found[kind]), 'unknown-role')}"
        case "channel":
            return f"#{names.channels.get(int(found[kind]), 'unknown')}"
        case "command":
            return f"/{found[kind]}"
        case _:
            return _time(int(found["time"]), found["style"] or "f", names)


def _time(unix_seconds: int, style: str, names: Names) -> str:
    if style == "R":
        return relative_time(unix_seconds, names.now_unix_seconds)
    return dt.datetime.fromtimestamp(unix_seconds, dt.UTC).strftime(_STYLES[style])
