"""Numbers in English words. Pure."""

_ONES = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
)
_TENS = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_SCALES = ((10**12, "trillion"), (10**9, "billion"), (10**6, "million"), (1000, "thousand"))
_ORDINALS = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}
_FRACTIONS = {2: ("half", "halves"), 3: ("third", "thirds"), 4: ("quarter", "quarters")}
_LONGEST = 15
"""Digits; what has more is an id, which nobody can follow."""


def cardinal(number: int) -> str:
    """Return a number in words: `forty-two`."""
    if number < 0:
        return f"minus {cardinal(-number)}"
    for size, name in _SCALES:
        if number >= size:
            rest = number % size
            words = f"{cardinal(number // size)} {name}"
            return f"{words} {cardinal(rest)}" if rest else words
    if number >= 100:  # noqa: PLR2004 - a hundred
        words = f"{_ONES[number // 100]} hundred"
        return f"{words} {cardinal(number % 100)}" if number % 100 else words
    if number < len(_ONES):
        return _ONES[number]
    tens, ones = divmod(number, 10)
    return f"{_TENS[tens]}-{_ONES[ones]}" if ones else _TENS[tens]


def ordinal(number: int) -> str:
    """Return the place in a row: `forty-second`."""
    words = cardinal(number)
    start = max(words.rfind(" "), words.rfind("-")) + 1
    last = words[start:]
    if last.endswith("y"):
        return f"{words[:-1]}ieth"
    return words[:start] + _ORDINALS.get(last, f"{last}th")


def digits(text: str) -> str:
    """Return digits one by one."""
    return " ".join(_ONES[int(digit)] for digit in text)


def year(number: int) -> str:
    """Return a year: `nineteen eighty-four`, `two thousand five`."""
    century, rest = divmod(number, 100)
    if number % 1000 < 10 or not 10 <= century <= 99:  # noqa: PLR2004 - 2005, and 44
        return cardinal(number)
    if rest == 0:
        return f"{cardinal(century)} hundred"
    return f"{cardinal(century)} {f'oh {_ONES[rest]}' if rest < 10 else cardinal(rest)}"  # noqa: PLR2004


def number_words(text: str) -> str:
    """Return a written number in words: `1,234.5`, `-3`, `007`."""
    if text[0] in "-\u2212":
        return f"minus {number_words(text[1:])}"
    whole, _, decimals = text.replace(",", "").partition(".")
    if len(whole) > _LONGEST:
        return "a long number"
    is_code = len(whole) > 1 and whole[0] == "0"
    words = digits(whole) if is_code else cardinal(int(whole or "0"))
    return f"{words} point {digits(decimals)}" if decimals else words


def fraction(over: int, under: int) -> str | None:
    """Return a fraction, if it is one that people say: `three quarters`."""
    if under not in _FRACTIONS or not 0 < over < under:
        return None
    if (over, under) == (1, 2):
        return "one half"
    return f"{_ONES[over]} {_FRACTIONS[under][over > 1]}"
