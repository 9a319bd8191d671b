"""How what plugins show looks: which of its words are a plugin's can always be told. Pure."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import quote, unquote

from bot.messenger import Button, ButtonAction, MessageContent
from bot.plugin_services.blocks import (
    Block,
    KeyBinding,
    Stack,
    Widget,
    bindings_of,
    is_empty,
)
from bot.plugin_services.render import drawn
from bot.quoting import cleaned, plain, quotation
from bot.wording import shortened
from extensions.plugins.services import Notify, Severity

CARD = "plugin"
"""The kind of the cards with what plugins show."""
KEY_VERB = "plugin_key"
"""Of a button that is a key of a widget."""
MOST_WIDGETS = 5
"""Of one plugin in one place; the one that changed longest ago makes room."""

_MARKS = {Severity.INFO: "💬", Severity.WARN: "⚠️", Severity.ERROR: "❌"}
_NAME_CHARACTERS = 64
_LINE_CHARACTERS = 300
_MESSAGE_CHARACTERS = 1500
_STATUS_CHARACTERS = 200
_LABEL_CHARACTERS = 80
_MOST_CHARACTERS = 2000
_SUBJECT_CHARACTERS = 80
"""What a button has room for, besides its verb."""
_DIGEST = "#"
"""Stands before a digest; no quoted name begins so."""
_QUOTE = "\n>>> "
"""All that follows in the message stands behind a bar."""


def name_of(plugin_id: str) -> str:
    """Return a plugin's name as it stands in messages."""
    return f"**{plain(plugin_id, _NAME_CHARACTERS)}**"


def notification(plugin_id: str, request: Notify) -> MessageContent:
    """Return the message with which a plugin tells people something."""
    head = f"{_MARKS[request.severity]} {name_of(plugin_id)}"
    words = cleaned(request.message).strip()
    line = plain(words, _LINE_CHARACTERS)
    if "\n" not in words and len(words) <= _LINE_CHARACTERS:
        text = f"{head}: {line}"
    else:
        text = f"{head}\n{quotation(words, _MESSAGE_CHARACTERS)}"
    return MessageContent(text=text, is_silent=request.severity is Severity.INFO)


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginView:
    """What one plugin shows in one place."""

    status: str = ""
    widgets: Mapping[str, Block] = field(default_factory=dict[str, Block])
    """By their ids; the one that changed last comes last."""
    order: tuple[str, ...] = ()
    """Their ids, in the order in which they stand."""

    def with_status(self, status: str) -> "PluginView":
        """Return the view with another line of status."""
        return replace(self, status=status)

    def with_widget(self, block: Block) -> "PluginView":
        """Return the view with a widget in place of the one with its id; an empty one is gone."""
        widget_id = block.widget_id if isinstance(block, Widget) else ""
        widgets = {key: value for key, value in self.widgets.items() if key != widget_id}
        if not is_empty(block):
            widgets[widget_id] = block
        for oldest in list(widgets)[:-MOST_WIDGETS]:
            del widgets[oldest]
        order = self.order if widget_id in self.order else (*self.order, widget_id)
        return replace(
            self, widgets=widgets, order=tuple(each for each in order if each in widgets)
        )

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to be seen."""
        return not self.status.strip() and not self.widgets

    @property
    def bindings(self) -> tuple[KeyBinding, ...]:
        """The keys that people may press."""
        return bindings_of(self._all)

    @property
    def _all(self) -> Block:
        return Stack(children=tuple(self.widgets[each] for each in self.order))

    def content(self, plugin_id: str) -> MessageContent:
        """Return the card that shows it."""
        head = f"🧩 {name_of(plugin_id)}"
        if status := plain(self.status, _STATUS_CHARACTERS):
            head = f"{head} · {status}"
        body = drawn(self._all, _MOST_CHARACTERS - len(head) - len(_QUOTE))
        return MessageContent(
            text=f"{head}{_QUOTE}{body}" if body else head,
            buttons=tuple(_button(plugin_id, binding) for binding in self.bindings),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PressedKey:
    """Which key a button stands for."""

    plugin_id: str
    widget_id: str = ""
    key: str = ""
    digest: str = ""
    """Stands for the two, if they are too long for a button."""

    def among(self, bindings: Sequence[KeyBinding]) -> KeyBinding | None:
        """Return the key that it is, if it is one of those."""
        for binding in bindings:
            is_it = (binding.widget_id, binding.key) == (self.widget_id, self.key)
            if _digest_of(binding) == self.digest if self.digest else is_it:
                return binding
        return None

    @property
    def binding(self) -> KeyBinding | None:
        """The key, as far as the button alone tells."""
        return None if self.digest else KeyBinding(widget_id=self.widget_id, key=self.key)


def pressed_key(subject: str) -> PressedKey | None:
    """Return which key a button stands for; `None` if it is none of ours."""
    plugin_id, _, rest = subject.partition(":")
    if rest.startswith(_DIGEST):
        return PressedKey(plugin_id=plugin_id, digest=rest.removeprefix(_DIGEST))
    widget_id, found, key = rest.partition(":")
    if not found:
        return None
    return PressedKey(plugin_id=plugin_id, widget_id=unquote(widget_id), key=unquote(key))


def _button(plugin_id: str, binding: KeyBinding) -> Button:
    label = " ".join(cleaned(binding.description or binding.key).split())
    return Button(
        label=shortened(label, _LABEL_CHARACTERS) or "·",
        action=ButtonAction(verb=KEY_VERB, subject=_subject(plugin_id, binding)),
    )


def _subject(plugin_id: str, binding: KeyBinding) -> str:
    widget_id, key = (
        quote(text, safe="", errors="replace") for text in (binding.widget_id, binding.key)
    )
    told = f"{plugin_id}:{widget_id}:{key}"
    # A lone half of a character would not come back as it was.
    is_exact = unquote(widget_id) == binding.widget_id and unquote(key) == binding.key
    if is_exact and len(told) <= _SUBJECT_CHARACTERS:
        return told
    return f"{plugin_id}:{_DIGEST}{_digest_of(binding)}"


def _digest_of(binding: KeyBinding) -> str:
    named = f"{binding.widget_id}\0{binding.key}".encode(errors="surrogatepass")
    return hashlib.blake2s(named, digest_size=6).hexdigest()
