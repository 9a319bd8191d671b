import subprocess
from pathlib import Path

import pytest

from extensions.plugins.manifest import Dialect, Manifest, Tier
from extensions.plugins.manifest_reading import PLUGIN_TOML, HostFacts, read_manifest
from extensions.plugins.manifest_values import ManifestError
from extensions.plugins.wrapper_manifest import WrapperTemplate, filled


def _read(text: str) -> Manifest:
    host = HostFacts(version="0.1.0")
    return read_manifest(PLUGIN_TOML, text.encode(), folder_name="x", host=host)


def _wrapper(command: str, more: str = "") -> WrapperTemplate:
    found = _read(f"name = 'x'\ncommand = '''{command}'''\n{more}").wrapper
    assert isinstance(found, WrapperTemplate)
    return found


def _reason(text: str) -> str:
    with pytest.raises(ManifestError) as caught:
        _read(text)
    return caught.value.reason


def test_a_command_template_is_one_tool() -> None:
    text = """\
name = "Weather"
description = "Says how the weather is."
prompt_hint = "Use it when asked."
command = ["curl", "-s", "https://box/{{ place }}?u={{unit}}"]
[env]
KEY = "${env:KEY}"
[parameters]
type = "object"
required = ["place"]
[parameters.properties.place]
type = "string"
"""
    manifest = _read(text)

    assert (manifest.id, manifest.dialect, manifest.tier) == (
        "weather",
        Dialect.STDIO,
        Tier.WRAPPER,
    )
    assert manifest.capabilities.tools == frozenset({"run"})
    assert manifest.wrapper == WrapperTemplate(
        tool="run",
        description="Says how the weather is.",
        command=("curl", "-s", "https://box/{{ place }}?u={{unit}}"),
        placeholders=("place", "unit"),
        prompt_hint="Use it when asked.",
        schema={
            "type": "object",
            "required": ["place"],
            "properties": {"place": {"type": "string"}},
        },
        env={"KEY": "${env:KEY}"},
    )


def test_a_command_on_one_line_is_parted_as_a_shell_would() -> None:
    found = _wrapper("deploy.sh --to {{ env }} 'two words' \"{{a}} b\"")
    assert found.command == ("deploy.sh", "--to", "{{env}}", "two words", "{{a}} b")


def test_without_a_description_of_its_arguments_each_has_to_be_a_text() -> None:
    assert _wrapper("echo {{a}} {{b}} {{a}}").schema == {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "required": ["a", "b"],
        "additionalProperties": False,
    }


def test_what_a_call_says_is_put_in_once() -> None:
    found = _wrapper("echo {{a}} x{{b}}y")
    values = {"a": "{{b}} $(id)", "b": "1 2"}
    assert filled(found, values) == ("echo", "{{b}} $(id)", "x1 2y")
    assert filled(found, {}) == ("echo", "", "xy")


@pytest.mark.parametrize(
    "command",
    [
        "cat <<< {{text}}",
        "printf %s {{text}} | cat",
        'printf "%s" "{{text}}" | cat',
        "printf %s '{{text}}' | cat",
        "printf %s {{text}} && true",
        "test -n {{text}}; printf %s {{text}}",
    ],
)
@pytest.mark.parametrize(
    "text",
    ["$(touch pwned)", "`id`", "'; touch pwned; '", '"; touch pwned; "', "\\", "!x", "$HOME"],
)
def test_what_a_call_says_is_never_read_by_the_shell(
    tmp_path: Path, command: str, text: str
) -> None:
    parts = filled(_wrapper(command), {"text": text})

    assert parts[:2] == ("bash", "-c")
    assert text not in parts[2]
    done = subprocess.run(
        parts, capture_output=True, text=True, timeout=10, check=False, cwd=tmp_path
    )
    assert list(tmp_path.iterdir()) == []
    # Within double quotes and unquoted it is one value, though words may be parted.
    assert done.stdout.split() == text.split()


@pytest.mark.parametrize(
    "command",
    ["cat <<EOF\n{{a}}\nEOF", "echo $(({{a}}))", "eval {{a}} | cat", "let x={{a}}; echo $x"],
)
def test_what_would_read_it_as_part_of_the_script_is_refused(command: str) -> None:
    text = f"name = 'x'\ncommand = '''{command}'''\n"
    assert "would read what a call says as part of the script" in _reason(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("name = 'x'\n", "missing field `plugin`, and there is no `command` either"),
        ("command = 'x'\n", "missing field `name`"),
        ("name = '../x'\ncommand = 'x'\n", "name `../x` is invalid"),
        ("name = 'x'\ncommand = ' '\n", "command is empty"),
        ("name = 'x'\ncommand = []\n", "command is empty"),
        ("name = 'x'\ncommand = '{{a}} b'\n", "begins with a placeholder"),
        ("name = 'x'\ncommand = '{{a}} | b'\n", "begins with a placeholder"),
        ("name = 'x'\ncommand = '../../bin/sh x'\n", "leads out of the plugin's folder"),
        ("name = 'x'\ncommand = 'echo \"a'\n", "command cannot be read: No closing quotation"),
        ("name = 'x'\ncommand = 'x'\nparameters = 3\n", "`parameters` must be a table"),
        ("name = 'x'\ncommand = 'x'\nparameters = {type='array'}\n", "must be `object`"),
        ("name = 'x'\ncommand = 'x'\ncolour = 3\n", "unknown field `colour`"),
        ("name = 'x'\ncommand = 'x'\ntimeout_seconds = 9000\n", "at most 3600"),
    ],
)
def test_what_is_wrong_is_named(text: str, reason: str) -> None:
    assert reason in _reason(text)
