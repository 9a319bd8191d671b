"""What plugins wrote, as the log shows it. Pure."""

_MOST_CHARACTERS = 500


def plain_line(text: str) -> str:
    """Return `text` as one line, which no control character of it can break or disguise."""
    clipped = text[:_MOST_CHARACTERS]
    return "".join(each if each.isprintable() else " " for each in clipped)
