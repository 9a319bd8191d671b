"""Amounts, times and dates in English words. Pure."""

import re
from collections.abc import Callable

from voice.spoken_numbers import cardinal, fraction, number_words, ordinal, year

_DIGITS = r"(?P<number>[-\u2212]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[-\u2212]?\d+(?:\.\d+)?)"
_NUMBER = rf"(?<![\w.,-]){_DIGITS}"
_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_MONTH = "|".join(f"{name}|{name[:3]}" for name in _MONTHS)
_UNITS = {
    "ns": "nanosecond",
    "\u00b5s": "microsecond",
    "\u03bcs": "microsecond",
    "us": "microsecond",
    "ms": "millisecond",
    "s": "second",
    "sec": "second",
    "secs": "second",
    "min": "minute",
    "mins": "minute",
    "h": "hour",
    "hr": "hour",
    "hrs": "hour",
    "km": "kilometer",
    "m": "meter",
    "cm": "centimeter",
    "mm": "millimeter",
    "mi": "mile",
    "ft": "foot",
    "kg": "kilogram",
    "g": "gram",
    "mg": "milligram",
    "lb": "pound",
    "lbs": "pound",
    "oz": "ounce",
    "kB": "kilobyte",
    "KB": "kilobyte",
    "MB": "megabyte",
    "GB": "gigabyte",
    "TB": "terabyte",
    "PB": "petabyte",
    "KiB": "kibibyte",
    "MiB": "mebibyte",
    "GiB": "gibibyte",
    "TiB": "tebibyte",
    "kbps": "kilobit per second",
    "Mbps": "megabit per second",
    "Gbps": "gigabit per second",
    "kbit/s": "kilobit per second",
    "Mbit/s": "megabit per second",
    "Gbit/s": "gigabit per second",
    "kB/s": "kilobyte per second",
    "KB/s": "kilobyte per second",
    "MB/s": "megabyte per second",
    "GB/s": "gigabyte per second",
    "km/h": "kilometer per hour",
    "mph": "mile per hour",
    "m/s": "meter per second",
    "Hz": "hertz",
    "kHz": "kilohertz",
    "MHz": "megahertz",
    "GHz": "gigahertz",
    "W": "watt",
    "kW": "kilowatt",
    "kWh": "kilowatt hour",
    "V": "volt",
    "mA": "milliamp",
    "px": "pixel",
    "fps": "frame per second",
    "rpm": "revolution per minute",
    "dB": "decibel",
    "\u00b0C": "degree Celsius",
    "\u00b0F": "degree Fahrenheit",
    "\u00b0": "degree",
    "%": "percent",
    "\u2030": "per mille",
}
_PLURALS = {"foot": "feet", "hertz": "hertz", "percent": "percent", "per mille": "per mille"}
_UNIT = "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True))
_SCALES = {"k": "thousand", "K": "thousand", "M": "million", "B": "billion", "T": "trillion"}
_COINS = {
    "$": ("dollar", "cent"),
    "\u20ac": ("euro", "cent"),
    "\u00a3": ("pound", "penny"),
    "\u00a5": ("yen", ""),
    "\u20b9": ("rupee", "paisa"),
}
_YEAR_WORDS = (
    "in|since|of|from|until|till|by|before|after|during|around|year|early|late|mid|spring|summer|"
    rf"autumn|fall|winter|{_MONTH}"
)
_HOURS = 12
_ALWAYS = (24, 7)


def quantities(text: str) -> str:
    """Return a text with all amounts, times and dates in words."""
    for pattern, say in _RULES:
        text = pattern.sub(say, text)
    return text


def _plural(unit: str) -> str:
    head, per, rest = unit.partition(" per ")
    if unit in _PLURALS:
        return _PLURALS[unit]
    noun, _, quality = head.partition(" ")
    if noun == "kilowatt" and quality:
        return f"{head}s{per}{rest}"
    return f"{_PLURALS.get(noun, noun + 's')}{' ' + quality if quality else ''}{per}{rest}"


def _measure(found: re.Match[str]) -> str:
    number, unit = found["number"], _UNITS[found["unit"]]
    return f"{number_words(number)} {unit if number.lstrip('-') == '1' else _plural(unit)}"


def _money(found: re.Match[str]) -> str:
    coin, part = _COINS[found["coin"]]
    amount = found["amount"].replace(",", "")
    if scale := found["scale"]:
        return f"{number_words(amount)} {_SCALES.get(scale, scale)} {_coins(coin)}"
    whole, _, decimals = amount.partition(".")
    said = f"{cardinal(int(whole))} {coin if whole == '1' else _coins(coin)}"
    if len(decimals) != 2 or not part:  # noqa: PLR2004 - cents
        return f"{number_words(amount)} {_coins(coin)}" if decimals else said
    cents = int(decimals)
    small = f"{cardinal(cents)} {part if cents == 1 else _coins(part)}"
    if int(whole) == 0 and cents:
        return small
    return f"{said} and {small}" if cents else said


def _coins(coin: str) -> str:
    return {"yen": "yen", "penny": "pence", "paisa": "paise"}.get(coin, f"{coin}s")


