from typing import Any

import pytest

from extensions.plugins.manifest import WrapperSpec
from extensions.plugins.manifest_values import Table
from extensions.plugins.wrapper_arguments import (
    LONGEST_VALUE_BYTES,
    BadArgumentError,
    command_for,
)
from extensions.plugins.wrapper_manifest import wrapper_manifest


def template(command: str | list[str]) -> WrapperSpec:
    wrapper = wrapper_manifest(Table({"name": "find", "command": command})).wrapper
    assert wrapper is not None
    return wrapper


@pytest.mark.parametrize(
    ("command", "arguments", "filled"),
    [
        ("grep {{what}} notes.txt", {"what": "a b"}, ("grep", "a b", "notes.txt")),
        ("grep {{what}} notes.txt", {"what": "$(id); `id` {{what}}"}, None),
        ("grep --file={{name}}", {"name": "-x"}, ("grep", "--file=-x")),
        ("grep -- {{what}}", {"what": "-r"}, ("grep", "--", "-r")),
        ("head -n {{count}}", {"count": -5}, ("head", "-n", "-5")),
        ("say {{what}}", {"what": True}, ("say", "true")),
        ("say {{what}}", {"what": ["é", 1]}, ("say", '["é", 1]')),
        ("say {{what}}", {}, ("say", "")),
        (["sh", "-c", 'echo "$1"', "x-{{what}}"], {"what": "-y"}, None),
    ],
)
def test_what_a_call_says_becomes_part_of_one_argument(
    command: str | list[str], arguments: dict[str, Any], filled: tuple[str, ...] | None
) -> None:
    parts = command_for(template(command), arguments)
    assert len(parts) == len(template(command).command)
    assert filled is None or parts == filled


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("grep {{what}} notes.txt", {"what": "-r"}),
        ("grep {{what}} notes.txt", {"what": "--file=/etc/passwd"}),
        ("grep {{a}}{{b}}", {"a": "", "b": "-r"}),
        ("grep {{what}}/x -- y", {"what": "-"}),
        ("grep {{what}} notes.txt | head", {"what": "-r"}),
        ("kill {{what}}", {"what": "-1"}),
    ],
)
def test_what_would_become_an_option_is_refused(command: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(BadArgumentError, match=r"begins with `-`, so the program would take it"):
        command_for(template(command), arguments)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("a\0b", "an argument holds a NUL character, which no program can be given"),
        ("é" * 65_536, f"an argument is longer than {LONGEST_VALUE_BYTES} bytes"),
    ],
)
def test_what_no_program_can_be_given_is_refused(value: str, reason: str) -> None:
    with pytest.raises(BadArgumentError) as caught:
        command_for(template("say {{what}}"), {"what": value})
    assert str(caught.value) == reason
