from collections.abc import Mapping
from typing import Any

import pytest

from bot.speaker.tool_words import shown_detail, shown_name


@pytest.mark.parametrize(
    ("tool", "shown"),
    [
        ("Read", "Read"),
        ("mcp__papercup__spawn_extension", "start a job"),
        ("mcp__papercup__send_file", "send a file"),
        ("mcp__papercup__brand_new", "brand new"),
        ("mcp__tickets__search_all", "tickets: search_all"),
        ("mcp__odd", "mcp__odd"),
    ],
)
def test_a_tool_is_called_as_people_call_it(tool: str, shown: str) -> None:
    assert shown_name(tool) == shown


@pytest.mark.parametrize(
    ("tool", "arguments", "shown"),
    [
        ("Read", {"file_path": "/data/sessions/5e55/inbox/a b.png", "limit": 3}, "a b.png"),
        ("Write", {"file_path": "notes.txt", "content": "a secret"}, "notes.txt"),
        ("Grep", {"pattern": "milk|bread", "path": "/x"}, "milk|bread"),
        ("Glob", {"pattern": "**/*.py"}, "**/*.py"),
        ("Grep", {"pattern": "x" * 500}, "x" * 59 + "…"),
        ("Read", {"file_path": 3}, ""),
        ("Unknown", {"anything": "at all"}, ""),
        ("mcp__papercup__spawn_extension", {"task": "long", "name": "tidy\nup"}, "tidy up"),
        ("mcp__papercup__check_extension", {"id": "0a1b2c3d"}, "0a1b2c3d"),
        ("mcp__papercup__send_file", {"path": "out/plot.png"}, "plot.png"),
        ("mcp__papercup__list_extensions", {}, ""),
        ("mcp__tickets__search", {"name": "a secret"}, ""),
    ],
)
def test_what_a_tool_is_used_on_is_told_in_a_few_words(
    tool: str, arguments: Mapping[str, Any], shown: str
) -> None:
    assert shown_detail(tool, arguments) == shown


def test_of_a_command_no_argument_is_told() -> None:
    detail = shown_detail("Bash", {"command": "TOKEN=abc curl -H 'Key: abc' https://x"})
    assert "abc" not in detail