def _clock(found: re.Match[str]) -> str:
    hour, minute = int(found["hour"]), int(found["minute"])
    half = (found["half"] or "").replace(".", "").upper()
    if not half and (hour > _HOURS or found["hour"] in {"0", "00"}):
        half = "AM" if hour < _HOURS else "PM"
    said = cardinal(hour % _HOURS or _HOURS)
    if minute:
        said += f" oh {cardinal(minute)}" if minute < 10 else f" {cardinal(minute)}"  # noqa: PLR2004
    elif not half:
        said += " o'clock"
    seconds = int(found["second"] or 0)
    said += f" and {cardinal(seconds)} seconds" if seconds else ""
    return f"{said} {half}".strip() + _full_stop(found)


def _hour(found: re.Match[str]) -> str:
    half = found["half"].replace(".", "").upper()
    return f"{cardinal(int(found['number']))} {half}{_full_stop(found)}"


def _full_stop(found: re.Match[str]) -> str:
    """Return the full stop of a sentence, if that of `p.m.` is one, too."""
    rest = found.string[found.end() :].lstrip()
    return "." if found[0].endswith(".") and (not rest or rest[0].isupper()) else ""


def _iso_date(found: re.Match[str]) -> str:
    month = _MONTHS[int(found["month"]) - 1]
    return f"{month} {ordinal(int(found['day']))}, {year(int(found['year']))}"


def _named_date(found: re.Match[str]) -> str:
    month = next(name for name in _MONTHS if name.startswith(found["month"][:3]))
    return f"{month} {ordinal(int(found['day']))}"


def _part(found: re.Match[str]) -> str:
    over, under = int(found[1]), int(found[2])
    if (over, under) == _ALWAYS:
        return "twenty-four seven"
    return fraction(over, under) or f"{cardinal(over)} of {cardinal(under)}"


def _decade(found: re.Match[str]) -> str:
    words = year(int(found[1])) if len(found[1]) > 2 else cardinal(int(found[1]))  # noqa: PLR2004
    return f"{words[:-1]}ies" if words.endswith("y") else f"{words}s"


_RULES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (
        re.compile(
            r"\b(?P<year>\d{4})-(?P<month>0[1-9]|1[0-2])-(?P<day>0[1-9]|[12]\d|3[01])(?:T(?=\d))?\b"
        ),
        _iso_date,
    ),
    (
        re.compile(
            r"(?<![\w:.])(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d))?"
            r"(?:\s?(?P<half>[aApP]\.?[mM]\b\.?))?(?![\w:])"
        ),
        _clock,
    ),
    (
        re.compile(r"\b(?P<number>1[0-2]|[1-9])\s?(?P<half>[aApP]\.?[mM]\b\.?)(?!\w)"),
        _hour,
    ),
    (
        re.compile(
            rf"\b(?P<month>{_MONTH})\.? (?P<day>[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?\b(?![:.]\d)"
        ),
        _named_date,
    ),
    (
        re.compile(
            r"(?P<coin>[$\u20ac\u00a3\u00a5\u20b9])\s?(?P<amount>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
            r"\s?(?P<scale>[kKMBT]\b|(?:thousand|million|billion|trillion)\b)?"
        ),
        _money,
    ),
    (re.compile(r"\b((?:1[1-9]|20)\d0)s\b"), _decade),
    (
        re.compile(
            r"(?<![\w.,])(\d+(?:\.\d+)?)\s?[-\u2013]\s?(\d+(?:\.\d+)?)(?=\s?(?:"
            + _UNIT
            + r")?(?![\w-]))"
        ),
        lambda found: f"{number_words(found[1])} to {found[2]}",
    ),
    (
        re.compile(r"(?<![\w.,])(\d+)m(?= ?\d+s\b)"),
        lambda found: f"{cardinal(int(found[1]))} minute{'' if found[1] == '1' else 's'}",
    ),
    (
        re.compile(r"(?<=[hH] )(\d+)m\b"),
        lambda found: f"{cardinal(int(found[1]))} minute{'' if found[1] == '1' else 's'}",
    ),
    (re.compile(rf"{_NUMBER}\s?(?P<unit>{_UNIT})(?![\w/\u00b0])"), _measure),
    (
        re.compile(rf"{_NUMBER}(?P<scale>[kKMB])(?!\w)"),
        lambda found: f"{number_words(found['number'])} {_SCALES[found['scale']]}",
    ),
    (
        re.compile(rf"{_NUMBER}[x\u00d7](?!\w)"),
        lambda found: f"{number_words(found['number'])} times",
    ),
    (re.compile(r"(?<![\w/.])(\d{1,4})/(\d{1,4})(?![\w/]|\.\d)"), _part),
    (
        re.compile(r"(?<![\w.,])(\d+)(?:st|nd|rd|th)\b"),
        lambda found: ordinal(int(found[1])),
    ),
    (
        re.compile(
            rf"\b(?P<before>(?i:{_YEAR_WORDS})),? (?P<year>1[1-9]\d\d|20\d\d)(?![\w,.]\d|\w)"
        ),
        lambda found: f"{found['before']} {year(int(found['year']))}",
    ),
    (
        re.compile(r"(?:(?<=(?:st|nd|rd|th) )|(?<=(?:st|nd|rd|th), ))(?:1[1-9]\d\d|20\d\d)\b"),
        lambda found: year(int(found[0])),
    ),
    (re.compile(rf"#{_DIGITS}(?!\w)"), lambda found: f"number {number_words(found['number'])}"),
    (re.compile(rf"{_NUMBER}(?=-[a-zA-Z])-"), lambda found: f"{number_words(found['number'])} "),
    (re.compile(rf"{_NUMBER}(?![\w]|[.,]\d)"), lambda found: number_words(found["number"])),
)
"""Each is tried on what those before have left; words are not looked at again."""
