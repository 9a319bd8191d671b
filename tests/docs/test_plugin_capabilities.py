"""The page on capabilities shows what the operator is shown, and says what is refused."""

import re
from collections.abc import Mapping
from typing import Any

import pytest

from bot.cli.plugin_trusting import trust_lines
from bot.plugin_services import trust_words
from bot.plugin_services.standing import Standing
from bot.plugin_services.trust_words import capability_words, wanted_variables
from extensions.plugins.capabilities import missing_capability
from extensions.plugins.contexts import MOST_CONTEXTS, ContextTier
from extensions.plugins.manifest import Capabilities, Manifest
from extensions.plugins.manifest_reading import (
    EXTENSION_TOML,
    PLUGIN_TOML,
    HostFacts,
    read_manifest,
    read_sidecar,
    with_servers,
)
from extensions.plugins.requests import Requests
from extensions.plugins.tree_hash import MOST_BYTES, MOST_FILES
from extensions.rpc.errors import ErrorCode
from papercup_plugin.conformance.subject import GRANTS
from tests.docs.pages import page, rows_of

PAGE = page("docs/plugins/capabilities.md")
GRANTED = rows_of(PAGE.section("What Papercup does for it").partition("### ")[0])
REQUIRED = rows_of(PAGE.section("What it requires"))
HOST = HostFacts(version="0.1.0")
QUIET = {"capabilities.hooks": "[]", "capabilities.providers": "[]"}
SERVER = b'{"mcpServers": {"notes": {"command": "notes-server"}}}'
NOTHING = Capabilities(hooks=frozenset(), providers=frozenset())


def _manifest(line: str) -> Manifest:
    """Return the manifest of a plugin that says this besides what each has to."""
    key, _, _ = line.partition(" = ")
    others = [f"{name} = {value}" for name, value in QUIET.items() if name != key]
    start = ['name = "dice"', 'version = "1"', 'run.command = "python3"', 'run.args = ["dice.py"]']
    content = "\n".join([*start, *others, line]).encode()
    return read_manifest(EXTENSION_TOML, content, folder_name="dice", host=HOST)


def _codes(cell: str) -> list[str]:
    return re.findall("`([^`]+)`", cell)


@pytest.mark.parametrize(
    "row", [row for row in GRANTED if " = " in row[0]], ids=lambda row: row[0].strip("`")
)
def test_what_is_shown_when_it_is_trusted_is_what_the_page_says(row: list[str]) -> None:
    runs, *shown = capability_words(_manifest(row[0].strip("`")))
    assert runs == "run, with all that this user may do: python3 dice.py"
    assert runs in _codes(PAGE.text)
    assert shown == _codes(row[2])


def test_so_it_is_with_servers_beside_it() -> None:
    (row,) = (row for row in GRANTED if "mcp_servers" in row[0])
    found = with_servers(_manifest("priority = 0"), read_sidecar(".mcp.json", SERVER))
    assert row[2].strip("`") in capability_words(found)


def test_every_capability_is_on_the_page() -> None:
    named = {
        code.split(".")[1].split(" ")[0]
        for row in GRANTED
        for code in _codes(row[0])[:1]
        if code.startswith("capabilities.")
    }
    assert named == {*GRANTS, "events", "hooks", "providers"}


def test_what_is_refused_without_it_is_on_the_page() -> None:
    methods = _asked()
    missing: dict[str, set[str]] = {}
    for method in methods:
        if (name := missing_capability(method, NOTHING)) is not None:
            missing.setdefault(name, set()).add(method)
    shown: dict[str, set[str]] = {}
    for row in GRANTED:
        refused = {code for code in _codes(row[3]) if code in methods}
        if refused:
            assert str(ErrorCode.CAPABILITY_DISABLED.value) in row[3]
            shown[row[0].strip("`").split(".")[1].split(" ")[0]] = refused
    assert shown == missing
    assert str(ErrorCode.NOT_TRUSTED.value) in next(row[3] for row in GRANTED if "exec" in row[0])


def _asked() -> frozenset[str]:
    nobody: Any = None
    served = Requests(ui=nobody, sessions=nobody, executor=nobody, audit=nobody, kv=nobody)
    return served.methods


def test_every_hook_is_on_the_page_in_the_words_that_are_shown() -> None:
    shown = {
        name: cells[1].strip("`")
        for cells in rows_of(PAGE.section("What you are shown of hooks"))
        for name in _codes(cells[0])
    }
    assert shown == vars(trust_words)["_HOOKS"]


def test_what_it_requires_is_shown_as_the_page_says() -> None:
    lines = {cells[0].strip("`"): cells[2].strip("`") for cells in REQUIRED if " = " in cells[0]}
    shown = {line: _variables(_manifest(line), {each: "x"}) for line, each in lines.items()}
    assert shown == {line: "" if "bins" in line else each for line, each in lines.items()}
    (name,) = (each for line, each in lines.items() if line.startswith("requires.env"))
    unset = _variables(_manifest(f'requires.env = ["{name}"]'), {})
    own = wanted_variables(_manifest(f'requires.env = ["{name}"]'), {}, [name])[0].words
    assert unset.removeprefix(f"{name} ") in _codes(PAGE.text)
    assert own.removeprefix(f"{name} ") in _codes(PAGE.text)


def _variables(manifest: Manifest, environment: Mapping[str, str]) -> str:
    return ", ".join(each.words for each in wanted_variables(manifest, environment, ()))


def test_what_stdio_asks_for_is_shown_as_the_page_says() -> None:
    content = (
        b'plugin.id = "dice"\nplugin.version = "1.0.0"\ncapabilities.tools = ["roll"]\n'
        b'transport.kind = "stdio"\ntransport.command = "dice"\ncontext.passthrough = true\n'
    )
    manifest = read_manifest(PLUGIN_TOML, content, folder_name="dice", host=HOST)
    (row,) = (cells for cells in REQUIRED if "passthrough" in cells[0])
    assert row[2].strip("`") in capability_words(manifest)
    wrapper = read_manifest(
        PLUGIN_TOML, b'name = "say"\ncommand = "echo hi"', folder_name="say", host=HOST
    )
    (start,) = (code for code in _codes(PAGE.text) if code.startswith("run for each use"))
    assert any(words.startswith(start) for words in capability_words(wrapper))


def test_the_tiers_are_those_that_there_are() -> None:
    rows = rows_of(PAGE.section("For whom it acts"))
    assert {cells[0].strip("`") for cells in rows} == {str(tier) for tier in ContextTier}
    assert f"some {MOST_CONTEXTS} calls" in " ".join(PAGE.text.split())
    assert str(ErrorCode.CONTEXT_VIOLATION.value) in PAGE.section("For whom it acts")


def test_the_heads_under_which_it_is_shown_are_those_of_the_command() -> None:
    standing = Standing(
        id="dice",
        version="1",
        title="dice",
        description="",
        may=("run",),
        variables=wanted_variables(_manifest('requires.env = ["A"]'), {}, ()),
        wants_exec=False,
        unserved=(),
        hash="sha256:0",
        cause=None,
        reason=None,
        by_configuration=False,
        granted_env=(),
        granted_exec=False,
    )
    heads = [line for line in trust_lines(standing) if line.endswith(":")]
    assert [f"*{head}*" in " ".join(PAGE.text.split()) for head in heads] == [True, True]


def test_what_nobody_can_vouch_for_is_said() -> None:
    text = " ".join(PAGE.text.split())
    assert f"more than {MOST_FILES:,} files or {MOST_BYTES // 1_000_000} MB" in text
