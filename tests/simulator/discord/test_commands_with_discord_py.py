"""Commands of every kind, as the real discord.py offers and answers them."""

from collections.abc import AsyncIterator

import pytest

from simulator.discord import DiscordSimulator
from simulator.discord.errors import (
    ApplicationDidNotRespondError,
    BadChoiceError,
    BadFieldError,
    BadOptionError,
    UnknownCommandError,
)
from simulator.discord.journal import CommandCalled, FormSent, MenuChosen
from simulator.discord.model import MessageKind
from simulator.discord.permissions import Permission
from tests.fakes.rich_bot import Chooser, RichBot, running_rich_bot


@pytest.fixture
async def rich(discord: DiscordSimulator) -> AsyncIterator[RichBot]:
    async with running_rich_bot(discord) as running:
        yield running


async def test_a_command_in_the_menu_of_a_message_gets_the_message(
    discord: DiscordSimulator, rich: RichBot
) -> None:
    del rich
    alice, bob = discord.person("alice"), discord.person("bob")
    said = alice.say(
        discord.text_channel("general"), "look", mention_bot=False, files={"a.txt": b"a"}
    )
    reply = await bob.use_on(said, "Ask Me")
    assert (reply.text, reply.is_ephemeral) == ("alice: look [a.txt]", True)
    assert reply.message is not None
    assert (reply.message.kind, reply.message.command) == (MessageKind.MENU_COMMAND, "Ask Me")
    assert [called.text for called in discord.journal.of(CommandCalled)] == ["Ask Me"]


async def test_a_command_in_the_menu_of_a_person_gets_the_person(
    discord: DiscordSimulator, rich: RichBot
) -> None:
    del rich
    alice, general = discord.person("alice"), discord.text_channel("general")
    alice.give(discord.role("admins"))
    reply = await discord.person("bob").use_on(alice, "Greet", channel=general)
    assert reply.text == "hello alice (@everyone, admins)"


async def test_a_command_is_in_the_menu_for_which_it_was_made(
    discord: DiscordSimulator, rich: RichBot
) -> None:
    del rich
    alice, general = discord.person("alice"), discord.text_channel("general")
    said = alice.say(general, "look", mention_bot=False)
    with pytest.raises(UnknownCommandError, match="Greet; there are Ask Me, Ask Back"):
        await alice.use_on(said, "Greet")
    with pytest.raises(UnknownCommandError):
        await alice.slash(general, "Ask Me")
    assert await discord.commands_registered("Ask Me", "Greet", "bind")


async def test_it_is_seen_when_a_command_is_taken_back(
    discord: DiscordSimulator, rich: RichBot
) -> None:
    assert "bind" in discord.commands
    rich.tree.remove_command("bind")
    await rich.tree.sync()
    left = await discord.commands_withdrawn("bind", "no-such-command")
    assert {"Ask Me", "Greet"} <= set(left)
    with pytest.raises(TimeoutError):
        await discord.commands_withdrawn("Ask Me", timeout_seconds=0.01)


async def test_a_menu_gives_what_was_chosen(discord: DiscordSimulator, rich: RichBot) -> None:
    alice, general = discord.person("alice"), discord.text_channel("general")
    await rich.channel(general.id).send("choose", view=Chooser())
    message = await alice.sees(general, "choose")
    (menu,) = message.menus
    assert (menu.placeholder, menu.values) == ("Which?", ("red", "green", "blue"))
    reply = await alice.choose(message, "red", "blue")
    assert reply is not None
    assert (reply.text, reply.is_ephemeral) == ("red, blue", True)
    assert [chosen.values for chosen in discord.journal.of(MenuChosen)] == [("red", "blue")]


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (("red", "green", "blue"), "1 to 2 must be chosen, not 3"),
        ((), "1 to 2 must be chosen, not 0"),
        (("pink",), "there is no 'pink' in it"),
        (("red", "red"), "each can be chosen once"),
    ],
)
async def test_what_a_menu_does_not_offer_cannot_be_chosen(
    discord: DiscordSimulator, rich: RichBot, values: tuple[str, ...], reason: str
) -> None:
    alice, general = discord.person("alice"), discord.text_channel("general")
    await rich.channel(general.id).send("choose", view=Chooser())
    message = await alice.sees(general, "choose")
    with pytest.raises(BadChoiceError, match=reason):
        await alice.choose(message, *values)
    with pytest.raises(BadChoiceError, match="there are 'chooser:menu'"):
        await alice.choose(message, "red", custom_id="other")


async def test_a_form_that_a_button_opens_changes_the_message(
    discord: DiscordSimulator, rich: RichBot
) -> None:
    alice, general = discord.person("alice"), discord.text_channel("general")
    await rich.channel(general.id).send("choose", view=Chooser())
    message = await alice.sees(general, "choose")
    form = await alice.click(message, label="Tell why")
    assert form is not None
    assert form.modal is not None
    assert [field.label for field in form.modal.form_fields] == ["Reason", "Colour", "More"]
    reply = await alice.submit(form.modal, reason="it rains", colour="green")
    assert reply is not None
    assert (reply.text, reply.is_update) == ("green: it rains; no more", True)
    assert [sent.title for sent in discord.journal.of(FormSent)] == ["A survey"]


