"""A channel as a page that looks like Discord's dark view. Pure; what people wrote is escaped."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from simulator.discord.markdown_html import Names, inline_html, markdown_html
from simulator.discord.model import Account, AccountKind, Message, MessageKind, UploadedFile
from simulator.discord.render_style import STYLE
from simulator.discord.widgets import children_of

_COLOURS = ("#5865f2", "#3ba55d", "#eb459e", "#faa61a", "#ed4245", "#00a8fc", "#9b59b6")
_BOTS_COLOUR = "#d97757"
_BUTTON_CLASSES = {1: "primary", 2: "secondary", 3: "success", 4: "danger", 5: "link"}
_KILO = 1024
_QUOTED_LENGTH = 80
_BUTTON, _TEXT = 2, 10
_SELECTS = frozenset({3, 5, 6, 7, 8})


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelView:
    """What somebody sees of a channel."""

    title: str
    """Its name."""
    messages: Sequence[Message]
    """Oldest first."""
    bot: Account
    names: Names
    shown_at: str
    """What stands beside each author's name, such as `Today at 14:02`."""
    everything: Mapping[int, Message] = field(default_factory=dict[int, Message])
    """All messages by their ids, for those that are replied to."""
    width_pixels: int = 760


def html_of(view: ChannelView) -> str:
    """Return the page; it needs nothing from anywhere."""
    rows: list[str] = []
    before: Message | None = None
    for message in view.messages:
        rows.append(_message(view, message, follows=_follows(before, message)))
        before = message
    title = escape(view.title)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
        f"<style>{STYLE}</style>"
        f'<main style="width:{view.width_pixels}px"><header><b>#</b> {title}</header>'
        f"{''.join(rows)}</main></html>\n"
    )


def _follows(before: Message | None, message: Message) -> bool:
    """Say whether it stands under its author's last one, without a name of its own."""
    return (
        before is not None
        and before.author == message.author
        and before.is_ephemeral == message.is_ephemeral
        and not before.is_system
        and not message.is_system
        and message.reply_to is None
        and message.command is None
    )


def _message(view: ChannelView, message: Message, *, follows: bool) -> str:
    if message.is_system and message.kind is not MessageKind.THREAD_STARTER:
        return _system_line(message)
    classes = "message follows" if follows else "message"
    if message.is_ephemeral:
        classes += " ephemeral"
    avatar = "" if follows else _avatar(view, message.author)
    return (
        f'<section class="{classes}">{_above(view, message)}'
        f'<div class="row"><div class="left">{avatar}</div>'
        f'<div class="body">{"" if follows else _heading(view, message)}{_content(view, message)}'
        "</div></div></section>"
    )


def _system_line(message: Message) -> str:
    name = escape(message.author.name)
    if message.kind is MessageKind.PINNED:
        text, mark = f"<b>{name}</b> pinned <u>a message</u> to this channel.", "📌"
    else:
        text = f"<b>{name}</b> started a thread: <b>{escape(message.text)}</b>"
        mark = "🧵"
    return f'<section class="system"><span>{mark}</span> <div>{text}</div></section>'


def _above(view: ChannelView, message: Message) -> str:
    if message.command is not None:
        caller = (message.interaction or {}).get("user", {}).get("username", "somebody")
        line = (
            f"{_small_avatar(view, caller)}<b>{escape(caller)}</b> used"
            f' <span class="mention">{escape(message.command)}</span>'
        )
        return f'<div class="above">{line}</div>'
    target = view.everything.get(message.reply_to or 0)
    if target is not None:
        text = " ".join(target.text.split())
        cut = text if len(text) <= _QUOTED_LENGTH else f"{text[:_QUOTED_LENGTH]}…"
        shown = inline_html(cut, view.names) or "<em>Click to see attachment</em>"
        line = f"{_small_avatar(view, target.author.name)}<b>{escape(target.author.name)}</b>"
        return f'<div class="above">{line} <span>{shown}</span></div>'
    return ""


def _heading(view: ChannelView, message: Message) -> str:
    name = escape(message.author.name)
    tag = "" if message.author.kind is AccountKind.PERSON else '<span class="tag">APP</span>'
    colour = _colour(view, message.author.name)
    time = f"<time>{escape(view.shown_at)}</time>"
    return f'<div class="head"><b style="color:{colour}">{name}</b>{tag}{time}</div>'


