from typing import Any

import pytest

from extensions.plugins.fields import BadFieldError, Fields
from extensions.plugins.services import (
    CANCELLED,
    Confirm,
    Input,
    Notify,
    Select,
    SetStatus,
    SetTitle,
    SetWidget,
    Severity,
    UiAnswer,
    UiRequest,
)
from extensions.plugins.ui_fields import read_ui_request, written_answer

WIDGET = {"kind": "markdown", "text": "hi"}


@pytest.mark.parametrize(
    ("params", "request_"),
    [
        (
            {"kind": "select", "prompt": "p", "options": ["a", "b"]},
            Select(prompt="p", options=("a", "b")),
        ),
        ({"kind": "confirm", "prompt": "p"}, Confirm(prompt="p")),
        ({"kind": "input", "prompt": "p"}, Input(prompt="p")),
        ({"kind": "input", "prompt": "p", "default": "d"}, Input(prompt="p", default="d")),
        ({"kind": "notify", "message": "m"}, Notify(message="m")),
        (
            {"kind": "notify", "message": "m", "level": "error"},
            Notify(message="m", severity=Severity.ERROR),
        ),
        ({"kind": "set_status", "status": ""}, SetStatus(status="")),
        ({"kind": "set_widget", "widget": WIDGET}, SetWidget(widget=WIDGET)),
        ({"kind": "set_title", "title": "t"}, SetTitle(title="t")),
        ({"kind": "confirm", "prompt": "p", "context": {}}, Confirm(prompt="p")),
    ],
)
def test_each_kind_is_read(params: dict[str, Any], request_: UiRequest) -> None:
    assert read_ui_request(Fields(params)) == request_


@pytest.mark.parametrize(
    ("params", "reason"),
    [
        ({}, "kind is missing"),
        ({"kind": "editor"}, "kind has to be one of select, confirm"),
        ({"kind": "select", "prompt": "p"}, "options is missing"),
        ({"kind": "select", "prompt": "p", "options": []}, "options is empty"),
        ({"kind": "select", "prompt": "p", "options": ["a", 1]}, "options has to be a list"),
        ({"kind": "notify"}, "message is missing"),
        ({"kind": "notify", "message": "m", "level": "loud"}, "level has to be one of info"),
        ({"kind": "confirm", "prompt": "p", "default": "yes"}, "default is not known here"),
        ({"kind": "set_widget", "widget": "w"}, "widget has to be an object"),
    ],
)
def test_what_is_wrong_is_named(params: dict[str, Any], reason: str) -> None:
    with pytest.raises(BadFieldError, match=reason):
        read_ui_request(Fields(params))


@pytest.mark.parametrize(
    ("asked", "answer", "written"),
    [
        (Select(prompt="p", options=("a",)), UiAnswer(value="a"), {"value": "a"}),
        (Confirm(prompt="p"), UiAnswer(confirmed=False), {"confirmed": False}),
        (Input(prompt="p"), UiAnswer(text=""), {"text": ""}),
        (Notify(message="m"), UiAnswer(), {}),
        (SetStatus(status="s"), UiAnswer(), {}),
        (SetWidget(widget={}), UiAnswer(), {}),
        (SetTitle(title="t"), CANCELLED, {"cancelled": True}),
        (Confirm(prompt="p"), CANCELLED, {"cancelled": True}),
    ],
)
def test_answers_say_what_was_asked_for_and_nothing_else(
    asked: UiRequest, answer: UiAnswer, written: dict[str, Any]
) -> None:
    assert written_answer(asked, answer) == written