async def test_a_form_that_a_command_opens_is_answered(
    discord: DiscordSimulator, rich: RichBot
) -> None:
    del rich
    alice = discord.person("alice")
    said = alice.say(discord.text_channel("general"), "look", mention_bot=False)
    form = await alice.use_on(said, "Ask Back")
    reply = await alice.submit(
        form, {"reason": "so", "more": "of it"} | {"reason": "so!"}, colour="red"
    )
    assert reply is not None
    assert (reply.text, reply.is_ephemeral) == ("red: so!; of it", True)


@pytest.mark.parametrize(
    ("filled", "field", "reason"),
    [
        ({"reason": "x", "colour": "red"}, "reason", "3 to 10 characters, not 1"),
        ({"reason": "x" * 11, "colour": "red"}, "reason", "3 to 10 characters, not 11"),
        ({"colour": "red"}, "reason", "it is required"),
        ({"reason": "because"}, "colour", "1 to 1 must be chosen, not 0"),
        ({"reason": "because", "colour": "blue"}, "colour", "there is no 'blue' in it"),
        ({"reason": "because", "colour": "red", "who": "I"}, "who", "reason, colour, more"),
        ({"reason": ["a"], "colour": "red"}, "reason", "it takes a text"),
    ],
)
async def test_a_form_that_is_not_filled_in_as_asked_is_not_sent(
    discord: DiscordSimulator,
    rich: RichBot,
    filled: dict[str, str],
    field: str,
    reason: str,
) -> None:
    del rich
    alice = discord.person("alice")
    said = alice.say(discord.text_channel("general"), "look", mention_bot=False)
    form = await alice.use_on(said, "Ask Back")
    with pytest.raises(BadFieldError, match=reason) as refused:
        await alice.submit(form, filled)
    assert refused.value.field == field


async def test_things_are_filled_into_options_as_they_are(
    discord: DiscordSimulator, rich: RichBot
) -> None:
    del rich
    alice, general = discord.person("alice"), discord.text_channel("general")
    things = {
        "where": discord.text_channel("news"),
        "who": discord.person("bob"),
        "role": discord.role("admins"),
        "what": alice.file("notes.txt", b"12345"),
    }
    reply = await alice.slash(general, "bind", **things)  # type: ignore[arg-type]
    assert reply.text == "news bob admins notes.txt 5"
    (called,) = discord.journal.of(CommandCalled)
    assert called.text == "/bind where:#news who:@bob role:@admins what:notes.txt"
    with pytest.raises(BadOptionError, match="not of its type"):
        await alice.slash(general, "bind", **{**things, "who": "bob"})  # type: ignore[arg-type]
    thread = alice.open_thread(general, "a thread")
    with pytest.raises(BadOptionError, match="of another kind"):
        await alice.slash(general, "bind", **{**things, "where": thread})  # type: ignore[arg-type]


async def test_a_command_for_few_is_shown_to_few(discord: DiscordSimulator, rich: RichBot) -> None:
    del rich
    alice, general = discord.person("alice"), discord.text_channel("general")
    with pytest.raises(UnknownCommandError):
        await alice.slash(general, "moderate")
    with pytest.raises(UnknownCommandError):
        await alice.slash(alice.direct_messages(), "moderate")
    alice.give(discord.role("moderators", permissions=Permission.MANAGE_MESSAGES))
    assert (await alice.slash(general, "moderate")).text == "10485760 True"
    discord.refuse_bot(Permission.ADD_REACTIONS)
    discord.settings.attachment_bytes = 1000
    assert (await alice.slash(general, "moderate")).text == "1000 False"


async def test_a_file_in_an_answer_may_be_as_large_as_the_interaction_says(
    discord: DiscordSimulator, rich: RichBot
) -> None:
    del rich
    discord.settings.attachment_bytes = 1000
    alice, general = discord.person("alice"), discord.text_channel("general")
    assert (await alice.slash(general, "large", size=1000)).text == "here"
    assert (await alice.slash(general, "large", size=1001)).text == "413 40005"


async def test_at_most_25_choices_of_100_characters_are_taken(
    discord: DiscordSimulator, rich: RichBot
) -> None:
    del rich
    discord.settings.acknowledge_seconds = 0.3
    alice, general = discord.person("alice"), discord.text_channel("general")
    offered = await alice.autocomplete(general, "many", "what", "some", filled={"other": 7})
    assert (len(offered), offered[1].name) == (25, "some 71")
    for typed in ("much", "long"):
        with pytest.raises(ApplicationDidNotRespondError):
            await alice.autocomplete(general, "many", "what", typed)