def _content(view: ChannelView, message: Message) -> str:
    now = message.versions[-1]
    parts = [_text(view, message)]
    parts += [_file(file) for file in now.files]
    parts += [_component(view, component) for component in now.components]
    reactions = [(emoji, who) for emoji, who in message.reactions.items() if who]
    if reactions:
        shown = "".join(
            f'<span class="reaction{" own" if view.bot.id in who else ""}">{escape(emoji)}'
            f" <b>{len(who)}</b></span>"
            for emoji, who in reactions
        )
        parts.append(f'<div class="reactions">{shown}</div>')
    thread = view.names.channels.get(message.id)
    if thread is not None:
        link = f"🧵 <b>{escape(thread)}</b> <i>See thread &rsaquo;</i>"
        parts.append(f'<div class="thread">{link}</div>')
    if message.is_ephemeral:
        parts.append('<div class="note">👁 Only you can see this · <u>Dismiss message</u></div>')
    return "".join(parts)


def _text(view: ChannelView, message: Message) -> str:
    if message.is_thinking:
        return f'<div class="text thinking">{escape(message.author.name)} is thinking…</div>'
    edited = '<span class="edited">(edited)</span>' if message.is_edited else ""
    if not message.text:
        return ""
    is_answer = message.command is not None or message.interaction is not None
    shown = markdown_html(message.text, view.names)
    return f'<div class="text">{shown}{"" if is_answer else edited}</div>'


def _file(file: UploadedFile) -> str:
    name = escape(file.name)
    if (file.content_type or "").startswith("image/"):
        data = b64encode(file.content).decode()
        kind = escape((file.content_type or "").split(";")[0])
        return f'<img class="picture" alt="{name}" src="data:{kind};base64,{data}">'
    if file.duration_seconds is not None:
        seconds = round(file.duration_seconds)
        time = f"{seconds // 60}:{seconds % 60:02}"
        return f'<div class="voice"><i>▶</i><span>▁▃▅▂▆▇▃▅▂▁▃▆▅▂▃▁</span><b>{time}</b></div>'
    size = _size(len(file.content))
    return f'<div class="file"><i>📄</i><div><a>{name}</a><small>{size}</small></div></div>'


def _size(count: int) -> str:
    if count < _KILO:
        return f"{count} bytes"
    if count < _KILO * _KILO:
        return f"{count / _KILO:.2f} KB"
    return f"{count / _KILO / _KILO:.2f} MB"


def _component(view: ChannelView, component: Mapping[str, Any]) -> str:
    kind = component["type"]
    if kind == _BUTTON:
        return _button(component)
    if kind in _SELECTS:
        return _select(component)
    if kind == _TEXT:
        return f'<div class="text">{markdown_html(component["content"], view.names)}</div>'
    inner = "".join(_component(view, child) for child in children_of(component))
    return f'<div class="components">{inner}</div>'


def _button(component: Mapping[str, Any]) -> str:
    emoji: Mapping[str, str] = component.get("emoji") or {}
    label: str = component.get("label") or ""
    classes = _BUTTON_CLASSES.get(component["style"], "secondary")
    if component.get("disabled"):
        classes += " disabled"
    shown = " ".join(escape(part) for part in (emoji.get("name"), label) if part)
    mark = " ↗" if classes.startswith("link") else ""
    return f'<span class="button {classes}">{shown}{mark}</span>'


def _select(component: Mapping[str, Any]) -> str:
    options: list[Mapping[str, Any]] = component.get("options") or []
    chosen = [option["label"] for option in options if option.get("default")]
    shown = ", ".join(chosen) or component.get("placeholder") or "Make a selection"
    classes = "select chosen" if chosen else "select"
    return f'<div class="{classes}"><span>{escape(shown)}</span><i>⌄</i></div>'


def _avatar(view: ChannelView, account: Account) -> str:
    colour = _colour(view, account.name)
    return (
        f'<div class="avatar" style="background:{colour}">{escape(account.name[:1].upper())}</div>'
    )


def _small_avatar(view: ChannelView, name: str) -> str:
    colour = _colour(view, name)
    return f'<i class="small" style="background:{colour}">{escape(name[:1].upper())}</i>'


def _colour(view: ChannelView, name: str) -> str:
    if name == view.bot.name:
        return _BOTS_COLOUR
    return _COLOURS[sum(name.encode()) % len(_COLOURS)]
