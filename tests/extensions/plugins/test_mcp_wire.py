from typing import Any

import pytest

from extensions.plugins.mcp_wire import (
    VERSIONS,
    answer_of,
    fault_of_greeting,
    hello,
    page_of,
    registrations_of,
    tool_name,
)
from extensions.plugins.registrations import PluginAnswer, ToolRegistration


def content(**more: Any) -> str:
    return answer_of({"content": [more]}).text


def test_a_server_is_told_who_asks_and_that_nothing_is_served() -> None:
    assert hello("1.2") == {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "papercup", "version": "1.2"},
    }


@pytest.mark.parametrize(
    ("result", "fault"),
    [
        *(({"protocolVersion": version}, None) for version in VERSIONS),
        ({"protocolVersion": "3"}, "it speaks version '3' of MCP, which is not known here"),
        ({}, "it does not say which version of MCP it speaks"),
        (["2025-11-25"], "it does not say which version of MCP it speaks"),
    ],
)
def test_a_version_that_is_not_known_is_named(result: Any, fault: str | None) -> None:
    assert fault_of_greeting(result) == fault


@pytest.mark.parametrize(
    ("result", "page"),
    [
        ({"tools": [1, 2], "nextCursor": "x"}, ([1, 2], "x")),
        ({"tools": [1], "nextCursor": ""}, ([1], None)),
        ({"tools": {}, "nextCursor": 3}, ([], None)),
        (None, ([], None)),
    ],
)
def test_a_page_of_tools_says_whether_there_is_another(result: Any, page: Any) -> None:
    assert page_of(result) == page


def test_tools_that_cannot_be_used_are_left_out_and_named() -> None:
    warnings: list[str] = []
    schema = {"type": "object", "properties": {}}
    listed = [{"name": "read", "inputSchema": schema, "title": "Read"}, {"name": ""}, 3]
    tools = registrations_of(listed, warnings.append)
    assert tools == (ToolRegistration(name="read", schema=schema),)
    assert len(warnings) == 2


@pytest.mark.parametrize(("is_alone", "name"), [(True, "read"), (False, "files_read")])
def test_a_tool_bears_the_name_of_its_server_unless_that_is_alone(
    is_alone: bool,  # noqa: FBT001 - a parameter of the test
    name: str,
) -> None:
    assert tool_name("files", "read", is_alone=is_alone) == name


@pytest.mark.parametrize(
    ("result", "answer"),
    [
        (
            {"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
            PluginAnswer(text="a\nb"),
        ),
        (
            {"content": [{"type": "text", "text": "bad"}], "isError": True},
            PluginAnswer(text="bad", is_error=True),
        ),
        ({"structuredContent": {"a": "é"}}, PluginAnswer(text='{"a": "é"}')),
        (
            {"content": [{"type": "text", "text": "a"}], "structuredContent": {"a": 1}},
            PluginAnswer(text="a"),
        ),
        ({"content": []}, PluginAnswer(text="(It gave back nothing.)")),
        ({"content": "a", "isError": "yes"}, PluginAnswer(text="(It gave back nothing.)")),
        (
            ["a"],
            PluginAnswer(text="It gave back what is no answer of a tool.", is_error=True),
        ),
    ],
)
def test_what_a_tool_gives_back_becomes_text(result: Any, answer: PluginAnswer) -> None:
    assert answer_of(result) == answer


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            content(type="image", data="AAAA" * 1000, mimeType="image/png"),
            "[image, image/png, 3 kB: it cannot be shown here]",
        ),
        (content(type="audio", data="AAAA"), "[audio, 3 bytes: it cannot be shown here]"),
        (content(type="image", data=7), "[image, 0 bytes: it cannot be shown here]"),
        (
            content(type="resource_link", name="notes", uri="file:///notes"),
            "[link to a resource: notes file:///notes]",
        ),
        (
            content(type="resource", resource={"uri": "x://1", "text": "inside"}),
            "[resource x://1]\ninside",
        ),
        (
            content(type="resource", resource={"uri": "x://1", "blob": "AAAA"}),
            "[resource x://1, 3 bytes: it cannot be shown here]",
        ),
        (content(type="smell"), "[content of a kind that is not known here: smell]"),
        (content(), "[content of a kind that is not known here: None]"),
    ],
)
def test_what_is_no_text_is_named_in_words(text: str, expected: str) -> None:
    assert text == expected
