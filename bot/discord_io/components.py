"""What a message holds, in discord.py's terms."""

import io
from collections.abc import Iterator

import discord

from bot.discord_io.custom_id import custom_id_of
from bot.messenger import Button, ButtonStyle, Form, FormField, Menu, MenuOption, MessageContent
from bot.wording import shortened

_STYLES = {
    ButtonStyle.PLAIN: discord.ButtonStyle.secondary,
    ButtonStyle.PRIMARY: discord.ButtonStyle.primary,
    ButtonStyle.DANGER: discord.ButtonStyle.danger,
}

_BUTTONS_PER_ROW = 5
_BUTTON_CHARACTERS = 80
_OPTION_CHARACTERS = 100
_PLACEHOLDER_CHARACTERS = 150
_TITLE_CHARACTERS = 45
_FIELD_PLACEHOLDER_CHARACTERS = 100


def view_of(content: MessageContent) -> discord.ui.View | None:
    """Return the menus and buttons of a message; `None` if it has none.

    Raises:
        ValueError: If they are more than five rows.
    """
    if not content.buttons and not content.menus:
        return None
    view = discord.ui.View(timeout=None)
    for row, menu in enumerate(content.menus):
        view.add_item(_select(menu, row))
    for index, button in enumerate(content.buttons):
        view.add_item(_button(button, len(content.menus) + index // _BUTTONS_PER_ROW))
    # A view that has ended is not kept: presses are told by their ids, whoever posted the message.
    view.stop()
    return view


def _select(menu: Menu, row: int) -> discord.ui.Select[discord.ui.View]:
    return discord.ui.Select(
        custom_id=custom_id_of(menu.action),
        placeholder=_cut(menu.placeholder, _PLACEHOLDER_CHARACTERS),
        min_values=menu.least,
        max_values=menu.most,
        options=[_option(option) for option in menu.options],
        row=row,
    )


def _option(option: MenuOption) -> discord.SelectOption:
    return discord.SelectOption(
        label=shortened(option.label, _OPTION_CHARACTERS),
        value=option.value,
        description=_cut(option.description, _OPTION_CHARACTERS),
    )


def _button(button: Button, row: int) -> discord.ui.Button[discord.ui.View]:
    return discord.ui.Button(
        label=shortened(button.label, _BUTTON_CHARACTERS),
        style=_STYLES[button.style],
        custom_id=custom_id_of(button.action),
        row=row,
    )


def modal_of(form: Form) -> discord.ui.Modal:
    """Return the window that a form is filled in."""
    modal = discord.ui.Modal(
        title=shortened(form.title, _TITLE_CHARACTERS), custom_id=custom_id_of(form.action)
    )
    for field in form.fields:
        modal.add_item(_field(field))
    # As with a view: what is sent is told by the form's id.
    modal.stop()
    return modal


def _field(field: FormField) -> discord.ui.Label[discord.ui.Modal]:
    style = discord.TextStyle.paragraph if field.is_long else discord.TextStyle.short
    return discord.ui.Label(
        text=shortened(field.label, _TITLE_CHARACTERS),
        component=discord.ui.TextInput(
            custom_id=field.key,
            style=style,
            placeholder=_cut(field.placeholder, _FIELD_PLACEHOLDER_CHARACTERS),
            default=None if field.value is None else field.value[: field.longest],
            required=field.is_required,
            max_length=field.longest,
        ),
    )


def _cut(text: str | None, limit: int) -> str | None:
    return shortened(text, limit) if text else None


def custom_ids_of(content: MessageContent) -> list[str]:
    """Return the ids of the menus and buttons that a message is to have, from the top."""
    menus = [custom_id_of(menu.action) for menu in content.menus]
    return menus + [custom_id_of(button.action) for button in content.buttons]


def custom_ids_in(message: discord.Message) -> list[str]:
    """Return the ids of the menus and buttons that a message has, from the top."""
    return list(_custom_ids(message))


def _custom_ids(message: discord.Message) -> Iterator[str]:
    for row in message.components:
        if isinstance(row, discord.ActionRow):
            for item in row.children:
                if isinstance(item, discord.Button | discord.SelectMenu) and item.custom_id:
                    yield item.custom_id


def files_of(content: MessageContent) -> list[discord.File]:
    """Return the files of a message, to be sent once."""
    return [discord.File(io.BytesIO(file.content), filename=file.name) for file in content.files]
