"""Turns what Discord does not draw into what it does, outside fenced blocks and code. Pure."""

import re
from html import unescape

from bot.text.fences import outside_fences
from bot.text.honest_links import is_of_the_web, linked
from bot.text.links import IMAGE, MASKED_LINK
from bot.text.tables import with_readable_tables

RULE = "─" * 16
"""What parts two sections."""

_CODE = r"(?<![`\\])(?P<ticks>`{1,2})(?!`)(?:(?!\n[ \t]*\n)[^`])+(?P=ticks)(?!`)"
_CODE_MARK = "`"
_TAGS = {
    "b": "**",
    "strong": "**",
    "i": "*",
    "em": "*",
    "u": "__",
    "ins": "__",
    "s": "~~",
    "del": "~~",
    "strike": "~~",
    "code": _CODE_MARK,
    "kbd": _CODE_MARK,
    "tt": _CODE_MARK,
    "summary": "**",
}
_MOST_BETWEEN_TAGS = 2000
_FORMATTED = (
    rf"(?<!\\)<(?P<tag>{'|'.join(_TAGS)})>[ \t]*(?P<inner>(?:(?!\n[ \t]*\n|<(?P=tag)>).)"
    rf"{{1,{_MOST_BETWEEN_TAGS}}}?)[ \t]*</(?P=tag)>"
)
_IMAGE_TAG = r"(?<!\\)<img\s(?P<image>[^<>]{1,1000})>"
_ATTRIBUTE = re.compile(r"\b(src|alt)=([\"'])(.*?)\2", re.IGNORECASE)
_ANCHOR = (
    r"(?<!\\)<a\s[^<>]{0,500}?href=[\"'](?P<href>[^\"'<>\s]+)[\"'][^<>]{0,500}>"
    r"(?P<label>[^<>\n\[\]]{1,500})</a>"
)
_INLINE = re.compile(
    rf"{_CODE}|{IMAGE}|{MASKED_LINK}|{_FORMATTED}|{_ANCHOR}|{_IMAGE_TAG}"
    r"|(?P<break>(?<![ \t])[ \t]*+(?<!\\)<br[ \t]*/?>[ \t]*+\n?)"
    r"|(?P<comment><!--(?:(?!-->|```).){0,500}-->)"
    r"|(?P<entity>&(?:nbsp|lt(?!;[@#:/])|gt|amp|quot|apos|mdash|ndash|hellip|#39|#x27);)",
    re.DOTALL | re.IGNORECASE,
)

_RULE_LINE = re.compile(
    r"^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$", re.MULTILINE
)
_HTML_RULE = re.compile(r"^[ \t]*<hr[ \t]*/?>[ \t]*$", re.MULTILINE | re.IGNORECASE)
_TAG_LINE = re.compile(
    r"<details[^<>\n]*>\s*(?=<summary)"
    r"|^[ \t]*(?:</?(?:p|div|center|details|section|span|ul|ol)(?:\s[^<>\n]*)?>[ \t]*)+\n?",
    re.MULTILINE | re.IGNORECASE,
)
_DEEP_HEADING = re.compile(r"^#{4,6}[ \t]+(?P<words>.{1,500}?)[ \t]*#*$", re.MULTILINE)
_TASK = re.compile(
    r"^(?P<item>[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)\[(?P<mark>[ xX])\](?=[ \t])", re.MULTILINE
)


def readable(text: str) -> str:
    """Return `text` as it reads best on Discord.

    Tables, pictures, rules, deep headings, boxes of tasks and simple HTML become what Discord
    draws. A link whose words are an address leads there, or shows where it leads.
    """
    pieces = outside_fences(with_readable_tables(text))
    return "".join(_in_prose(piece) if is_outside else piece for piece, is_outside in pieces)


def _in_prose(text: str) -> str:
    """Turn a text without fenced blocks."""
    lines = _RULE_LINE.sub(RULE, _HTML_RULE.sub(RULE, text))
    lines = _DEEP_HEADING.sub(_bold_heading, _TAG_LINE.sub("", lines))
    lines = _TASK.sub(lambda task: task["item"] + ("☐" if task["mark"] == " " else "☑"), lines)
    return _INLINE.sub(_inline, lines)


def _bold_heading(heading: re.Match[str]) -> str:
    return f"**{heading['words'].replace('**', '')}**"


def _inline(found: re.Match[str]) -> str:
    """Return what stands for what was found; code stays as it is."""
    if found["break"] is not None:
        return "\n"
    if found["comment"] is not None:
        return ""
    if found["entity"] is not None:
        return _meant(found[0])
    if found["tag"] is not None:
        return _formatted(_TAGS[found["tag"].casefold()], found["inner"])
    return _link(found)


def _formatted(mark: str, inner: str) -> str:
    words = _meant(inner).replace("`", "'") if mark == _CODE_MARK else _INLINE.sub(_inline, inner)
    return f"{mark}{words}{mark}"


def _meant(entities: str) -> str:
    return unescape(entities).replace("\xa0", " ")


def _link(found: re.Match[str]) -> str:
    if (source := found["source"]) is not None:
        return _picture(found["alt"], source)
    if (image := found["image"]) is not None:
        attributes = {name.casefold(): value for name, _, value in _ATTRIBUTE.findall(image)}
        return _picture(attributes.get("alt", ""), attributes.get("src", ""))
    if (address := found["address"]) is not None and is_of_the_web(address):
        return linked(found["words"], address, as_written=found[0])
    if (href := found["href"]) is not None:
        return linked(found["label"], href) if is_of_the_web(href) else found["label"]
    return found[0]


def _picture(alt: str, source: str) -> str:
    if is_of_the_web(source):
        return linked(alt, source)
    return f"{alt} (`{source}`)".lstrip() if source and "`" not in source else alt
