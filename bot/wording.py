"""How figures are worded. Pure."""

_MINUTE = 60
_HOUR = 3600
_DAY = 86_400


def duration_words(seconds: float) -> str:
    """Return a duration as one would say it: "4 minutes", "1 hour 5 minutes"."""
    whole = round(seconds)
    if whole < 1:
        return "less than a second"
    if whole < _MINUTE:
        return _count(whole, "second")
    # Rounded first, so that what rounds to a whole hour is not "60 minutes".
    minutes, hours = round(seconds / _MINUTE), round(seconds / _HOUR)
    if minutes < _HOUR // _MINUTE:
        return _count(minutes, "minute")
    if minutes < _DAY // _MINUTE:
        return _two(divmod(minutes, 60), "hour", "minute")
    return _two(divmod(hours, 24), "day", "hour")


def cost_words(us_dollars: float, *, is_partial: bool = False) -> str:
    """Return a cost with as many digits as tell something: "$0.18", "less than $0.01".

    Args:
        us_dollars: What is known of it.
        is_partial: Whether it is more than that.
    """
    if is_partial:
        return f"at least ${us_dollars:,.2f}"
    if 0 < us_dollars < 0.005:  # noqa: PLR2004 - what rounds to less than a cent
        return "less than $0.01"
    return f"${us_dollars:,.2f}"


def shortened(text: str, limit: int) -> str:
    """Return the text's beginning, at most `limit` characters long, with an ellipsis if cut."""
    text = text.strip()
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _two(numbers: tuple[int, int], larger: str, smaller: str) -> str:
    whole, rest = numbers
    return _count(whole, larger) + (f" {_count(rest, smaller)}" if rest else "")
