"""What stands in the channel: notices, cards, and answers to people. Pure."""

import re
from collections import Counter
from collections.abc import Iterable
from enum import StrEnum

from bot.conversation.marks import ANSWERED_TOGETHER
from simulator.discord.model import Message
from tests.soak.jobs import END

_NAME = re.compile(r"\*\*([\w-]+)\*\*")
_WORDS = ("I was stopped while I answered this.", "I was away when you wrote this")
_CARD_MARKS = tuple("⏳⚙❓✅❌🚫💥")


def is_notice(message: Message) -> bool:
    """Say whether a message is a notice, of one job or of several."""
    return message.text.startswith("🔔")


def is_card(message: Message) -> bool:
    """Say whether a message is a card."""
    return message.text.startswith(_CARD_MARKS) and "**" in message.text


def notices_by_name(messages: Iterable[Message]) -> Counter[str]:
    """Return in how many messages the end of each job was said, by its name."""
    return Counter(
        name for m in messages if is_notice(m) for name in dict.fromkeys(_NAME.findall(m.text))
    )


def cards_by_name(messages: Iterable[Message]) -> dict[str, list[Message]]:
    """Return the cards of each job, by its name."""
    cards: dict[str, list[Message]] = {}
    for message in messages:
        if is_card(message) and (name := _NAME.search(message.text.splitlines()[0])):
            cards.setdefault(name[1], []).append(message)
    return cards


class Reply(StrEnum):
    """What became of a person's message."""

    WHOLE = "answered"
    TOGETHER = "answered together with a later one"
    WORD = "told that the answer was lost"
    FAULT = "answered with a fault"
    CUT = "answered in part"
    NONE = "not answered"

    @property
    def is_fine(self) -> bool:
        """Whether the person knows what became of it, and the bot alone is at no fault."""
        return self in {Reply.WHOLE, Reply.TOGETHER, Reply.WORD}


def reply_to(question: Message, messages: Iterable[Message]) -> Reply:
    """Return what became of a question, as it stands there now."""
    text = "\n".join(message.text for message in messages if message.reply_to == question.id)
    if END in text:
        return Reply.WHOLE
    if question.reactions.get(ANSWERED_TOGETHER):
        return Reply.TOGETHER
    if any(word in text for word in _WORDS):
        return Reply.WORD
    if "⚠️" in text:
        return Reply.FAULT
    return Reply.CUT if text else Reply.NONE
