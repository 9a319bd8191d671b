"""The models of the messages take what is right, and say what is wrong with all else."""

from typing import Any

import pytest

from papercup_plugin.conformance import FRAMES, Complaint, check
from papercup_plugin.conformance.samples import all_right, right, wrong
from papercup_plugin.conformance.sep_questions import UI_KINDS

CONTEXT = {"token": "t", "tier": "event"}

WRONG: dict[str, tuple[str, Any, str]] = {
    "a greeting without a version": (
        "sep host initialize params",
        {
            "host": {"name": "a", "version": "1"},
            "workspace": {"root": "/", "trusted": True},
            "mode": "cli",
        },
        "`protocol_version` is missing",
    ),
    "an outcome that there is not": (
        "hook outcome",
        {"action": "dance"},
        "`action` is 'dance'; it has to be one of `continue`, `block`, `modify`",
    ),
    "a change without a patch": ("hook outcome", {"action": "modify"}, "`patch` is missing"),
    "a use of a tool without its id": (
        "sep host tool/execute params",
        {"tool": "a", "arguments": {}, "context": CONTEXT},
        "`call_id` is missing",
    ),
    "a result without content": (
        "sep host tool/execute result",
        {"is_error": True},
        "`content` is missing",
    ),
    "more progress than all": (
        "sep plugin tool/update params",
        {"call_id": "a", "progress": 1.5},
        "`progress` is 1.5; 1 is the most",
    ),
    "another version of JSON-RPC": (
        "request",
        {"jsonrpc": "1.0", "id": 1, "method": "ping"},
        "`jsonrpc` is '1.0'; it has to be one of `2.0`",
    ),
    "a request without a method": ("request", {"jsonrpc": "2.0", "id": 1}, "`method` is missing"),
    "a kind of question that there is not": (
        "sep plugin ui/request params",
        {"kind": "dance"},
        "`kind` is 'dance'; it has to be one of " + ", ".join(f"`{kind}`" for kind in UI_KINDS),
    ),
    "a choice without options": (
        "sep plugin ui/request params",
        {"kind": "select", "prompt": "Which?"},
        "`options` is missing",
    ),
    "a message without words": (
        "sep plugin ui/request params",
        {"kind": "notify"},
        "`message` is missing",
    ),
    "a yes or no with options": (
        "sep plugin ui/request params",
        {"kind": "confirm", "prompt": "?", "options": []},
        "`options` does not belong there",
    ),
    "an act in a session without a context": (
        "sep plugin session/send_message params",
        {"text": "a"},
        "`context` is missing",
    ),
    "a completion without a value": (
        "sep host command/complete result",
        {"completions": [{"description": "a"}]},
        "`completions[0].value` is missing",
    ),
    "a question to a model without its id": (
        "sep host provider/complete params",
        {"provider": "a", "model": "b", "messages": []},
        "`request_id` is missing",
    ),
    "a piece of an answer without what it is": (
        "sep plugin provider/delta params",
        {"request_id": "a"},
        "`event` is missing",
    ),
    "a provider without a name": ("provider", {"oauth": True}, "`name` is missing"),
    "a model without an id": ("model", {"display_name": "a"}, "`id` is missing"),
    "a number where a list has to be": (
        "registrations",
        {"tools": 7},
        "`tools` is 7; it has to be a list",
    ),
    "a list": ("registrations", [], "it is a list; it has to be an object"),
    "true for a number": (
        "error",
        {"code": True, "message": ""},
        "`code` is true; it has to be a whole number",
    ),
}

STRANGE: tuple[Any, ...] = (None, True, 1.5, float("inf"), "", [], {}, [None], {"": {}})


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_named_with_its_place(what: str) -> None:
    kind, value, complaint = WRONG[what]
    assert [str(each) for each in check(kind, value)] == [complaint]


@pytest.mark.parametrize("kind", FRAMES)
def test_what_is_made_of_a_model_fits_it_and_what_is_broken_does_not(kind: str) -> None:
    rights, wrongs = list(all_right(FRAMES[kind])), list(wrong(FRAMES[kind]))

    assert [check(kind, value) for value in rights] == [[]] * len(rights)
    assert [what for what, value in wrongs if not check(kind, value)] == []


def test_members_that_nobody_knows_are_told_from_faults() -> None:
    found = check("sep host tool/execute result", {"content": 7, "extra": 1})
    assert found == [
        Complaint(where="content", what="is 7; it has to be a text"),
        Complaint(where="extra", what="is a member that nobody knows", is_unknown=True),
    ]


def test_widgets_may_hold_others() -> None:
    inner: Any = {"kind": "markdown", "text": "a"}
    for _ in range(5):
        inner = {"kind": "stack", "children": [inner]}
    whole = {"kind": "widget", "widget_id": "w", "body": inner, "keybindings": [{"key": "k"}]}
    inner["children"][0]["children"].append({"kind": "progress", "value": 2})

    (found,) = check("render block", whole)

    assert found.where == "body.children[0].children[1].value"


def test_any_json_is_looked_at_without_an_error() -> None:
    for kind in FRAMES:
        for value in STRANGE:
            check(kind, value)


def test_there_is_no_model_of_what_there_is_not() -> None:
    with pytest.raises(KeyError):
        check("nobody", {})


def test_a_whole_value_has_all_members() -> None:
    assert right(FRAMES["tool"]) == {
        "name": "text",
        "description": "text",
        "parameters": {"any": "anything"},
        "deferred": True,
    }
