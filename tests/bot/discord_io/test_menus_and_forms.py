"""Menus, forms, and commands in the menu of a message, on the real discord.py."""

from pathlib import Path

import pytest

from bot.access import Person, Place
from bot.conversation.incoming import Attachment, ButtonPress, IncomingMessage
from bot.discord_io.interactions import UNKNOWN_BUTTON
from bot.discord_io.link import DiscordLink
from bot.messenger import (
    Button,
    ButtonAction,
    Form,
    FormField,
    Menu,
    MenuOption,
    MessageContent,
    MessageRef,
)
from bot.redaction import REDACTED, Redactor
from simulator.discord import DiscordSimulator, TextChannel, running_discord
from simulator.discord.interaction import CallbackKind
from tests.fakes.discord_bot import bot_on
from tests.fakes.listener import FakeListener

CALLBACK = "/interactions/{interaction_id}/{interaction_token}/callback"
ASK = ButtonAction(verb="ask", subject="q1")
ANSWER = ButtonAction(verb="answer", subject="q1")
MENU = Menu(
    action=ASK,
    options=(MenuOption(label="Red", value="r"), MenuOption(label="Blue", value="b")),
    least=1,
    most=2,
)
QUESTION = MessageContent(
    text="Which?", menus=(MENU,), buttons=(Button(label="Other", action=ANSWER),)
)
FORM = Form(
    title="Something else",
    action=ANSWER,
    fields=(
        FormField(key="colour", label="Which?", value="green"),
        FormField(key="why", label="Why?", is_long=True, is_required=False),
    ),
)


def place_of(discord: DiscordSimulator, channel: TextChannel) -> Place:
    return Place(guild_id=discord.guild.id, channel_id=channel.id)


async def test_what_is_chosen_from_a_menu_comes_as_a_press_with_its_values(tmp_path: Path) -> None:
    listener = FakeListener()
    listener.answer_press = lambda press: MessageContent(text=f"chosen: {press.chosen}")
    async with running_discord(tmp_path) as discord, bot_on(discord, listener) as link:
        alice, general = discord.person("alice"), discord.text_channel("general")
        place = place_of(discord, general)
        ref = await link.messenger.post(place, QUESTION, nonce="n")
        (question,) = discord.bot_messages(general)
        reply = await alice.choose(question, "r", "b")
    assert reply is not None
    assert (reply.text, reply.is_ephemeral) == ("chosen: ('r', 'b')", True)
    assert listener.presses == [
        ButtonPress(
            action=ASK,
            message=ref,
            person=Person(id=alice.id, name="alice", guild_id=discord.guild.id),
            place=place,
            chosen=("r", "b"),
        )
    ]


async def test_a_button_opens_a_form_and_what_is_sent_comes_as_a_press(tmp_path: Path) -> None:
    listener = FakeListener()
    listener.make_form = lambda press: FORM if press.action == ANSWER else None
    listener.answer_press = lambda press: MessageContent(text=f"filled: {dict(press.filled)}")
    async with running_discord(tmp_path) as discord, bot_on(discord, listener) as link:
        alice, general = discord.person("alice"), discord.text_channel("general")
        place = place_of(discord, general)
        ref = await link.messenger.post(place, QUESTION, nonce="n")
        (question,) = discord.bot_messages(general)
        form = await alice.click(question, label="Other")
        assert form is not None
        assert form.modal is not None
        assert (form.modal.title, form.modal.fields) == ("Something else", ("colour", "why"))
        assert listener.presses == []
        reply = await alice.submit(form, why="I like it.")
        kinds = [one.request_body["type"] for one in discord.journal.requests("POST", CALLBACK)]
    assert reply is not None
    assert reply.text == "filled: {'colour': 'green', 'why': 'I like it.'}"
    assert kinds == [CallbackKind.MODAL, CallbackKind.DEFERRED_MESSAGE]
    assert listener.presses == [
        ButtonPress(
            action=ANSWER,
            message=ref,
            person=Person(id=alice.id, name="alice", guild_id=discord.guild.id),
            place=place,
            filled={"colour": "green", "why": "I like it."},
        )
    ]


async def test_a_menu_may_open_a_form_too(tmp_path: Path) -> None:
    listener = FakeListener()
    listener.make_form = lambda press: FORM if press.chosen == ("b",) else None
    async with running_discord(tmp_path) as discord, bot_on(discord, listener) as link:
        alice, general = discord.person("alice"), discord.text_channel("general")
        await link.messenger.post(place_of(discord, general), QUESTION, nonce="n")
        (question,) = discord.bot_messages(general)
        form = await alice.choose(question, "b")
        assert await alice.choose(question, "r") is None
    assert form is not None
    assert form.modal is not None


