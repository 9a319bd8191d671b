import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.discord_io.custom_id import custom_id_of
from bot.messenger import ButtonAction
from bot.plugin_services.blocks import KeyBinding, Markdown, Widget, read_block
from bot.plugin_services.ui_view import (
    MOST_WIDGETS,
    PluginView,
    notification,
    pressed_key,
)
from extensions.plugins.services import Notify, Severity

LONGEST_ID = "p" + "x" * 63


def widget(widget_id: str, text: str = "body", *keys: str) -> Widget:
    return Widget(
        widget_id=widget_id,
        body=Markdown(text=text),
        keys=tuple(KeyBinding(widget_id=widget_id, key=key) for key in keys),
    )


def test_widgets_stand_in_the_order_in_which_they_came_whichever_changes() -> None:
    view = PluginView(status="ready")
    for block in (widget("a", "A"), widget("b", "B"), widget("a", "A2")):
        view = view.with_widget(block)

    assert view.content("todo").text == "🧩 **todo** · ready\n>>> A2\nB"


def test_the_widget_that_changed_longest_ago_makes_room() -> None:
    view = PluginView()
    for number in range(MOST_WIDGETS):
        view = view.with_widget(widget(f"{number}", f"w{number}"))
    view = view.with_widget(widget("0", "w0")).with_widget(widget("new", "new"))

    assert view.content("todo").text.split("\n")[1:] == [">>> w0", "w2", "w3", "w4", "new"]


def test_an_empty_widget_is_taken_away_and_comes_back_at_the_end() -> None:
    view = PluginView().with_widget(widget("a", "A")).with_widget(widget("b", "B"))
    view = view.with_widget(widget("a", ""))
    assert view.content("todo").text == "🧩 **todo**\n>>> B"
    view = view.with_widget(widget("b", ""))
    assert view.is_empty


def test_a_block_without_keys_is_a_widget_too() -> None:
    view = PluginView().with_widget(read_block({"kind": "progress", "value": 0.5}))
    view = view.with_widget(read_block({"kind": "markdown", "text": "done"}))

    assert view.content("todo").text == "🧩 **todo**\n>>> done"


@given(
    st.sampled_from(["todo", LONGEST_ID]),
    st.text(max_size=60),
    st.text(max_size=60) | st.characters(categories=["Cs"]),
)
def test_every_key_comes_back_from_its_button(plugin_id: str, widget_id: str, key: str) -> None:
    view = PluginView().with_widget(widget(widget_id, "body", "other", key))
    binding = view.bindings[-1]
    button = view.content(plugin_id).buttons[-1]

    custom_id_of(button.action)
    assert button.label
    pressed = pressed_key(button.action.subject)
    assert pressed is not None
    assert pressed.plugin_id == plugin_id
    assert pressed.among(view.bindings) == binding
    assert pressed.among(()) is None
    if pressed.binding is not None:
        assert (pressed.binding.widget_id, pressed.binding.key) == (widget_id, binding.key)


@pytest.mark.parametrize("subject", ["", "todo", "todo:w"])
def test_what_is_no_key_is_not_taken_for_one(subject: str) -> None:
    assert pressed_key(subject) is None


@given(st.text(max_size=3000), st.text(max_size=9000), st.sampled_from(Severity))
def test_whatever_a_plugin_says_fits_into_a_message(
    status: str, text: str, severity: Severity
) -> None:
    view = PluginView(status=status).with_widget(widget("w", text, *map(str, range(40))))
    content = view.content(LONGEST_ID)

    assert len(content.text) <= 2000
    assert len(content.buttons) <= 25
    assert len(notification(LONGEST_ID, Notify(message=text, severity=severity)).text) <= 2000


def test_a_button_is_called_by_what_its_key_does() -> None:
    keys = [{"key": "a", "description": "Add\u202e one"}, {"key": "\u200b"}]
    block = read_block({"kind": "widget", "widget_id": "w", "body": {}, "keybindings": keys})
    buttons = PluginView().with_widget(block).content("todo").buttons

    assert [button.label for button in buttons] == ["Add one", "·"]
    assert buttons[0].action == ButtonAction(verb="plugin_key", subject="todo:w:a")
