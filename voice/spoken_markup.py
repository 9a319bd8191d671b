"""Takes out of a text what is there for the eye. Pure."""

import re
import unicodedata
from collections.abc import Callable

from voice.spoken_language import Phrases

_FENCE = re.compile(r"(`{3,})[^`]*?(?:\1`*|\Z)|^(~{3,})[\s\S]*?(?:^\2~*|\Z)", re.MULTILINE)
_TABLE = re.compile(r"(?:^[ \t]*\|.*(?:\n|\Z))+", re.MULTILINE)
_CODE = re.compile(r"(?<!`)(`{1,2})(?!`)([^\n]+?)(?<!`)\1(?!`)")
_IMAGE = re.compile(r"!\[([^\]\n]*)\]\([^)\n]*\)")
_LINK = re.compile(r"\[([^\]\n]+)\]\(<?([^)\s>]*)>?[^)\n]*\)")
_ADDRESS = re.compile(r"<?\b(?:https?|ftp|wss?|file|mailto):[^\s<>]+>?|\bwww\.[^\s<>]+")
_ADDRESS_END = re.compile(r"[.,;:!?'\"”)\]]+$")
_PERSON = re.compile(r"<@[!&]?\d+>")
_CHANNEL = re.compile(r"<#\d+>")
_GONE = re.compile(
    r"<a?:\w+:\d+>"  # an emoji of a server
    r"|<t:-?\d+(?::\w)?>"  # a time
    r"|</?[a-zA-Z][^<>\n]*>"  # HTML
    r"|(?<![\w:]):[a-z][a-z0-9_+-]*:(?![\w:])"  # an emoji by its name
    r"|\[\^[\w-]+\]"  # a footnote
)
_RULE = re.compile(r"[ \t]*(?:[-*_=][ \t]*){3,}")
_HEADING = re.compile(r"[ \t]*#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*")
_SMALL = re.compile(r"[ \t]*-#[ \t]+(.*)")
_QUOTE = re.compile(r"^[ \t]*(?:>{1,3}[ \t]?)+")
_ITEM = re.compile(r"[ \t]*(?:[-*+\u2022]|(\d{1,3})[.)])[ \t]+(?:\[([ xX])\][ \t]+)?(.*)")
_EMPHASIS = re.compile(r"\*+|~~|\|\||(?<!\w)_+(?=\S)|(?<=\S)_+(?!\w)")
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+.!|>~-])")
_UNSAID = frozenset({"So", "Cs", "Co", "Cn"})
_JOINERS = frozenset("\ufe0f\ufe0e\u200d\u20e3\u200b\u2060\ufeff")
_SKIN = range(0x1F3FB, 0x1F400)
_TAGS = range(0xE0020, 0xE0080)
_ENDED = re.compile(r"[.!?:;,\u2026\u3002\uff01\uff1f][\"')\]\u201d\u2019\u300d]*$")
_LETTER = re.compile(r"[^\W_]")


def without_markup(written: str, phrases: Phrases, say_code: Callable[[str], str]) -> str:
    """Return a text as plain sentences.

    Args:
        written: Markdown, as Discord shows it.
        phrases: What is said in place of blocks of code, links and the like.
        say_code: How code within a line is said.
    """
    text = _FENCE.sub(f"\n{phrases.code}\n", written.replace("\r\n", "\n"))
    text = _TABLE.sub(f"\n{phrases.table}\n", text)
    lines = [_line(line, phrases, say_code) for line in text.split("\n")]
    said = [line for line in lines if _LETTER.search(line)]
    return (
        " ".join(_ended(line) for line in said[:-1])
        + (" " if said[1:] else "")
        + "".join(said[-1:])
    )


def without_emoji(text: str) -> str:
    """Return a text without pictures."""
    return "".join(
        mark
        for mark in text
        if mark == "\u00b0"
        or not (
            unicodedata.category(mark) in _UNSAID
            or mark in _JOINERS
            or ord(mark) in _SKIN
            or ord(mark) in _TAGS
        )
    )


def _line(line: str, phrases: Phrases, say_code: Callable[[str], str]) -> str:
    line = _QUOTE.sub("", line)
    if _RULE.fullmatch(line):
        return ""
    if heading := _HEADING.fullmatch(line) or _SMALL.fullmatch(line):
        return _ended(_inline(heading[1], phrases, say_code))
    if item := _ITEM.fullmatch(line):
        text = _inline(item[3], phrases, say_code)
        return _ended(f"{item[1]}. {text}" if item[1] else text)
    return _inline(line, phrases, say_code)


def _inline(text: str, phrases: Phrases, say_code: Callable[[str], str]) -> str:
    kept = list[str]()

    def keep(code: re.Match[str]) -> str:
        kept.append(say_code(code[2]))
        return f"\ue000{len(kept) - 1}\ue001"

    text = _CODE.sub(keep, text)
    text = _IMAGE.sub(lambda image: image[1] or phrases.image, text)
    text = _LINK.sub(lambda link: _label(link[1], phrases), text)
    text = _ADDRESS.sub(lambda address: _address(address[0], phrases), text)
    text = _CHANNEL.sub(phrases.channel, _PERSON.sub(phrases.person, text))
    text = _ESCAPED.sub(r"\1", _EMPHASIS.sub("", _GONE.sub(" ", text)))
    text = re.sub(r"\ue000(\d+)\ue001", lambda code: kept[int(code[1])], text)
    return re.sub(r"\s+", " ", without_emoji(text.replace("`", ""))).strip()


def _label(label: str, phrases: Phrases) -> str:
    return phrases.link if _ADDRESS.fullmatch(label.strip()) else label


def _address(address: str, phrases: Phrases) -> str:
    end = "" if address.startswith("<") else (_ADDRESS_END.search(address) or [""])[0]
    return f"{phrases.link}{end}"


def _ended(line: str) -> str:
    return line if not line or _ENDED.search(line) else f"{line}."