async def test_a_form_that_cannot_be_made_leaves_the_button_to_do_what_it_does(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(press: ButtonPress) -> Form | None:
        raise RuntimeError(press.action.verb)

    listener = FakeListener()
    listener.make_form = fail
    listener.answer_press = lambda _: MessageContent(text="without a form")
    async with running_discord(tmp_path) as discord, bot_on(discord, listener) as link:
        alice, general = discord.person("alice"), discord.text_channel("general")
        await link.messenger.post(place_of(discord, general), QUESTION, nonce="n")
        (question,) = discord.bot_messages(general)
        reply = await alice.click(question, label="Other")
    assert reply is not None
    assert reply.text == "without a form"
    assert "RuntimeError: answer" in caplog.text


@pytest.mark.parametrize("takes_effect", [True, False])
async def test_a_form_whose_answer_is_lost_opens_all_the_same(
    tmp_path: Path, *, takes_effect: bool
) -> None:
    listener = FakeListener()
    listener.make_form = lambda _: FORM
    async with running_discord(tmp_path) as discord, bot_on(discord, listener) as link:
        alice, general = discord.person("alice"), discord.text_channel("general")
        await link.messenger.post(place_of(discord, general), QUESTION, nonce="n")
        (question,) = discord.bot_messages(general)
        discord.cut_next("POST /interactions/.*/callback", takes_effect=takes_effect)
        form = await alice.click(question, label="Other")
    assert form is not None
    assert form.modal is not None


async def test_a_form_holds_no_secret(tmp_path: Path) -> None:
    listener = FakeListener()
    secret = "my-own-secret"
    field = FormField(key="key", label=secret, placeholder=secret, value=secret)
    listener.make_form = lambda _: Form(title=secret, action=ANSWER, fields=(field,))
    link = DiscordLink(Redactor([secret]))
    async with running_discord(tmp_path) as discord, bot_on(discord, listener, link=link):
        alice, general = discord.person("alice"), discord.text_channel("general")
        await link.messenger.post(place_of(discord, general), QUESTION, nonce="n")
        (question,) = discord.bot_messages(general)
        form = await alice.click(question, label="Other")
    assert form is not None
    assert form.modal is not None
    (shown,) = form.modal.form_fields
    assert (form.modal.title, shown.label) == (REDACTED, REDACTED)
    assert secret not in str(form.modal.components)


async def test_a_menu_holds_no_secret(tmp_path: Path) -> None:
    secret = "my-own-secret"
    option = MenuOption(label=secret, value=secret, description=secret)
    menu = Menu(action=ASK, options=(option,), placeholder=secret)
    link = DiscordLink(Redactor([secret]))
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener(), link=link):
        general = discord.text_channel("general")
        content = MessageContent(text="Which?", menus=(menu,))
        await link.messenger.post(place_of(discord, general), content, nonce="n")
        (posted,) = discord.bot_messages(general)
    assert posted.menus[0].placeholder == REDACTED
    assert secret not in str(posted.versions)


async def test_a_menu_that_nobody_knows_says_so(tmp_path: Path) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord, bot_on(discord, listener) as link:
        alice, general = discord.person("alice"), discord.text_channel("general")
        await link.messenger.post(place_of(discord, general), QUESTION, nonce="n")
        (question,) = discord.bot_messages(general)
        question.versions[-1].components[0]["components"][0]["custom_id"] = "someone:else"
        reply = await alice.choose(question, "r")
    assert reply is not None
    assert reply.text == UNKNOWN_BUTTON.text
    assert listener.presses == []


async def test_a_command_in_the_menu_of_a_message_comes_with_that_message(tmp_path: Path) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord, bot_on(discord, listener):
        alice, bob = discord.person("alice"), discord.person("bob")
        general = discord.text_channel("general")
        await discord.commands_registered("status")
        said = bob.say(general, "why is the sky blue?", mention_bot=False, files={"sky.txt": b"?"})
        reply = await alice.use_on(said, "Ask Papercup")
    assert (reply.text, reply.is_ephemeral) == ("/Ask Papercup is done.", True)
    (call,) = listener.calls
    assert (call.name, dict(call.options), call.person.name) == ("Ask Papercup", {}, "alice")
    assert call.target is not None
    (file,) = call.target.attachments
    assert call.target == IncomingMessage(
        ref=MessageRef(channel_id=general.id, message_id=said.id),
        author=Person(id=bob.id, name="bob"),
        place=place_of(discord, general),
        text="why is the sky blue?",
        mentions_bot=False,
        attachments=(
            Attachment(
                id=said.files[0].id,
                name="sky.txt",
                size_bytes=1,
                content_type="text/plain",
                url=file.url,
            ),
        ),
    )


async def test_a_channel_that_is_filled_in_comes_as_its_id(tmp_path: Path) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord, bot_on(discord, listener):
        alice, general = discord.person("alice"), discord.text_channel("general")
        talk = discord.text_channel("talk")
        await discord.commands_registered("bind")
        discord.settings.attachment_bytes = 25 << 20
        await alice.slash(general, "bind", channel=talk)
    (call,) = listener.calls
    assert dict(call.options) == {"channel": str(talk.id)}
    assert call.most_file_bytes == 25 << 20


async def test_what_is_done_in_a_thread_tells_its_channel(tmp_path: Path) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord, bot_on(discord, listener):
        alice, general = discord.person("alice"), discord.text_channel("general")
        await discord.commands_registered("status")
        thread = alice.open_thread(general, "aside")
        await alice.slash(thread, "status")
    (call,) = listener.calls
    assert call.place == Place(guild_id=discord.guild.id, channel_id=thread.id)
    assert call.place.parent_id == general.id


async def test_addresses_in_an_answer_show_no_preview(tmp_path: Path) -> None:
    listener = FakeListener()
    listener.answer_command = lambda _: MessageContent(text="https://e.example " * 200)
    async with running_discord(tmp_path) as discord, bot_on(discord, listener):
        alice, general = discord.person("alice"), discord.text_channel("general")
        await discord.commands_registered("status")
        reply = await alice.slash(general, "status")
        rest = await alice.sees(general, "e.example", after=reply.message)
    assert reply.message is not None
    assert [bool(message.flags & 4) for message in (reply.message, rest)] == [True, True]


async def test_a_very_long_answer_becomes_a_file(tmp_path: Path) -> None:
    listener = FakeListener()
    listener.answer_command = lambda _: MessageContent(text="word " * 5000)
    async with running_discord(tmp_path) as discord, bot_on(discord, listener):
        alice, general = discord.person("alice"), discord.text_channel("general")
        await discord.commands_registered("status")
        reply = await alice.slash(general, "status")
    (file,) = reply.files
    assert file.content.decode().split() == ["word"] * 5000
    assert len(reply.text) <= 2000
