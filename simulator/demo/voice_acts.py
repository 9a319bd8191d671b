"""The acts of the voice demo: what Alice and the bot say to each other."""

import asyncio
import re
from itertools import pairwise

from simulator.demo.voice_group_acts import perform_among_several
from simulator.demo.voice_model import LONG_STORY
from simulator.demo.voice_stage import SECONDS, VoiceStage
from simulator.demo.wording import letters_of, share_wrong, sounds_like
from simulator.discord.model import Message
from simulator.discord.voice.recording import HeardSpeech
from simulator.discord.voice.talker import Said
from simulator.edge_tts import Fault

SCENE_COUNT = 11
"""Those among several included."""

GREETING = "Hi, this is Papercup. I am listening."
LONGEST_TO_SILENCE_SECONDS = 1.0
"""From the first sound of an interruption to the last one of the bot."""

_LISTENS_SECONDS = 2.5
"""How long Alice listens to a story before she asks something else."""
_FALLEN_SILENT_SECONDS = 0.5
_HEARD_IN_NOTE = re.compile(r'interrupted by Alice; .*heard: "(.*?)"\]')
_MOST_WRONG_AT_A_CUT = 0.3
"""Share of the letters: the last word is cut, for the bot and the listener alike."""


async def perform(stage: VoiceStage) -> None:
    """Go through all acts."""
    await _pick_up(stage)
    await _ask(stage)
    await _hand_over(stage)
    await _interrupt(stage)
    await perform_among_several(stage)
    await _hear_of_the_end(stage)
    await _write(stage)
    await _examine(stage)
    await _hang_up(stage)


async def _pick_up(stage: VoiceStage) -> None:
    stage.chat.scene("Alice, the owner, is in a voice channel, and has the bot come")
    began = stage.discord.seconds()
    told = await stage.command("pickup")
    stage.report.check("a voice line is opened", "on the line in" in told, told)
    await stage.lounge.connected(timeout_seconds=SECONDS)
    stage.report.time("voice_pickup_to_connected", stage.discord.seconds() - began)
    speech = await stage.listen(after_seconds=began)
    stage.report.time("voice_pickup_to_greeting", speech.started_at_seconds - began)
    await stage.check_heard("greeting", GREETING, speech)
    await stage.sees(lambda message: "I am listening in this channel" in message.text)
    notify = await stage.command("notify", state="on")
    stage.report.check("notices are switched on", "I will say here" in notify, notify)


async def _ask(stage: VoiceStage) -> None:
    stage.chat.scene("She asks something aloud")
    turn = await stage.ask(stage.alice, "What is the golden ratio?", label="question")
    stage.report.check(
        "the model knows who speaks, and that it was aloud",
        turn.model.told.startswith("Alice (aloud): "),
        turn.model.told,
    )


async def _hand_over(stage: VoiceStage) -> None:
    stage.chat.scene("She asks for work of several steps, which goes to a job")
    await stage.ask(
        stage.alice,
        "Please write a script that prints the first fifteen Fibonacci numbers, and run it.",
        label="job",
    )
    job = stage.bot.job("fibonacci")
    stage.report.check(
        "a job is started by voice, and they go on talking while it runs",
        job["status"] == "running",
        f"stored: {job['name']} is {job['status']}",
    )


async def _interrupt(stage: VoiceStage) -> None:
    stage.chat.scene("She interrupts a long answer with another question")
    number = len(stage.model.turns) + 1
    await stage.say(stage.alice, "Tell me the story of the rabbits.")
    story = await stage.model.turn(number, timeout_seconds=SECONDS)
    await stage.hears_start(after_seconds=story.answered_at_seconds)
    await asyncio.sleep(_LISTENS_SECONDS)
    question = "Wait, how many rabbits were there?"
    said = await stage.say(stage.alice, question)
    cut = _heard_until(stage, story.answered_at_seconds, said)
    heard = await stage.write_down(cut)
    stage.spoke(story.meant, f"{heard} …", cut)
    turn = await stage.answer(said, number + 1, question, label="interruption")
    _check_silence(stage, cut, said)
    _check_what_it_knows(stage, turn.model.told, heard)


def _heard_until(stage: VoiceStage, start: float, said: Said) -> HeardSpeech:
    """Return what was heard of the bot until it fell silent for somebody who talks into it."""
    packets = stage.packets_since(start)
    for number, (packet, later) in enumerate(pairwise(packets), start=1):
        is_after = later.at_seconds > said.started_at_seconds
        if is_after and later.at_seconds - packet.at_seconds > _FALLEN_SILENT_SECONDS:
            return HeardSpeech(packets=tuple(packets[:number]))
    return HeardSpeech(packets=tuple(packets))


def _check_silence(stage: VoiceStage, cut: HeardSpeech, said: Said) -> None:
    seconds = cut.ended_at_seconds - said.started_at_seconds
    stage.report.time("voice_interruption_to_last_packet", seconds)
    stage.report.check(
        "it falls silent when it is interrupted",
        0 < seconds < LONGEST_TO_SILENCE_SECONDS,
        f"{seconds * 1000:.0f} ms after she began",
    )


