from collections.abc import Mapping
from typing import Any

import pytest

from extensions.server.arguments import complaint, described

SPAWN = {
    "type": "object",
    "properties": {
        "task": {"type": "string", "minLength": 1},
        "name": {"type": "string", "maxLength": 60},
    },
    "required": ["task"],
    "additionalProperties": False,
}
LIST = {
    "type": "object",
    "properties": {"limit": {"type": "integer", "minimum": 1, "maximum": 50}},
    "additionalProperties": False,
}
REPORT = {
    "type": "object",
    "properties": {
        "message": {"type": "string"},
        "state": {"enum": ["early", "late"]},
        "fraction": {"type": ["number", "null"], "minimum": 0, "maximum": 1},
        "files": {
            "type": "array",
            "items": {"type": "object", "properties": {"path": {"type": "string"}}},
        },
    },
    "required": ["message"],
}


@pytest.mark.parametrize(
    ("schema", "arguments"),
    [
        (SPAWN, {"task": "count"}),
        (SPAWN, {"task": "count", "name": "counting"}),
        (LIST, {}),
        (LIST, {"limit": 50}),
        (REPORT, {"message": "", "fraction": None, "files": [{"path": "a"}], "extra": 1}),
    ],
)
def test_arguments_that_fit_give_no_complaint(
    schema: Mapping[str, Any], arguments: Mapping[str, Any]
) -> None:
    assert complaint("tool", schema, arguments) is None


@pytest.mark.parametrize(
    ("tool", "schema", "arguments", "said"),
    [
        (
            "spawn_extension",
            SPAWN,
            {},
            "spawn_extension needs `task` (text of at least 1 characters).",
        ),
        (
            "spawn_extension",
            SPAWN,
            {"task": ["count"]},
            "`task` of spawn_extension must be text of at least 1 characters.",
        ),
        (
            "spawn_extension",
            SPAWN,
            {"task": "x", "name": "n" * 61},
            "`name` of spawn_extension must be text of at most 60 characters.",
        ),
        (
            "list_extensions",
            LIST,
            {"limit": 51},
            "`limit` of list_extensions must be a whole number from 1 to 50.",
        ),
        (
            "list_extensions",
            LIST,
            {"limit": True},
            "`limit` of list_extensions must be a whole number from 1 to 50.",
        ),
        (
            "list_extensions",
            LIST,
            {"count": 3},
            (
                "list_extensions does not know `count`;"
                " it takes `limit` (a whole number from 1 to 50)."
            ),
        ),
        (
            "report_progress",
            REPORT,
            {"message": "m", "state": "middle", "fraction": "half"},
            (
                "`fraction` of report_progress must be a number from 0 to 1 or null."
                " `state` of report_progress must be one of `early`, `late`."
            ),
        ),
        (
            "report_progress",
            REPORT,
            {"message": "m", "files": [{"path": 1}]},
            "`files.0.path` of report_progress must be text.",
        ),
        (
            "report_progress",
            REPORT,
            {"files": "a"},
            "report_progress needs `message` (text). `files` of report_progress must be a list.",
        ),
    ],
)
def test_a_complaint_names_the_argument_and_what_is_allowed(
    tool: str, schema: Mapping[str, Any], arguments: Mapping[str, Any], said: str
) -> None:
    assert complaint(tool, schema, arguments) == said


def test_a_complaint_does_not_repeat_what_was_given() -> None:
    said = complaint("list", LIST, {"limit": "secret " * 1000, "x" * 5000: 1}) or ""

    assert "secret" not in said
    assert len(said) < 1000


def test_a_tool_without_arguments_says_so() -> None:
    schema = {"type": "object", "additionalProperties": False}

    assert complaint("who", schema, {"me": 1}) == "who does not know `me`; it takes no arguments."


@pytest.mark.parametrize(
    ("schema", "rule"),
    [
        ({"type": "string", "pattern": "^[a-f]+$"}, 'pattern: "^[a-f]+$"'),
        ({"not": {"const": "no"}}, 'not: {"const": "no"}'),
    ],
)
def test_a_rule_for_which_there_are_no_words_is_told_as_it_stands(
    schema: Mapping[str, Any], rule: str
) -> None:
    said = complaint("check", {"type": "object", "properties": {"id": schema}}, {"id": "no"})

    assert said == f"`id` of check must fit the rule `{rule}`."


def test_a_schema_that_allows_nothing_gives_a_complaint() -> None:
    assert complaint("check", {"properties": {"id": False}}, {"id": "no"}) is not None


def test_values_that_are_alternatives_are_told_together() -> None:
    schema = {"anyOf": [{"type": "string"}, {"const": 0}, {"type": "array", "minItems": 1}]}

    assert described(schema) == "text or `0` or a list of at least 1 items"
