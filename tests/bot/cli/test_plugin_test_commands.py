"""`papercup plugin new`, `vendor` and `test`."""

import json
from pathlib import Path
from typing import Any

import pytest

from bot.cli.plugin_host_trial import judged, wrong_in
from extensions.plugins.manifest import Dialect
from papercup_plugin.conformance.host_cases import QUESTIONS, QuestionCase
from papercup_plugin.templates import TEMPLATES
from tests.bot.cli.test_main import papercup

SEP = [(template, "sep") for template in TEMPLATES]
REFUSAL = '{"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "no"}}'
BROKEN = f"#!/bin/sh\nwhile read -r line; do echo '{REFUSAL}'; done\n"
MANIFEST = 'name = "broken"\nversion = "1.0.0"\n[run]\ncommand = "./broken"\n'


def begin(home: Path, name: str, template: str, dialect: str) -> Path:
    words = ("plugin", "new", name, "--template", template, "--dialect", dialect)
    result = papercup(home, *words, "--dir", str(home / ".papercup" / "plugins"))
    assert result.exit_code == 0, result.output
    return home / ".papercup" / "plugins" / name


def test_each_template_is_begun_trusted_and_run(tmp_path: Path) -> None:
    names = []
    for template, dialect in (*SEP, ("tool", "stdio"), ("permission-gate", "stdio")):
        names.append(f"my-{template}-{dialect}")
        begin(tmp_path, names[-1], template, dialect)
        trusted = papercup(tmp_path, "plugin", "trust", names[-1], "--yes")
        assert trusted.exit_code == 0, trusted.output

    tried = papercup(tmp_path, "plugin", "doctor", "--runtime", "--json")

    outcomes = {each["id"]: each["outcome"] for each in json.loads(tried.stdout)["checks"]}
    assert outcomes == dict.fromkeys(names, "ok")
    # Running them has changed none, so that they are trusted still.
    listed = json.loads(papercup(tmp_path, "plugin", "list", "--json").stdout)
    assert {each["id"]: each["state"] for each in listed["plugins"]} == dict.fromkeys(
        names, "trusted"
    )


def test_what_is_there_is_not_overwritten_and_a_wrong_name_is_refused(tmp_path: Path) -> None:
    begin(tmp_path, "mine", "tool", "sep")
    plugins = ("--template", "tool", "--dir", str(tmp_path / ".papercup" / "plugins"))

    again = papercup(tmp_path, "plugin", "new", "mine", *plugins)
    wrong = papercup(tmp_path, "plugin", "new", "Not So", *plugins)

    assert (again.exit_code, wrong.exit_code) == (2, 2)
    assert "is there already" in again.stderr
    assert "can be no plugin's name" in wrong.stderr


def test_what_was_begun_is_told_as_json_too(tmp_path: Path) -> None:
    words = ("plugin", "new", "mine", "--template", "tool", "--no-vendor", "--json")
    result = papercup(tmp_path, *words, "--dir", str(tmp_path / "here"))

    assert json.loads(result.stdout) == {
        "name": "mine",
        "folder": str(tmp_path / "here" / "mine"),
        "entries": ["README.md", "extension.toml", "plugin.py", "test_plugin.py"],
    }


def test_the_sdk_is_put_beside_a_plugin(tmp_path: Path) -> None:
    (tmp_path / "extension.toml").touch()

    done = papercup(tmp_path, "plugin", "vendor", str(tmp_path), "--json")
    refused = papercup(tmp_path, "plugin", "vendor", str(tmp_path / "nowhere"))

    again = papercup(tmp_path, "plugin", "vendor", str(tmp_path))

    folder = str(tmp_path / "papercup_plugin")
    assert json.loads(done.stdout) == {"folder": folder, "changed": True}
    assert again.stdout == f"This very SDK is in {folder} already.\n"
    assert refused.exit_code == 2


def test_a_plugin_that_keeps_to_the_protocol_passes(tmp_path: Path) -> None:
    folder = begin(tmp_path, "mine", "tool", "sep")
    words = ("plugin", "test", str(folder), "--only", "ping", "--only", "tools")

    shown, plain = papercup(tmp_path, *words), papercup(tmp_path, *words, "--json")

    assert shown.exit_code == plain.exit_code == 0
    assert shown.stdout.splitlines() == [
        "mine 0.1.0 (sep)",
        "ok    ping   It answers pings.",
        "ok    tools  Each tool gives something back, or says why not.",
        "2 ok, 0 warn, 0 fail, 0 skip",
    ]
    told = json.loads(plain.stdout)
    assert told["plugin"] == {"name": "mine", "version": "0.1.0", "dialect": "sep"}
    assert told["diagnostics"] == []
    assert [(each["name"], each["outcome"]) for each in told["checks"]] == [
        ("ping", "ok"),
        ("tools", "ok"),
    ]


