"""What leaves for Discord: no secret is in it, whoever wrote it."""

import asyncio
from dataclasses import replace

from bot.conversation.incoming import Suggestion
from bot.messenger import Button, File, Form, FormField, Menu, MenuOption, MessageContent
from bot.redaction import Redactor

_QUICK_BYTES = 32_768


def outgoing(content: MessageContent, redactor: Redactor) -> MessageContent:
    """Return what a message may hold of `content`."""
    return replace(
        content,
        text=redactor.redact(content.text),
        buttons=tuple(_button(button, redactor) for button in content.buttons),
        menus=tuple(_menu(menu, redactor) for menu in content.menus),
        files=tuple(_file(file, redactor) for file in content.files),
    )


async def outgoing_with_files(content: MessageContent, redactor: Redactor) -> MessageContent:
    """Return the same without holding up anybody: to look through large files takes seconds."""
    if sum(len(file.content) for file in content.files) <= _QUICK_BYTES:
        return outgoing(content, redactor)
    return await asyncio.to_thread(outgoing, content, redactor)


def outgoing_form(form: Form, redactor: Redactor) -> Form:
    """Return what a form may hold of `form`."""
    fields = tuple(_field(field, redactor) for field in form.fields)
    return replace(form, title=redactor.redact(form.title), fields=fields)


def may_be_suggested(suggestion: Suggestion, redactor: Redactor) -> bool:
    """Say whether no secret is in it; one that is cut out would call the command with another."""
    texts = (suggestion.label, suggestion.value)
    return all(redactor.redact(text) == text for text in texts)


def _button(button: Button, redactor: Redactor) -> Button:
    return replace(button, label=redactor.redact(button.label))


def _menu(menu: Menu, redactor: Redactor) -> Menu:
    options = tuple(_option(option, redactor) for option in menu.options)
    return replace(menu, placeholder=_redacted(menu.placeholder, redactor), options=options)


def _option(option: MenuOption, redactor: Redactor) -> MenuOption:
    return MenuOption(
        label=redactor.redact(option.label),
        value=redactor.redact(option.value),
        description=_redacted(option.description, redactor),
    )


def _field(field: FormField, redactor: Redactor) -> FormField:
    return replace(
        field,
        label=redactor.redact(field.label),
        placeholder=_redacted(field.placeholder, redactor),
        value=_redacted(field.value, redactor),
    )


def _file(file: File, redactor: Redactor) -> File:
    return File(name=redactor.redact(file.name), content=redactor.redact_bytes(file.content))


def _redacted(text: str | None, redactor: Redactor) -> str | None:
    return None if text is None else redactor.redact(text)
