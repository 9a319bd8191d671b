"""Turns written text into text that can be said. Pure."""

import re

from voice.spoken_language import language_of, phrases_of
from voice.spoken_markup import without_markup
from voice.spoken_names import (
    FILE_ENDINGS,
    SITE_ENDINGS,
    file_words,
    path_words,
    version_words,
    words_in_name,
)
from voice.spoken_numbers import cardinal, number_words
from voice.spoken_quantities import quantities

_SPEAKABLE = re.compile(r"[^\W_]")


def spoken_text(written: str, language: str | None = None) -> str:
    """Return how a piece of written text is to be said; empty if nothing is to be said.

    Args:
        written: Markdown as people read it in Discord: a sentence or more.
        language: Two letters, as `en`; unset: guessed from the text. Numbers, units and names
            are put into words in English alone; the voices of other languages read digits.
    """
    language = language or language_of(written)
    phrases = phrases_of(language)
    is_english = language == "en"
    text = without_markup(written, phrases, _code_words if is_english else _plain_code)
    if is_english:
        text = _in_english(text)
    text = _tidy(text)
    return text if _SPEAKABLE.search(text) else ""


def _plain_code(code: str) -> str:
    return code.replace("_", " ").strip("() ")


# --- Code within a line. --------------------------------------------------------------------------

_LONGEST_CODE = 80
_OPERATORS = (
    ("===", "equals"),
    ("==", "equals"),
    ("!=", "is not"),
    ("<=", "at most"),
    (">=", "at least"),
    ("->", "to"),
    ("=>", "to"),
    ("&&", "and"),
    ("||", "or"),
    ("::", " "),
    ("=", "equals"),
    ("|", "pipe"),
    ("+", "plus"),
    ("$", " "),
    ("*", " star "),
)
_FLAG = re.compile(r"(?<!\S)(--?)([a-zA-Z][\w-]*)")
_CALL = re.compile(r"\(\s*\)")
_BRACKETS = re.compile(r"[\[\]{}()<>\"';,\\`]")
_CODE_NAME = re.compile(r"(?<![\w./~-])[a-zA-Z_][\w]*(?:\.[a-zA-Z_]\w*)*(?![\w/-])")


def _code_words(code: str) -> str:
    """Return how code within a line is said; paths and numbers in it are put into words later."""
    if len(code) > _LONGEST_CODE:
        return "some code"
    text = _FLAG.sub(lambda flag: f"{'dash ' * len(flag[1])}{words_in_name(flag[2])}", code)
    text = _BRACKETS.sub(" ", _CALL.sub("", text))
    for sign, word in _OPERATORS:
        text = text.replace(sign, f" {word} ")
    text = _CODE_NAME.sub(lambda name: _name_words(name[0]), text)
    return re.sub(r"\s+", " ", text).strip()


def _name_words(name: str) -> str:
    parts = name.split(".")
    if len(parts) > 1 and parts[-1].lower() in FILE_ENDINGS:
        return name
    return " dot ".join(words_in_name(part) for part in parts)


# --- Names and signs in the text. -----------------------------------------------------------------

