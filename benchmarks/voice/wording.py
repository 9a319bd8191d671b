"""Texts as bare words, so that what was heard can be held against what was said. Pure."""

import re
from typing import Final

# fmt: off
_ONES: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)
_TENS: Final = (
    "zero", "ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
)
# fmt: on
_SCALES: Final = (
    (1_000_000_000, "billion"),
    (1_000_000, "million"),
    (1_000, "thousand"),
    (100, "hundred"),
)
_ORDINALS: Final = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}
_SIGNS: Final = {"%": " percent ", "&": " and ", "+": " plus ", "@": " at ", "=": " equals "}

_CONTRACTIONS: Final = (
    ("won't", "will not"),
    ("can't", "can not"),
    ("cannot", "can not"),
    ("n't", " not"),
    ("'re", " are"),
    ("'ve", " have"),
    ("'ll", " will"),
    ("i'm", "i am"),
)
"""Those that stand for the same words wherever they are."""

_ASIDE: Final = re.compile(r"\[[^\]]*\]|<[^>]*>")
"""What is described, and not said: `[beep]`."""
_APOSTROPHE: Final = re.compile(r"(?<=\w)'(?=\w)")
_DOLLARS: Final = re.compile(r"\$\s?(\d[\d,]*)(?!\.?\d)")
_THOUSANDS: Final = re.compile(r"(?<=\d),(?=\d{3})")
_DECIMAL: Final = re.compile(r"(\d+)\.(\d+)")
_ORDINAL: Final = re.compile(r"\b(\d+)(?:st|nd|rd|th)\b")
_INITIALS: Final = re.compile(r"\b(?:[a-z]\.){2,}")
_WORD: Final = re.compile(r"[a-z\u00e0-\u024f]+|\d+")
_LONGEST_NUMBER: Final = 12
"""Digits; a longer one is read digit by digit."""


def words_of(text: str) -> list[str]:
    """Return the words of a text as they are said: small, without marks, numbers spelled out.

    `It's 9:30, the 2nd call: 28.8%.` becomes `its nine thirty the second call twenty eight point
    eight percent`. Different spellings of one word stay different.
    """
    text = _ASIDE.sub(" ", text.lower()).replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    for short, long in _CONTRACTIONS:
        text = text.replace(short, long)
    text = _APOSTROPHE.sub("", text)
    text = _INITIALS.sub(lambda match: match[0].replace(".", ""), text)
    text = _THOUSANDS.sub("", _DOLLARS.sub(r"\1 dollars", text))
    text = _ORDINAL.sub(lambda match: f" {_ordinal(int(match[1]))} ", text)
    text = _DECIMAL.sub(lambda match: f"{match[1]} point {' '.join(match[2])}", text)
    for sign, word in _SIGNS.items():
        text = text.replace(sign, word)
    words: list[str] = []
    for word in _WORD.findall(text):
        words += _spelled(word) if word.isdigit() else [word]
    return words


def _spelled(digits: str) -> list[str]:
    is_read_by_digit = len(digits) > _LONGEST_NUMBER or (digits[0] == "0" and len(digits) > 1)
    if is_read_by_digit:
        return [_ONES[int(digit)] for digit in digits]
    return _number(int(digits))


def _number(value: int) -> list[str]:
    for size, name in _SCALES:
        if value >= size:
            rest = value % size
            return [*_number(value // size), name, *(_number(rest) if rest else [])]
    if value < len(_ONES):
        return [_ONES[value]]
    tens, ones = divmod(value, 10)
    return [_TENS[tens], *([_ONES[ones]] if ones else [])]


def _ordinal(value: int) -> str:
    *before, last = _number(value)
    if last in _ORDINALS:
        last = _ORDINALS[last]
    elif last.endswith("y"):
        last = last[:-1] + "ieth"
    else:
        last += "th"
    return " ".join([*before, last])
