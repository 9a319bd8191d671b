import discord

from bot.discord_io.components import view_of
from bot.messenger import Button, ButtonAction, ButtonStyle, MessageContent


async def test_buttons_carry_their_action_and_are_not_kept_in_memory() -> None:
    action = ButtonAction(verb="cancel", subject="ab12cd34")
    button = Button(label="Cancel", action=action, style=ButtonStyle.DANGER)
    view = view_of(MessageContent(text="", buttons=(button,)))
    assert view is not None
    # discord.py keeps every view that has not ended, for as long as the process lives.
    assert view.is_finished()
    assert [item.to_component_dict() for item in view.children] == [
        {
            "type": 2,
            "label": "Cancel",
            "style": int(discord.ButtonStyle.danger),
            "custom_id": "pc1:cancel:ab12cd34",
            "disabled": False,
        }
    ]


async def test_a_message_without_buttons_has_no_view() -> None:
    assert view_of(MessageContent(text="hello")) is None
