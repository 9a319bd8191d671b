"""The ways in which somebody may come in: each says whether what was wanted was done.

Wherever something is to be seen of it, that is looked at, not what is said.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from bot.access import Place
from bot.commands.table import ASK, START_A_JOB
from bot.conversation.line_status import PUSH_VERB
from bot.messenger import ButtonAction, MessageRef
from bot.notices.notice import RUNDOWN_VERB
from bot.questions.question import FreeText
from bot.questions.view import TEXT_FIELD, WRITTEN_VERB
from bot.speaker.speaker import Answered
from tests.fakes.office import HERE
from tests.fakes.scene import (
    AFRESH,
    ARGUMENTS,
    BOUND,
    FREE,
    LINE,
    PLUGIN,
    REFUSALS,
    ROLL,
    SOMEBODY,
    SUMMARY,
    Scene,
)
from tests.fakes.waiting import until

# What is written.


async def message(scene: Scene) -> bool:
    ref = await scene.office.say(scene.person)
    replies = scene.replies(ref)
    assert set(replies) <= REFUSALS
    taken = scene.conversation.waiting_turn(ref) is not None
    assert not (taken and replies)
    return taken


async def edit(scene: Scene) -> bool:
    """Mention the bot only in the new version of a message."""
    written = scene.office.message(scene.person, mentions=False)
    await scene.office.desk.message_arrived(written)
    assert scene.conversation.waiting_turn(written.ref) is None
    await scene.office.desk.message_edited(replace(written, mentions_bot=True))
    return scene.conversation.waiting_turn(written.ref) is not None


async def message_where_nobody_is_asked(scene: Scene) -> bool:
    before = len(scene.office.speaker(FREE).asked)
    ref = await scene.office.say(scene.person, place=FREE)
    if await scene.office.messages.state_of(ref) is None:
        return False
    return await _is_answered(scene, FREE, ref, before)


# Commands, typed and in the menu of a message.


async def command(scene: Scene, name: str, options: Mapping[str, str]) -> bool:
    return await scene.call(name, options) not in REFUSALS


async def change(scene: Scene, name: str, options: Mapping[str, str]) -> bool:
    """Call what changes the session here."""
    before = scene.conversation.session
    await scene.call(name, options)
    return scene.conversation.session != before


async def pickup(scene: Scene, place: Place, options: Mapping[str, str] | None = None) -> bool:
    await scene.call("pickup", options, place=place)
    return scene.session(place) is not None


async def new(scene: Scene) -> bool:
    before = scene.session(AFRESH)
    await scene.call("new", place=AFRESH)
    return scene.session(AFRESH) != before


async def resume(scene: Scene) -> bool:
    await scene.call("resume", {"name": scene.elsewhere.id})
    session = scene.session(HERE)
    return session is not None and session.id == scene.elsewhere.id


async def hangup(scene: Scene) -> bool:
    await scene.call("hangup")
    return scene.session(HERE) is None


async def change_of_line(scene: Scene, name: str, options: Mapping[str, str]) -> bool:
    """Call what changes the voice line."""
    before = scene.line.kept
    await scene.call(name, options)
    return scene.line.kept != before


async def bind(scene: Scene) -> bool:
    await scene.call("bind")
    return scene.office.bound.is_bound_itself(HERE)


async def unbind(scene: Scene) -> bool:
    await scene.office.bound.bind(BOUND, by=SOMEBODY.id)
    await scene.call("unbind", place=BOUND)
    return not scene.office.bound.is_bound_itself(BOUND)


async def list_of_jobs(scene: Scene) -> bool:
    return scene.job.name in await scene.call("jobs list")


async def list_of_sessions(scene: Scene) -> bool:
    return scene.elsewhere.name in await scene.call("sessions")


async def show_of_job(scene: Scene) -> bool:
    return SUMMARY in await scene.call("jobs show", {"job": scene.job.id})


async def file_of_job(scene: Scene, name: str) -> bool:
    """Call what answers with files of the job that has ended."""
    told = await scene.call(name, {"job": scene.job.id})
    return told.startswith(("What **fibonacci** did", "Files of **fibonacci**"))


async def cancel_of_job(scene: Scene) -> bool:
    job = scene.running["command"]
    await scene.call("jobs cancel", {"job": job.name})
    return scene.is_told_to_end(job)


async def ask(scene: Scene) -> bool:
    before = scene.conversation.waiting_turns
    await scene.call(ASK, target=scene.office.message(SOMEBODY))
    return scene.conversation.waiting_turns > before


async def ask_where_nobody_is_asked(scene: Scene) -> bool:
    before = len(scene.office.speaker(FREE).asked)
    target = scene.office.message(SOMEBODY, place=FREE)
    if await scene.call(ASK, place=FREE, target=target) in REFUSALS:
        return False
    return await _is_answered(scene, FREE, target.ref, before)


async def start_of_job(scene: Scene) -> bool:
    await scene.call(START_A_JOB, target=scene.office.message(SOMEBODY, "Count the words."))
    started = await scene.office.jobs.recent(9, lambda job: "Count the words." in job.task)
    assert all(job.origin.person_id == scene.person.id for job in started)
    return len(started) == 1


async def completion(
    scene: Scene, name: str, option: str, wanted: str, given: Mapping[str, str] | None = None
) -> bool:
    return wanted in await scene.complete(name, option, given)


async def command_of_plugin(scene: Scene, name: str, options: Mapping[str, str]) -> bool:
    """Call a command that a plugin brings along."""
    before = len(scene.office.plugins.ran)
    await scene.call(name, options)
    return len(scene.office.plugins.ran) > before


async def reload_of_plugin(scene: Scene) -> bool:
    before = len(scene.office.plugins.reloaded)
    await scene.call("plugin reload", {"name": PLUGIN})
    return len(scene.office.plugins.reloaded) > before


async def typed_command(scene: Scene) -> bool:
    """Write a command that a plugin brings along into a message."""
    before = len(scene.office.plugins.ran)
    ref = await scene.office.say(scene.person, f"/{ROLL} {ARGUMENTS}")
    assert scene.conversation.waiting_turn(ref) is None
    if await scene.office.messages.state_of(ref) is None:
        return False
    await until(lambda: len(scene.office.plugins.ran) > before)
    return True


# Buttons, menus and forms.


async def button(scene: Scene, verb: str) -> bool:
    """Press what shows something of the job that has ended."""
    content = await scene.press(ButtonAction(verb=verb, subject=scene.job.id))
    assert content is not None
    return bool(content.files) or SUMMARY in content.text


async def cancel_button(scene: Scene) -> bool:
    job = scene.running["button"]
    await scene.press(ButtonAction(verb="cancel", subject=job.id))
    return scene.is_told_to_end(job)


async def resume_button(scene: Scene) -> bool:
    await scene.press(ButtonAction(verb="resume", subject=scene.interrupted.id))
    return scene.office.jobs.is_live(scene.interrupted.id)


async def rundown(scene: Scene) -> bool:
    (wanted,) = [b for b in scene.told.versions[0].buttons if b.action.verb == RUNDOWN_VERB]
    refused = await scene.press(wanted.action)
    if refused is not None:
        return False
    await until(lambda: any(SUMMARY in text for text in scene.replies(scene.told.ref)))
    return True


async def button_of_question(scene: Scene) -> bool:
    posted = await scene.asked("button", choices=2)
    await scene.press(posted.versions[0].buttons[1].action, under=posted)
    return await scene.has_answered("button")


async def menu_of_question(scene: Scene) -> bool:
    posted = await scene.asked("menu", choices=6)
    (menu,) = posted.versions[0].menus
    await scene.press(menu.action, under=posted, chosen=(menu.options[3].value,))
    return await scene.has_answered("menu")


async def form_of_question(scene: Scene) -> bool:
    """Open the form; whoever gets none sends one that they have made themselves."""
    posted = await scene.asked("form", free_text=FreeText())
    (opener,) = posted.versions[0].buttons
    opened = scene.form(opener.action, under=posted)
    told = await scene.press(opener.action, under=posted)
    assert opened is not None or (told is not None and told.text in REFUSALS)
    action = ButtonAction(verb=WRITTEN_VERB, subject="form")
    assert opened is None or opened.action == action
    await scene.press(action, under=posted, filled={TEXT_FIELD: "words"})
    assert await scene.has_answered("form") == (opened is not None)
    return opened is not None


async def talk_button(scene: Scene) -> bool:
    """Press the button to talk on the voice line."""
    pipeline = scene.office.pipelines.made[-1]
    await scene.press(ButtonAction(verb=PUSH_VERB, subject=scene.line.kept.id), place=LINE)
    return scene.person.id in pipeline.pushed


async def said_aloud(scene: Scene) -> bool:
    """Say something in the channel of the voice line."""
    scene.office.door.enters(LINE, scene.person)
    may_talk = scene.line.participant(scene.person.id).may_talk
    speaker = scene.office.speaker(LINE)
    before = len(speaker.asked)
    # What may not talk is no turn for a line; it is forced here, so that it is asked once more.
    scene.office.pipelines.made[-1].hears(scene.person.id, "hi")
    if may_talk:
        await until(lambda: len(speaker.asked) > before)
        speaker.events.put_nowait(Answered())
    else:
        for _ in range(20):
            await asyncio.sleep(0)
    assert (len(speaker.asked) > before) == may_talk
    return may_talk


# What the speaker does in a turn of that person.


async def tool(scene: Scene, name: str, /, **arguments: str | int) -> bool:
    answer = await scene.tool(name, **arguments)
    if answer.is_error:
        return False
    return name == "spawn_extension" or scene.job.name in answer.text


async def cancel_tool(scene: Scene) -> bool:
    job = scene.running["tool"]
    await scene.tool("cancel_extension", id=job.id)
    return scene.is_told_to_end(job)


async def file_tool(scene: Scene) -> bool:
    folder = scene.office.sessions_folder / scene.conversation.session.id
    folder.mkdir(exist_ok=True)
    (folder / "notes.txt").write_text("notes")
    await scene.tool("send_file", path="notes.txt")
    sent = [file for each in scene.office.messenger.messages for file in each.versions[0].files]
    return [file.name for file in sent] == ["notes.txt"]


async def _is_answered(scene: Scene, place: Place, ref: MessageRef, before: int) -> bool:
    """Say whether the speaker in a place is asked what stands in a message; else that is said."""
    speaker = scene.office.speaker(place)

    def is_refused() -> bool:
        return any(text.startswith("⚠️") for text in scene.replies(ref))

    await until(lambda: len(speaker.asked) > before or is_refused())
    if len(speaker.asked) == before:
        return False
    speaker.events.put_nowait(Answered())
    conversation = scene.office.conversations.in_place(place)
    assert conversation is not None
    await until(lambda: conversation.running_turn is None)
    return True