def _check_what_it_knows(stage: VoiceStage, told: str, heard: str) -> None:
    found = _HEARD_IN_NOTE.search(told)
    note = found[1] if found else ""
    is_start = bool(note) and letters_of(LONG_STORY).startswith(letters_of(note))
    stage.report.check(
        "the model is told that it was interrupted, and what was heard",
        is_start and share_wrong(heard, note) < _MOST_WRONG_AT_A_CUT,
        f"told: {told.splitlines()[0]} · heard: {heard}",
    )


async def _hear_of_the_end(stage: VoiceStage) -> None:
    stage.chat.scene("The job settles, and the bot says so by itself")
    finished_at = stage.discord.seconds()
    stage.model.may_finish.set()
    notice = await stage.listen(after_seconds=finished_at)
    stage.report.time("voice_last_words_to_notice", notice.started_at_seconds - finished_at)
    heard = await stage.write_down(notice)
    job = stage.bot.job("fibonacci")
    took = _spoken_duration(heard)
    meant = f"Heads up — fibonacci just finished after {took}. Want the rundown?"
    stage.spoke(meant, heard, notice)
    stage.report.check(
        "a notice is spoken when the job has ended",
        job["status"] == "completed" and sounds_like(meant, heard),
        f"stored: {job['status']}; heard: {heard}",
    )
    answer = await stage.ask(stage.alice, "Yes, please.", label="rundown")
    said = answer.model.meant
    stage.report.check(
        '"yes" gives the rundown, made of the true result',
        "377" in said and str(job["status"]) in said and "377" in str(job["summary"]),
        f"said: {said}",
    )
    posted = [m for m in stage.lounge.messages_for(stage.alice.person) if m.text.startswith("🔔")]
    stage.report.check(
        "a notice that was heard is not posted besides", not posted, f"{len(posted)} posted"
    )


def _spoken_duration(heard: str) -> str:
    found = re.search(r"after (.+?)[.,;]", heard)
    return found[1] if found else "a while"


async def _write(stage: VoiceStage) -> None:
    stage.chat.scene("She writes in the channel's chat; the service of the voice has failed")
    number, refused = len(stage.model.turns) + 1, stage.edge.refused
    stage.edge.fault = Fault.UNAVAILABLE
    question = stage.alice.person.say(
        stage.lounge, "Where can I read more about rabbits?", mention_bot=False
    )
    stage.chat.show(question)
    turn = await stage.model.turn(number, timeout_seconds=SECONDS)
    speech = await stage.listen(after_seconds=turn.answered_at_seconds)
    answer = await stage.sees(
        lambda message: message.reply_to == question.id and message.text == turn.meant
    )
    stage.report.check(
        "what is written there is answered in writing", answer.text == turn.meant, answer.text
    )
    await stage.check_heard("in writing", turn.meant, speech)
    stage.report.check(
        "where the voice's service fails, the voice that is shipped steps in",
        stage.edge.refused > refused,
        f"{stage.edge.refused - refused} requests refused, and all of it heard",
    )


async def _examine(stage: VoiceStage) -> None:
    stage.chat.scene("She has the line examined")
    began = stage.discord.seconds()
    try:
        async with asyncio.TaskGroup() as tasks:
            asking = tasks.create_task(stage.command("voice doctor"))
            await stage.listen(after_seconds=began)
            await stage.say(stage.alice, "One, two, three.")
    except BaseExceptionGroup as group:
        raise group.exceptions[0] from None
    text = asking.result()
    stage.edge.fault = None
    stage.report.check("/voice doctor hears her", "✅ I can hear you" in text, text.splitlines()[0])
    stage.report.check(
        "the line is encrypted from end to end",
        "end-to-end encrypted (DAVE)" in text,
        _with(text, "🔌"),
    )
    stage.report.check(
        "nothing was received that could not be decrypted",
        "undecryptable" not in text and not sum(stage.alice.talker.recording.unreadable.values()),
        _with(text, "📦"),
    )
    stage.report.check(
        "/voice doctor says that the shipped voice steps in",
        "hibari" in _with(text, "⚙️"),
        _with(text, "⚙️"),
    )


def _with(text: str, sign: str) -> str:
    return next((line for line in text.splitlines() if line.startswith(sign)), "nothing")


async def _hang_up(stage: VoiceStage) -> None:
    stage.chat.scene("Alice hangs up")
    told = await stage.command("hangup")
    stage.report.check("the line is closed", "Hung up" in told, told)
    await stage.lounge.empty_of_bot(timeout_seconds=SECONDS)
    status = await stage.sees(lambda message: is_status(message) and "hung up" in message.text)
    stage.report.check(
        "the status message tells how it ended", status.is_edited, status.text.splitlines()[0]
    )


def is_status(message: Message) -> bool:
    """Say whether a message is the status message of a line."""
    return message.text.startswith("☎️")
