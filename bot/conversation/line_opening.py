"""What is said when a voice line opens, or could not. Pure."""

from typing import cast

from voice.errors import EngineError

BROKE = "Something broke on the line; the operator finds it in the log."


def greeting(name: str) -> str:
    """Return what is said on a line that has just been opened."""
    return f"Hi, this is {name}. I am listening."


def opening_notice(*, days: float, others: bool) -> str:
    """Return what is posted then: that people are heard, and what is kept of it.

    Args:
        days: For how many days it is kept what was said; 0: not at all.
        others: Whether that is also written down of those who may not talk to the bot.
    """
    whose = "what is said here" if others else "what people say who may talk to me"
    kept = "but not kept" if days <= 0 else f"and kept for {_days(days)}"
    return (
        f"👂 I am listening in this channel: {whose} is written down, {kept}. Audio is never"
        " stored. `/voice mute state:on` makes me stop listening, and `/hangup` ends the line."
    )


def sentence_of(error: BaseException) -> str:
    """Return what people are told of a fault: what the engine says of it, if it was one."""
    if isinstance(error, EngineError):
        return str(error)
    if isinstance(error, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        sentences = [sentence_of(each) for each in group.exceptions]
        return next((each for each in sentences if each != BROKE), BROKE)
    return BROKE


def _days(days: float) -> str:
    if days < 1:
        hours = max(1, round(days * 24))
        return "1 hour" if hours == 1 else f"{hours} hours"
    whole = round(days)
    return "1 day" if whole == 1 else f"{whole} days"
