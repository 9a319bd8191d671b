"""How large something is, as one would say it. Pure."""

_KB = 1000
_UNITS = ("bytes", "kB", "MB", "GB", "TB")


def size_words(size_bytes: int) -> str:
    """Return a size as one would say it: "3.4 MB"."""
    size, unit = float(size_bytes), 0
    while size >= _KB and unit < len(_UNITS) - 1:
        size, unit = size / _KB, unit + 1
    return f"{size:.1f} {_UNITS[unit]}" if unit else f"{size_bytes} {_UNITS[0]}"
