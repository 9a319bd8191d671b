from typing import Any

import discord
import pytest

from bot.discord_io.components import custom_ids_of, modal_of, view_of
from bot.messenger import (
    Button,
    ButtonAction,
    ButtonStyle,
    Form,
    FormField,
    Menu,
    MenuOption,
    MessageContent,
)

CANCEL = ButtonAction(verb="cancel", subject="ab12cd34")


def button(number: int) -> Button:
    return Button(label=f"No. {number}", action=ButtonAction(verb="take", subject=str(number)))


def menu(number: int) -> Menu:
    options = (MenuOption(label="One", value="1", description="The first."),)
    return Menu(action=ButtonAction(verb="choose", subject=str(number)), options=options)


def rows_of(content: MessageContent) -> list[list[str]]:
    view = view_of(content)
    assert view is not None
    return [[item["custom_id"] for item in row["components"]] for row in view.to_components()]


async def test_buttons_carry_their_action_and_are_not_kept_in_memory() -> None:
    cancel = Button(label="Cancel", action=CANCEL, style=ButtonStyle.DANGER)
    view = view_of(MessageContent(text="", buttons=(cancel,)))
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


@pytest.mark.parametrize(
    ("style", "number"),
    [(ButtonStyle.PLAIN, 2), (ButtonStyle.PRIMARY, 1), (ButtonStyle.DANGER, 4)],
)
async def test_every_style_of_a_button_is_one_of_discords(style: ButtonStyle, number: int) -> None:
    view = view_of(
        MessageContent(text="", buttons=(Button(label="Go", action=CANCEL, style=style),))
    )
    assert view is not None
    assert view.to_components()[0]["components"][0]["style"] == number


async def test_a_menu_has_its_options_and_says_how_many_may_be_chosen() -> None:
    options = (
        MenuOption(label="x" * 200, value="long"),
        MenuOption(label="Short", value="short", description="y" * 200),
    )
    several = Menu(action=CANCEL, options=options, placeholder="Which ones?", least=0, most=2)
    view = view_of(MessageContent(text="", menus=(several,)))
    assert view is not None
    assert view.is_finished()
    (row,) = view.to_components()
    assert row["components"] == [
        {
            "type": 3,
            "custom_id": "pc1:cancel:ab12cd34",
            "placeholder": "Which ones?",
            "min_values": 0,
            "max_values": 2,
            "disabled": False,
            "required": True,
            "options": [
                {"label": "x" * 99 + "…", "value": "long", "default": False},
                {
                    "label": "Short",
                    "value": "short",
                    "description": "y" * 99 + "…",
                    "default": False,
                },
            ],
        }
    ]


async def test_menus_stand_above_the_buttons_of_which_there_are_five_in_a_row() -> None:
    content = MessageContent(
        text="", menus=(menu(1), menu(2)), buttons=tuple(button(number) for number in range(7))
    )
    take = [f"pc1:take:{number}" for number in range(7)]
    assert rows_of(content) == [["pc1:choose:1"], ["pc1:choose:2"], take[:5], take[5:]]
    assert custom_ids_of(content) == ["pc1:choose:1", "pc1:choose:2", *take]


async def test_five_rows_are_taken_and_no_more() -> None:
    full = MessageContent(text="", buttons=tuple(button(number) for number in range(25)))
    assert [len(row) for row in rows_of(full)] == [5] * 5
    with pytest.raises(ValueError, match="row"):
        view_of(MessageContent(text="", menus=(menu(1),), buttons=full.buttons))


async def test_a_message_without_buttons_has_no_view() -> None:
    assert view_of(MessageContent(text="hello")) is None


async def test_a_form_has_its_fields_and_is_not_kept_in_memory() -> None:
    form = Form(
        title="t" * 60,
        action=ButtonAction(verb="answer", subject="q1"),
        fields=(
            FormField(key="why", label="Why?", is_long=True, placeholder="Because …"),
            FormField(key="who", label="Who?", is_required=False, value="me", longest=1),
        ),
    )
    modal = modal_of(form)
    assert modal.is_finished()
    told: Any = modal.to_dict()
    assert (told["custom_id"], told["title"]) == ("pc1:answer:q1", "t" * 44 + "…")
    assert told["components"] == [
        {
            "type": 18,
            "label": "Why?",
            "component": {
                "type": 4,
                "custom_id": "why",
                "style": 2,
                "label": None,
                "placeholder": "Because …",
                "required": True,
                "max_length": 2000,
            },
        },
        {
            "type": 18,
            "label": "Who?",
            "component": {
                "type": 4,
                "custom_id": "who",
                "style": 1,
                "label": None,
                "value": "m",
                "required": False,
                "max_length": 1,
            },
        },
    ]
