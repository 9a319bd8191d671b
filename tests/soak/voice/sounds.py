"""What must not be answered: sounds without speech, and the bot's own voice that comes back."""

import asyncio
from collections.abc import Sequence

import numpy as np

from tests.fakes.loudspeakers import loudspeakers
from tests.fakes.noises import clips
from tests.fakes.waiting import until
from tests.soak.findings import Findings
from tests.soak.voice.ground import Ground, Room
from tests.soak.voice.told import Look
from tests.soak.voice.words import SENTENCES, understood

NO_WORDS = "a clip without speech is no turn, nor anything else that was said"
NO_ECHO = "the bot's own voice that comes back is no turn, nor anything else that was said"
WHOLE = "an answer that comes back is spoken to its end"

LOUDNESS = (-15.0, -25.0, -35.0)
"""By how many decibels the bot's voice comes back softer."""
_AT_ONCE = 2
_ANSWER_SECONDS = 40.0
_TAIL_SECONDS = 1.5
"""How long something may still come of it after the answer."""


async def noises(
    ground: Ground,
    findings: Findings,
    names: Sequence[str] = (),
    *,
    rooms: Sequence[Room] = (),
) -> None:
    """Have clips played on the lines, several on each at once, and look what comes of them.

    Args:
        ground: Where.
        findings: Takes what is seen.
        names: Which clips; all, if none are named.
        rooms: On which lines; on all, if none are named.
    """
    names, rooms = names or list(clips()), rooms or ground.rooms
    before = await ground.look()
    people = {}
    for number, name in enumerate(names):
        room = rooms[number % len(rooms)]
        # They hear nothing, so that nothing has to be sent to them.
        person = room.discord.person(f"{name} {number}")
        people[name] = room, person.join_voice(room.lounge, is_deafened=True)
    for room in rooms:
        await room.lounge.settled()
    async with asyncio.TaskGroup() as tasks:
        for name, (_, talker) in people.items():
            tasks.create_task(talker.speak(np.asarray(clips()[name])))
    after = await ground.quiet()
    for name, (room, talker) in people.items():
        came = _packets(after, room) > _packets(before, room)
        text = room.text_of(talker)
        findings.check(NO_WORDS, name, repr(text) if text else None if came else "never heard")
        talker.leave()
    findings.figures["clips without speech"] = (
        f"{len(people)}, of which {sum(bool(r.text_of(t)) for r, t in people.values())}"
        " were taken for words"
    )


async def echoes(ground: Ground, findings: Findings, *, rounds: int) -> None:
    """Have the bot's voice come back on each line while it answers, and look what comes of it."""
    before = sum(len(room.heard) for room in ground.rooms)
    for number in range(rounds):
        # A few at a time: what people send must not be late because so many send at once.
        for first in range(0, len(ground.rooms), _AT_ONCE):
            async with asyncio.TaskGroup() as tasks:
                for room in ground.rooms[first : first + _AT_ONCE]:
                    tasks.create_task(echo(room, findings, number))
            await ground.quiet()
    said = sum(len(room.heard) for room in ground.rooms) - before
    asked = rounds * len(ground.rooms)
    findings.figures["the bot's voice came back"] = (
        f"in {asked} answers, {', '.join(f'{-each:g}' for each in LOUDNESS)} dB softer;"
        f" {said} things were heard, {asked} were said"
    )


async def echo(room: Room, findings: Findings, number: int = 0) -> None:
    """Have the bot's voice come back on one line while it answers a question."""
    decibels = LOUDNESS[room.number % len(LOUDNESS)]
    talker = room.discord.person(f"alice {room.number}").join_voice(room.lounge)
    await room.lounge.settled()
    heard, answered = len(room.heard), len(room.answers)
    question = SENTENCES[(room.number + number * 5) % len(SENTENCES)]
    async with loudspeakers(talker, room.discord.bot, decibels=decibels):
        await talker.speak(question)
        await _answered(room, answered)
        await asyncio.sleep(_TAIL_SECONDS)
    talker.leave()
    subject = f"line {room.number}, answer {number + 1}, {decibels:g} dB"
    texts = [each.text for each in room.heard[heard:]]
    is_alone = len(texts) == 1 and understood(question, texts[0]) > 0
    findings.check(NO_ECHO, subject, None if is_alone else f"{texts} was heard")
    answer = room.answers[answered] if len(room.answers) > answered else None
    seen = None if answer and answer.is_whole else f"heard of it: {answer and answer.heard!r}"
    findings.check(WHOLE, subject, seen)


async def _answered(room: Room, count: int) -> None:
    try:
        await until(lambda: len(room.answers) > count, timeout_seconds=_ANSWER_SECONDS)
    except TimeoutError:
        return  # it is seen in what was answered


def _packets(look: Look, room: Room) -> int:
    return look.lines[room.number].hearing_counts.get("packets", 0)
