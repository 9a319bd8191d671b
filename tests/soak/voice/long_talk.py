"""People who talk on many lines for a long time, over a bad network, while guests come and go."""

import asyncio
import os
import random
from collections import Counter
from collections.abc import Callable, Sequence

from simulator.discord.voice.happenings import CallRekeyed
from simulator.discord.voice.settings import Network
from tests.soak.findings import Findings
from tests.soak.voice.crowd import Crowd, Sentence
from tests.soak.voice.ground import Ground, Room
from tests.soak.voice.growth import slope
from tests.soak.voice.told import Look
from tests.soak.voice.words import SENTENCES, UNDERSTOOD_FROM

NOT_DEAF = "in the end, everybody is understood on every line"
SAID = "what people say is understood"
NO_MEMORY = "memory does not grow"
NO_TASKS = "there are as many tasks, threads and files as in the beginning"
NO_ERRORS = "nothing is logged as an error"
NO_TROUBLES = "no line says that something does not work"

NETWORK = Network(loss=0.05, duplication=0.01, reordering=0.03, jitter_seconds=0.03)
ROUND_SECONDS = 60.0
MOST_GROWTH_MB_A_MINUTE = 1.0
LEAST_LOOKS = 7
"""With fewer, growth cannot be told from chance."""
_WARM_LOOKS = 2
"""The first ones are not counted: the models take their memory when they are first used."""
_TALK_SHARE = 0.8
_AWAY_SECONDS = 2.5
"""Around a break, what is said may be lost."""
_UNDERSTOOD_SHARE = 0.5
_MEGABYTE = 1e6

Say = Callable[[str], None]


class _Breaks:
    """Breaks one line after the other, in one way after the other."""

    def __init__(self) -> None:
        self.at: list[tuple[Room, float]] = []

    async def come(self, room: Room) -> None:
        """Break the connection of a line."""
        self.at.append((room, asyncio.get_running_loop().time()))
        match len(self.at) % 4:
            case 0:
                room.discord.change_voice_server()
            case 1:
                await room.discord.drop_voice(4006)
            case 2:
                await room.discord.drop_voice(None)
            case _:
                await room.discord.drop_voice(4015)
        await room.lounge.connected()

    def is_hit(self, sentence: Sentence) -> bool:
        """Say whether a line was broken while that was said on it."""
        return any(
            sentence.room is room
            and sentence.began_at - _AWAY_SECONDS <= at <= sentence.ended_at + _AWAY_SECONDS
            for room, at in self.at
        )


async def long_talk(
    ground: Ground, findings: Findings, *, minutes: float, seed: int, say: Say
) -> None:
    """Have people talk on all lines for so long, and see whether all is as in the beginning.

    Args:
        ground: Where.
        findings: Takes what is seen.
        minutes: How long; after each, nobody talks for a moment, and the process is looked at.
        seed: Tells who says what, and when.
        say: Is told how it goes.
    """
    crowds = [_crowd(room, seed) for room in ground.rooms]
    for room in ground.rooms:
        room.discord.worsen_network(NETWORK, of_bot=NETWORK)
        await room.lounge.settled()
    load, looks, broken = os.getloadavg()[0], [await ground.quiet()], _Breaks()
    for number in range(max(1, round(minutes))):
        await _one_round(ground, crowds, broken, number, min(ROUND_SECONDS, minutes * 60))
        looks.append(await ground.quiet())
        say(_progress(number + 1, looks[-1]))
    said = [sentence for crowd in crowds for sentence in crowd.said]
    await _everybody_once_more(ground, crowds, findings)
    looks.append(await ground.quiet())
    _check_process(ground, looks, findings)
    _check_said(said, broken, findings)
    _tell(ground, crowds, looks, findings)
    loads = f"{load:.1f} in the beginning, {os.getloadavg()[0]:.1f} in the end"
    findings.figures["the machine's load (all that runs on it)"] = loads


async def _one_round(
    ground: Ground, crowds: Sequence[Crowd], broken: _Breaks, number: int, seconds: float
) -> None:
    talk_seconds = seconds * _TALK_SHARE
    async with asyncio.TaskGroup() as tasks:
        for crowd in crowds:
            tasks.create_task(crowd.go_on(talk_seconds))
        await asyncio.sleep(talk_seconds / 2)
        await broken.come(ground.rooms[number % len(ground.rooms)])


async def _everybody_once_more(ground: Ground, crowds: Sequence[Crowd], findings: Findings) -> None:
    """Have each say a sentence, one after the other on each line; somebody new, too."""

    async def in_turn(crowd: Crowd) -> None:
        guest = await crowd.guest()
        for number, talker in enumerate([*crowd.residents, guest]):
            text = SENTENCES[(crowd.room.number + 3 * number) % len(SENTENCES)]
            last[talker.id] = await crowd.talk(talker, text)
            await asyncio.sleep(_AWAY_SECONDS)

    last: dict[int, Sentence] = {}
    async with asyncio.TaskGroup() as tasks:
        for crowd in crowds:
            tasks.create_task(in_turn(crowd))
    await ground.quiet()
    for sentence in last.values():
        share = sentence.share_understood()
        subject = f"{sentence.talker.account.name} on line {sentence.room.number}"
        is_heard = share >= UNDERSTOOD_FROM
        seen = f"{share:.0%} of {sentence.text!r} was understood"
        findings.check(NOT_DEAF, subject, None if is_heard else seen)
    for sentence in last.values():
        if all(sentence.talker not in crowd.residents for crowd in crowds):
            sentence.talker.leave()


