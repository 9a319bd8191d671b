"""Makes what differs from one play of a scene to the next the same."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from simulator.discord.markdown_html import Names
from simulator.discord.model import Account, Message

NOW = 1_773_496_920
"""When every scene is played, in Unix time."""
SHOWN_AT = "Today at 14:02"
BOT_NAME = "Papercup"

_DURATION = r"(?:less than a second|\d+ (?:second|minute)s?)"
_COUNT = r"\d[\d.]*[kM]?"
_JOB_ID = re.compile(r"\b[0-9a-f]{8}\b")
_SUBSTITUTES = (
    (r"\bchat-\d{4}-\d\d-\d\d-\d{4}\b(?:-\d+\b)?", "chat-2026-03-14-1402"),
    (r"(https://discord\.com/channels)/(?:\d+|@me)/\d+/\d+", r"\1/1/2/3"),
    (r"<t:\d+:([a-zA-Z])>", rf"<t:{NOW - 60}:\1>"),
    (rf"\bafter {_DURATION}", "after 9 seconds"),
    (rf"· {_DURATION} ago$", "· 9 seconds ago"),
    (r"· \d+ minutes? ago ·", "· just now ·"),
    (r"^((?:🤔|✍️|✅ Done|🚫 Cancelled|⚠️ Failed).*?) · (?:\d+ min )?\d+ s$", r"\1"),
    (r"\bclaude \d+\.\d+\.\d+", "claude 2.1.0"),
    (r"less than \$0\.01|\$\d+\.\d\d", "$0.02"),
    (r"(✅ I can hear you: )“.*”", r"\1“One, two, three.”"),
    (r"\blatency \d+ ms\b", "latency 24 ms"),
    (r"^(📦 packets: ).*$", r"\g<1>50 received, 5 silence"),
    (r"^(👂 heard: ).*$", r"\g<1>1 with words"),
    # Where the machine is slow, a turn may be over before the model has said so.
    (r"^⏱️ end of turn: .*\n", ""),
    (r"^(⏱️ .+?: ).*$", r"\g<1>310 ms"),
    (r"^(Manifest: ).*(/plugins/)", r"\1.\2"),
    (r"(🎲 2d6: ).*$", r"\g<1>5 + 2 = **7**"),
    (r"(🎲 3d6: ).*$", r"\g<1>4 + 1 + 6 = **11**"),
    (r"(🎲 4d6: ).*$", r"\g<1>3 + 6 + 2 + 5 = **16**"),
    (rf"{_COUNT} tokens in(?: \({_COUNT} cached\))?, {_COUNT} out", "1.2k tokens in, 80 out"),
)
_PATTERNS = tuple((re.compile(found, re.MULTILINE), put) for found, put in _SUBSTITUTES)

_TIMES = {"R": "1 minute ago", "f": "14 March 2026 14:01"}
_LINK = re.compile(
    r"<(?:(?P<sigil>@!?|#)(?P<id>\d+)|/(?P<command>[^:<>]+):\d+|t:\d+:(?P<style>\w))>"
)


class Steady:
    """Knows what was made the same so far: the first job that is seen always has the same id."""

    def __init__(self) -> None:
        self._job_ids: dict[str, str] = {}

    def text(self, text: str) -> str:
        """Return a text as it is on every play."""
        for pattern, put in _PATTERNS:
            text = pattern.sub(put, text)
        return _JOB_ID.sub(lambda found: self._job_id(found[0]), text)

    def message(self, message: Message, *, bot: Account, is_edited: bool) -> Message:
        """Return a message as it is on every play, however often it was edited."""
        now = replace(message.versions[-1], text=self.text(message.text))
        is_bots = message.author == bot
        return replace(
            message,
            versions=(now, now) if is_edited else (now,),
            author=replace(bot, name=BOT_NAME) if is_bots else message.author,
        )

    def _job_id(self, found: str) -> str:
        return self._job_ids.setdefault(found, f"5e{len(self._job_ids) + 1:02}c1a7")


def readable(text: str, names: Names) -> str:
    """Return what a message says as one reads it, without the marks that format it."""
    text = _LINK.sub(_name_in(names), text)
    text = re.sub(r"\*\*(.+?)\*\*", r"\1", text)
    text = re.sub(r"^-# ", "", text, flags=re.MULTILINE)
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text)


def _name_in(names: Names) -> Callable[[re.Match[str]], str]:
    def name(found: re.Match[str]) -> str:
        if (command := found["command"]) is not None:
            return f"/{command}"
        if (style := found["style"]) is not None:
            return _TIMES[style]
        known: Mapping[int, str] = names.channels if found["sigil"] == "#" else names.users
        return f"{found['sigil'][0]}{known[int(found['id'])]}"

    return name
