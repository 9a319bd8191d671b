import json
from typing import Any

import pytest

from extensions.plugins.manifest import (
    Capabilities,
    Dialect,
    Manifest,
    Requires,
    Resources,
    RunSpec,
)
from extensions.plugins.manifest_reading import (
    EXTENSION_TOML,
    PACKAGE_JSON,
    HostFacts,
    may_be_a_plugin,
    read_manifest,
)
from extensions.plugins.manifest_values import ManifestError

MINIMAL = 'name = "echo"\nversion = "0.1"\n[run]\ncommand = "node"\n'
HOST = HostFacts(version="0.1.0")


def _read(text: str, host: HostFacts = HOST) -> Manifest:
    return read_manifest(EXTENSION_TOML, text.encode(), folder_name="x", host=host)


def _reason(text: str, host: HostFacts = HOST) -> str:
    with pytest.raises(ManifestError) as caught:
        _read(text, host)
    return caught.value.reason


def _package(value: Any) -> Manifest:
    content = json.dumps(value).encode()
    return read_manifest(PACKAGE_JSON, content, folder_name="x", host=HOST)


def test_the_least_that_is_needed() -> None:
    assert _read(MINIMAL) == Manifest(
        id="echo",
        dialect=Dialect.SEP,
        version="0.1",
        name="echo",
        run=RunSpec(command="node"),
        capabilities=Capabilities(tools=frozenset(), hooks=None, providers=None),
    )


def test_every_key_is_read() -> None:
    text = """\
name = "Todo List"
version = "1.0.0"
protocol = 2
description = "Keeps a list"
hook_timeout_ms = 1500
disabled = true
priority = 3
[run]
command = "./todo"
args = ["--x"]
env = { TODO_TOKEN = "${env:TODO_TOKEN}" }
sha256 = "sha256:ABCDEF0000000000000000000000000000000000000000000000000000000000"
[capabilities]
events = ["turn_end"]
tools = true
commands = true
ui = true
exec = true
kv = true
bus = true
session = true
hooks = ["tool_call"]
providers = false
[requires]
bins = ["jq"]
env = ["TODO_TOKEN"]
[resources]
skills = "skills"
prompts = ["prompts", "more"]
themes = "themes"
"""
    assert _read(text) == Manifest(
        id="todo-list",
        dialect=Dialect.SEP,
        version="1.0.0",
        name="Todo List",
        description="Keeps a list",
        protocol=2,
        run=RunSpec(
            command="./todo",
            args=("--x",),
            env={"TODO_TOKEN": "${env:TODO_TOKEN}"},
            sha256="abcdef" + "0" * 58,
        ),
        capabilities=Capabilities(
            tools=None,
            commands=True,
            hooks=frozenset({"tool_call"}),
            events=frozenset({"turn_end"}),
            ui=True,
            exec=True,
            kv=True,
            bus=True,
            session=True,
            providers=frozenset(),
        ),
        requires=Requires(bins=("jq",), env=("TODO_TOKEN",)),
        resources=Resources(skills=("skills",), prompts=("prompts", "more"), themes=("themes",)),
        hook_timeout_seconds=1.5,
        priority=3,
        disabled=True,
    )


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ('"echo"', '""', "name is empty"),
        ('"echo"', '"../../escape"', "name `../../escape` is invalid"),
        ('"echo"', '"a\\u0000b"', "holds a NUL"),
        ('"echo"', '"a\\nb"', "name `a\\nb` is invalid"),
        ('"echo"', '"a\\u202Eb"', "name `a\\u202eb` is invalid"),
        ('"echo"', f'"{"x" * 300}"', "is invalid (expected letters, digits"),
        ('"echo"', '"Papercup"', "name `Papercup` is reserved"),
        ('version = "0.1"', "", "missing field `version`"),
        ('"0.1"', '""', "version `` is invalid"),
        ("[run]", "[ran]", "missing field `run`"),
        ('"node"', '""', "run.command is empty"),
        ('"node"', '"bin/../../sh"', "run.command `bin/../../sh` leads out of the plugin's folder"),
        ('"node"', '"node"\nsha256 = "abc"', "run.sha256 `abc` is not 64 hexadecimal digits"),
        ('"node"', '"node"\nenv = { "A=B" = "c" }', "`run.env` names the variable `A=B`"),
        ('"node"', '"node"\nargs = "x"', "`run.args` must be a list of texts"),
        ("[run]", "protocol = 0\n[run]", "`protocol` must be a whole number from 1"),
        ("[run]", "hook_timeout_ms = 0\n[run]", "`hook_timeout_ms` must be above 0"),
        ("[run]", "[capabilities]\nui = 1\n[run]", "`capabilities.ui` must be true or false"),
        (
            "[run]",
            '[resources]\nskills = "../x"\n[run]',
            "resources.skills `../x` is not within the plugin's folder",
        ),
    ],
)
def test_what_is_wrong_is_named(before: str, after: str, reason: str) -> None:
    assert reason in _reason(MINIMAL.replace(before, after))


def test_a_key_that_nobody_knows_is_named_and_nothing_more() -> None:
    text = MINIMAL + 'colour = "red"\n'
    assert "unknown field `run.colour`" in _reason(text)
    assert _read('colour = "red"\n' + MINIMAL).unserved == (
        "`colour` is not known, and has no effect",
    )


def test_a_sandbox_is_not_kept_and_that_is_said() -> None:
    text = MINIMAL + '[sandbox]\nimage = "alpine"\nnetwork = "none"\n'

    assert _read(text).unserved == (
        "sandbox (image, network) is not kept: it runs with this user's rights",
    )
    strict = HostFacts(version="0.1.0", requires_sandbox=True)
    assert _reason(text, strict) == (
        "sandbox (image, network) is required, and there is none for plugins"
    )


def test_a_package_says_the_same_under_a_key() -> None:
    package = {
        "name": "@smooai/echo-ext",
        "version": "2.0.0",
        "description": "Says it again",
        "smooth": {"run": {"command": "node", "args": ["dist/main.js"]}},
    }
    manifest = _package(package)

    assert (manifest.id, manifest.version) == ("echo-ext", "2.0.0")
    assert manifest.description == "Says it again"
    assert manifest.run == RunSpec(command="node", args=("dist/main.js",))


def test_what_stands_under_the_key_goes_before_the_package() -> None:
    package = {"name": "x", "version": "1.0.0", "smooth": {"name": "echo", "run": {"command": "a"}}}
    assert _package(package).id == "echo"


@pytest.mark.parametrize(
    ("package", "reason"),
    [
        ({"name": "x"}, "it has no key `smooth`"),
        ({"name": "x", "smooth": 3}, "failed to parse JSON: `smooth` must be an object"),
        ({"name": "x", "smooth": {}}, "failed to parse JSON: missing field `version`"),
        ([], "failed to parse JSON: it must be an object"),
    ],
)
def test_a_wrong_package_is_refused(package: object, reason: str) -> None:
    with pytest.raises(ManifestError) as caught:
        _package(package)
    assert caught.value.reason == reason


def test_most_packages_are_no_plugins_at_first_sight() -> None:
    assert not may_be_a_plugin(PACKAGE_JSON, b'{"name": "left-pad"}')
    assert may_be_a_plugin(PACKAGE_JSON, b'{"smooth": {}}')
