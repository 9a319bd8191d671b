"""All that is gone through of voice: breaks, keys, sounds, and a long talk."""

import os
import time
from collections.abc import Callable
from pathlib import Path

from tests.soak.findings import Findings
from tests.soak.voice.breaks import breaks, endings
from tests.soak.voice.churn import churn
from tests.soak.voice.ground import open_ground
from tests.soak.voice.long_talk import NETWORK, long_talk
from tests.soak.voice.sounds import LOUDNESS, echoes, noises

_BREAKS = 5
_CHANGES = 60
_ECHO_ROUNDS = 3

Say = Callable[[str], None]


def sentence(*, lines: int, minutes: float, seed: int) -> str:
    """Return what the part is about."""
    softer = ", ".join(f"{-each:g}" for each in LOUDNESS)
    return (
        "The real discord.py client, encryption (DAVE), Opus, models and turn taking, in a process"
        " with all lines, each on a Discord of its own; people by davey and libdave, who speak with"
        f" the voice of hibari. Connections are broken in each way {_BREAKS} times, with the limits"
        " that the bot has; what counts is the time from the break to the first packet that is"
        f" decrypted on a new connection. {_CHANGES} joins and leaves without word of who speaks."
        " Clips without speech, and the bot's own voice that comes back through a room,"
        f" {softer} dB softer; the answers are among the texts on which it was chosen what counts"
        " as such, so that of others more come through (voice/echo.py). Then"
        f" {lines} lines for {minutes:g} minutes, with"
        f" {NETWORK.loss:.0%} of the packets lost, {NETWORK.reordering:.0%} overtaken,"
        f" {NETWORK.duplication:.0%} twice, up to {1000 * NETWORK.jitter_seconds:.0f} ms of jitter,"
        " guests who come and go, and one connection that breaks each minute"
        f" (seed {seed})."
    )


async def voice(folder: Path, *, lines: int, minutes: float, seed: int, say: Say) -> Findings:
    """Go through all of it, and return what was seen.

    Args:
        folder: Where everything is kept; must be empty.
        lines: How many lines there are.
        minutes: How long people talk on them.
        seed: Tells who comes, goes, and says what.
        say: Is told how it goes.
    """
    findings, began_at = Findings(), time.monotonic()
    say("  breaks")
    await breaks(_made(folder / "breaks"), findings, times=_BREAKS)
    await endings(_made(folder / "endings"), findings)
    say("  joins and leaves")
    await churn(_made(folder / "churn"), findings, changes=_CHANGES, seed=seed)
    async with open_ground(_made(folder / "lines"), lines) as ground:
        say("  sounds without speech, and the bot's own voice")
        await noises(ground, findings)
        await echoes(ground, findings, rounds=_ECHO_ROUNDS)
        say(f"  {minutes:g} minutes of talk on {lines} lines; load {os.getloadavg()[0]:.1f}")
        await long_talk(ground, findings, minutes=minutes, seed=seed, say=say)
    findings.figures["seconds in all"] = f"{time.monotonic() - began_at:.0f}"
    return findings


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder
