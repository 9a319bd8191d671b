"""The page on manifests names every key and every diagnostic."""

import ast
import re

import pytest

from extensions.plugins import mcp_servers, sep_manifest, stdio_manifest
from tests.docs.code_texts import sentences_in
from tests.docs.pages import ROOT, page, rows_of, text_blocks

PAGE = page("docs/plugins/manifests.md")
MODULES = (
    *("manifest_reading", "manifest_values", "stdio_manifest", "sep_manifest"),
    *(
        "wrapper_manifest",
        "mcp_servers",
        "discovery",
        "search",
        "selection",
        "choosing",
        "environment",
    ),
)
KEYS_BY_SECTION = {
    "`extension.toml`": ("sep_manifest", vars(sep_manifest)["_RESOURCE_KINDS"]),
    "`plugin.toml` with `[plugin]`": (
        "stdio_manifest",
        # Those of one server are in a table of their own.
        (
            *vars(stdio_manifest)["_LISTS"],
            *vars(stdio_manifest)["_UNSERVED_TABLES"],
            *("outbound_bindings", "mcp_servers"),
        ),
    ),
    "`plugin.toml` without `[plugin]`": ("wrapper_manifest", ()),
    "MCP servers": ("mcp_servers", (*vars(mcp_servers)["_UNSERVED_KEYS"], "mcpServers")),
}
TAKERS = frozenset(
    {"text", "optional_text", "texts", "text_or_texts", "flag", "flag_or_names", "integer"}
    | {"number", "table", "tables", "variables", "raw", "has"}
)
"""What takes a key out of a table."""


def _shown_keys(title: str) -> set[str]:
    keys = [code for key, *_ in rows_of(PAGE.section(title)) for code in re.findall("`(.+)`", key)]
    return {part for key in keys for part in key.split(".") if not part.isupper()}


def _keys_in(module: str) -> set[str]:
    tree = ast.parse((ROOT / "extensions" / "plugins" / f"{module}.py").read_text())
    return {
        str(node.args[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in TAKERS
        and node.args
        and isinstance(node.args[0], ast.Constant)
    }


@pytest.mark.parametrize("title", KEYS_BY_SECTION)
def test_every_key_that_is_read_stands_in_a_table_and_no_other(title: str) -> None:
    module, more = KEYS_BY_SECTION[title]
    assert _shown_keys(title) == {*_keys_in(module), *more}


def test_every_diagnostic_of_the_code_stands_on_the_page() -> None:
    lines = text_blocks(PAGE.section("Diagnostics"))
    said = sentences_in(*(f"extensions/plugins/{module}.py" for module in MODULES))
    missing = [each for each in said if not any(re.search(each, line) for line in lines)]
    assert len(said) > len(MODULES)
    assert missing == []


def test_the_page_shows_no_diagnostic_that_there_is_not() -> None:
    said = sentences_in(*(f"extensions/plugins/{module}.py" for module in MODULES))
    unknown = [
        line
        for line in text_blocks(PAGE.section("Diagnostics"))
        if not any(
            re.fullmatch(each, re.sub(r"^failed to parse (TOML|JSON): ", "", line))
            or re.fullmatch(each, line)
            for each in said
        )
    ]
    assert unknown == []