_ENDING = "|".join(sorted(FILE_ENDINGS, key=len, reverse=True))
_SITE = "|".join(SITE_ENDINGS)
_MAIL = re.compile(r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b")
_PORT = re.compile(r"\b(localhost|(?:\d{1,3}\.){3}\d{1,3}):(\d{2,5})\b")
_ADDRESS = re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b")
_PATH = re.compile(
    rf"(?<![\w@])(?:(?:~|\.{{1,2}})?/(?:[\w.@-]+/)*[\w.@-]*[\w@-]/?"
    rf"|[\w.@-]+(?:/[\w.@-]+)+\.(?:{_ENDING})\b"
    rf"|[\w.-]*[a-zA-Z][\w.-]*(?:/[\w.-]+){{2,}}\b/?"
    rf"|\.?[\w-]+(?:\.[\w-]+)*\.(?:{_ENDING})\b"
    rf"|(?<!\w)\.[a-z][\w-]{{2,}}\b)(?P<line>:\d+\b)?(?![\w/])"
)
_SITE_NAME = re.compile(rf"\b[a-zA-Z][\w-]*(?:\.[a-zA-Z][\w-]*)*\.(?:{_SITE})\b(?![\w/])")
_VERSION = re.compile(
    r"\b(?P<said>[Vv]ersion )?(?P<v>v)?(?P<core>\d+(?:\.\d+){2,}(?:-[a-z]+\.?\d*)?)\b(?!\.\d)"
    r"|\b(?P<said2>[Vv]ersion )?v(?P<core2>\d+(?:\.\d+)?(?:-[a-z]+\.?\d*)?)\b(?!\.\d)"
    r"|\b[Vv]ersion (?P<core3>\d+\.\d+)\b(?!\.\d)"
    r"|\b(?P<product>Python|Node|Node\.js|Ubuntu|Debian|Java|PHP|Ruby|Go|Rust|Django|Postgres|PostgreSQL)"
    r" (?P<core4>\d+\.\d+)\b(?!\.\d)"
)
_HASH = re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b")
_HASH_SAID = 4
_NAME = re.compile(r"\b[A-Za-z]\w*_\w*[A-Za-z0-9]\b")
_ABBREVIATIONS = {
    "e.g.": "for example",
    "i.e.": "that is",
    "etc.": "and so on",
    "vs.": "versus",
    "approx.": "about",
    "w/o": "without",
}
_ABBREVIATION = re.compile(
    r"(?<!\w)(?:" + "|".join(re.escape(short) for short in _ABBREVIATIONS) + r")(?!\w)",
    re.IGNORECASE,
)
_SIGNS = (
    (re.compile(r"\s*(?:\u2192|->|=>|\u21d2)\s*"), " to "),
    (re.compile(r"(?<!\w)[~\u2248](?=\d)"), "about "),
    (re.compile(r"\u00b1\s?"), "plus or minus "),
    (re.compile(r"(?:\u2265|>=)\s?"), "at least "),
    (re.compile(r"(?:\u2264|<=)\s?"), "at most "),
    (re.compile(r"(?<!\S)>\s?(?=\d)"), "more than "),
    (re.compile(r"(?<!\S)<\s?(?=\d)"), "less than "),
    (re.compile(r"\s*\u00d7\s*(?=\d)"), " times "),
    (re.compile(r"\s+==?\s+"), " equals "),
    (re.compile(r"\s+\+\s+"), " plus "),
    (re.compile(r"(?<=\d)\+(?!\w)"), " or more"),
    (re.compile(r"\s*&\s*"), " and "),
    (re.compile(r"(?<=[A-Za-z])/(?=[A-Za-z])"), " "),
    (re.compile(r"(?<=\w)@(?=\w)"), " at "),
)


def _in_english(text: str) -> str:
    text = _ABBREVIATION.sub(_abbreviated, text)
    text = _MAIL.sub(lambda mail: _mail_words(mail[0]), text)
    text = _PORT.sub(lambda port: f"{port[1]}, port {number_words(port[2])}", text)
    text = _ADDRESS.sub(lambda address: _ip_words(address[0]), text)
    text = _VERSION.sub(_version, text)
    text = _PATH.sub(_path, text)
    text = _SITE_NAME.sub(lambda site: site[0].replace(".", " dot "), text)
    text = _HASH.sub(lambda code: " ".join(code[0][:_HASH_SAID].upper()), text)
    text = _NAME.sub(lambda name: words_in_name(name[0]), text)
    for sign, word in _SIGNS[:-2]:
        text = sign.sub(word, text)
    text = quantities(text)
    for sign, word in _SIGNS[-2:]:
        text = sign.sub(word, text)
    return text


def _abbreviated(found: re.Match[str]) -> str:
    said = _ABBREVIATIONS[found[0].lower()]
    is_last = not found.string[found.end() :].strip()
    return f"{said}." if is_last and found[0].endswith(".") else said


def _mail_words(address: str) -> str:
    return re.sub(r"[-_+]", " ", address).replace("@", " at ").replace(".", " dot ")


def _ip_words(address: str) -> str:
    return " dot ".join(cardinal(int(part)) for part in address.split("."))


def _version(found: re.Match[str]) -> str:
    parts = found.groupdict()
    core = parts["core"] or parts["core2"] or parts["core3"] or parts["core4"]
    words = version_words(core)
    if parts["product"]:
        return f"{parts['product']} {words}"
    is_named = parts["core"] is None or parts["v"] or parts["said"]
    return f"version {words}" if is_named else words


def _path(found: re.Match[str]) -> str:
    path, line = found[0], found["line"]
    if line:
        return f"{path_words(path[: -len(line)])}, line {cardinal(int(line[1:]))}"
    return path_words(path) if "/" in path else file_words(path)


# --- The rest. ------------------------------------------------------------------------------------

_PARENTHESES = re.compile(r"\s*\(([^()]*)\)")
_DASH = re.compile(r"\s+[\u2013\u2014-]+\s+|(?<=\w)\u2014(?=\w)")
_TIDYING = (
    (re.compile(r"[\[\]{}<>\\^|*_#]+"), " "),
    (re.compile(r"\s+([.,;:!?])"), r"\1"),
    (re.compile(r",(?=[.,;:!?])"), ""),
    (re.compile(r"^[\s,;:.]+"), ""),
    (re.compile(r"\s+"), " "),
)


def _tidy(text: str) -> str:
    text = _PARENTHESES.sub(lambda aside: f", {aside[1]}," if aside[1].strip() else "", text)
    text = _DASH.sub(", ", text)
    for pattern, by in _TIDYING:
        text = pattern.sub(by, text)
    return text.strip()