def test_what_the_manifest_has_that_nobody_knows_is_told_before_the_checks(tmp_path: Path) -> None:
    folder = begin(tmp_path, "mine", "tool", "sep")
    manifest = folder / "extension.toml"
    manifest.write_text(
        manifest.read_text().replace("[capabilities]", "[capabilities]\ncomands = 1")
    )
    words = ("plugin", "test", str(folder), "--only", "ping")

    shown, plain = papercup(tmp_path, *words), papercup(tmp_path, *words, "--json")

    assert shown.exit_code == plain.exit_code == 0
    title, warning, *rest = shown.stdout.splitlines()
    assert (title, rest[0]) == ("WARNINGS (1):", "mine 0.1.0 (sep)")
    assert warning.startswith(f"  {manifest}: ")
    assert "comands" in warning
    told = json.loads(plain.stdout)["diagnostics"]
    assert [(each["level"], each["path"]) for each in told] == [("warn", str(manifest))]
    validated = json.loads(papercup(tmp_path, "plugin", "validate", str(folder), "--json").stdout)
    assert told == validated["diagnostics"]


def test_one_that_does_not_is_told_what_to_mend(tmp_path: Path) -> None:
    (tmp_path / "extension.toml").write_text(MANIFEST)
    program = tmp_path / "broken"
    program.write_text(BROKEN)
    program.chmod(0o755)
    words = ("plugin", "test", str(tmp_path), "--only", "output", "--only", "unknown-method")

    result = papercup(tmp_path, *words)

    assert result.exit_code == 9
    assert result.stdout.splitlines() == [
        "broken 1.0.0 (sep)",
        "fail  handshake       It answers `initialize`, as the protocol has it.",
        "      - `initialize` was answered with the error -32603",
        "        mend: answer it with a result",
        "skip  unknown-method  A method that there is not, it says so of.",
        "      there was no handshake",
        "skip  output          Its output is nothing but messages, and each is as it has to be.",
        "      there was no handshake",
        "0 ok, 0 warn, 1 fail, 2 skip",
    ]


def test_a_wrong_manifest_is_told_as_validation_does(tmp_path: Path) -> None:
    (tmp_path / "extension.toml").write_text('name = "x"\n')
    (tmp_path / "wrapper").mkdir()
    wrapper = 'name = "w"\nversion = "1.0.0"\ncommand = "ls"\n'
    (tmp_path / "wrapper" / "plugin.toml").write_text(wrapper)

    wrong = papercup(tmp_path, "plugin", "test", str(tmp_path))
    no_program = papercup(tmp_path, "plugin", "test", str(tmp_path / "wrapper"))
    missing = papercup(tmp_path, "plugin", "test", str(tmp_path / "nowhere"))

    assert (wrong.exit_code, no_program.exit_code, missing.exit_code) == (2, 2, 1)
    assert "ERRORS" in wrong.stdout
    assert "it wraps a command" in no_program.stderr


@pytest.mark.parametrize(
    "words", [(), ("here", "--host"), ("here", "--only", "dance"), ("--host", "--only", "dance")]
)
def test_what_cannot_be_tested_is_refused(tmp_path: Path, words: tuple[str, ...]) -> None:
    assert papercup(tmp_path, "plugin", "test", *words).exit_code == 2


def test_papercup_itself_takes_what_is_right_and_refuses_what_is_wrong(tmp_path: Path) -> None:
    result = papercup(tmp_path, "plugin", "test", "--host", "--json")
    told: dict[str, Any] = json.loads(result.stdout)

    assert [each for each in told["checks"] if each["outcome"] != "ok"] == []
    assert result.exit_code == 0
    assert told["ok"] > 150


def case(name: str) -> QuestionCase:
    return next(each for each in QUESTIONS if each.name == name)


JUDGED: list[tuple[str, dict[str, Any], str]] = [
    ("kv/get: without a key", {"result": {"value": None}}, "it was taken"),
    ("kv/get: without a key", {"error": {"code": -32603, "message": ""}}, "refused with -32603"),
    ("kv/get: what was kept", {"error": {"code": -32602, "message": ""}}, "it was refused"),
    ("kv/get: what was kept", {"result": {}}, 'it was answered {}, not {"value": {"any": [1'),
    ("kv/list: all", {"result": {}}, "in the answer, `keys` is missing"),
    ("tools/setActive: the older name of tools/set_active", {"result": {}}, "`active` is missing"),
]


@pytest.mark.parametrize(("name", "reply", "seen"), JUDGED)
def test_a_host_that_takes_what_is_wrong_or_refuses_what_is_right_is_told_so(
    name: str, reply: dict[str, Any], seen: str
) -> None:
    (found,) = judged(case(name), reply)
    assert seen in found.what


def test_what_a_host_says_wrongly_is_named() -> None:
    frame = {"jsonrpc": "2.0", "id": 1, "method": "tool/execute", "params": {"tool": "a"}}
    found = list(wrong_in(Dialect.SEP, frame))
    wrong = ("arguments", "call_id", "context")
    assert found == [f"`tool/execute` of it: `{name}` is missing" for name in wrong]
    assert list(wrong_in(Dialect.SEP, {"id": 1})) == [
        "a success of it: `jsonrpc` is missing",
        "a success of it: `result` is missing",
    ]
