"""What leaves for Discord: no secret is in it, whoever wrote it. Pure."""

from dataclasses import replace

from bot.messenger import Button, File, MessageContent
from bot.redaction import Redactor


def outgoing(content: MessageContent, redactor: Redactor) -> MessageContent:
    """Return what a message may hold of `content`."""
    return replace(
        content,
        text=redactor.redact(content.text),
        buttons=tuple(_button(button, redactor) for button in content.buttons),
        files=tuple(_file(file, redactor) for file in content.files),
    )


def _button(button: Button, redactor: Redactor) -> Button:
    return replace(button, label=redactor.redact(button.label))


def _file(file: File, redactor: Redactor) -> File:
    return File(name=redactor.redact(file.name), content=redactor.redact_bytes(file.content))