def _check_process(ground: Ground, looks: Sequence[Look], findings: Findings) -> None:
    first, last = looks[1], looks[-1]
    for what in ("tasks", "threads", "files"):
        before, after = getattr(first, what), getattr(last, what)
        seen = None if after <= before else f"{before} after the first minute, {after} in the end"
        findings.check(NO_TASKS, what, seen)
    for number, line in enumerate(last.lines):
        findings.check(NO_TROUBLES, f"line {number}", "; ".join(line.troubles) or None)
    errors = ground.logged_errors()
    findings.check(NO_ERRORS, ground.log.name, "\n".join(errors[:5]) or None)
    later = looks[_WARM_LOOKS:]
    growth = 60 * slope([look.at for look in later], [look.rss_bytes / _MEGABYTE for look in later])
    if len(looks) >= LEAST_LOOKS:
        is_fine = growth <= MOST_GROWTH_MB_A_MINUTE
        findings.check(NO_MEMORY, "RSS", None if is_fine else f"{growth:.2f} MB a minute")
    findings.figures |= {
        "memory (RSS) after each minute, in MB": ", ".join(
            f"{look.rss_bytes / _MEGABYTE:.0f}" for look in looks
        ),
        "growth of memory": f"{growth:.2f} MB a minute (from the second minute on)",
        "tasks, threads, files after the first minute": _numbers(first),
        "tasks, threads, files in the end": _numbers(last),
    }


def _check_said(said: Sequence[Sentence], broken: _Breaks, findings: Findings) -> None:
    looked_at = [sentence for sentence in said if not broken.is_hit(sentence)]
    shares = []
    for sentence in looked_at:
        shares.append(sentence.share_understood())
        who = f"{sentence.talker.account.name} on line {sentence.room.number}"
        seen = f"{shares[-1]:.0%} of it was understood"
        is_understood = shares[-1] >= _UNDERSTOOD_SHARE
        findings.check(
            SAID,
            f"{who}: {sentence.text} ({sentence.began_at:.1f})",
            None if is_understood else seen,
        )
    well = sum(share >= UNDERSTOOD_FROM for share in shares)
    findings.figures["sentences"] = (
        f"{len(said)}, {len(said) - len(looked_at)} of them while a line was broken; of the others,"
        f" {well} understood, with {sum(shares) / max(1, len(shares)):.1%} of their words"
    )


def _tell(
    ground: Ground, crowds: Sequence[Crowd], looks: Sequence[Look], findings: Findings
) -> None:
    heard, link = Counter[str](), Counter[str]()
    for line in looks[-1].lines:
        heard.update(line.hearing_counts)
        link.update(line.link_counts)
    rooms = ground.rooms
    answers = [answer for room in rooms for answer in room.answers]
    rekeyed = sum(len(list(room.discord.journal.of(CallRekeyed))) for room in rooms)
    cpu = looks[-1].cpu_seconds - looks[0].cpu_seconds
    seconds = looks[-1].at - looks[0].at
    turns = [turn for room in rooms for turn in room.turns()]
    findings.figures |= {
        "lines": f"{len(rooms)}, with {sum(len(crowd.residents) for crowd in crowds)} people who"
        f" stay; guests came {sum(crowd.visits for crowd in crowds)} times",
        "new keys": str(rekeyed),
        "connections made anew": str(sum(line.rejoins for line in looks[-1].lines)),
        "answers": f"{len(answers)}, {sum(answer.is_whole for answer in answers)} of them heard to"
        " the end",
        "packets heard": _counted(heard),
        "packets on the way": _counted(link),
        "end of speech → turn": _quantiles([turn.at - turn.ended_at for turn in turns]),
        "the bot's process": f"{cpu / seconds:.2f} of a core over {seconds:.0f} s",
    }


def _crowd(room: Room, seed: int) -> Crowd:
    names = ["olga"] if room.number % 2 == 0 else ["olga", "bert"]
    residents = [room.discord.person(name).join_voice(room.lounge) for name in names]
    dice = random.Random(f"{seed} {room.number}")  # noqa: S311 - it can be repeated
    return Crowd(room, dice, residents)


def _progress(minutes: int, look: Look) -> str:
    return (
        f"  {minutes}: {look.rss_bytes / _MEGABYTE:.0f} MB, {_numbers(look)};"
        f" load {os.getloadavg()[0]:.1f}"
    )


def _numbers(look: Look) -> str:
    return f"{look.tasks} tasks, {look.threads} threads, {look.files} files"


def _quantiles(seconds: Sequence[float]) -> str:
    in_order = sorted(1000 * each for each in seconds) or [0.0]
    p50, p95 = (in_order[int(share * (len(in_order) - 1))] for share in (0.5, 0.95))
    return f"{p50:.0f} ms (p50), {p95:.0f} ms (p95) of {len(seconds)}"


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
