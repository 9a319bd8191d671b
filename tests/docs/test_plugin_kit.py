"""The page on the kit names every check and every template."""

import re

from bot.cli.plugin_test_commands import DialectName, Template
from papercup_plugin.conformance import CHECKS, check
from papercup_plugin.conformance.host_cases import QUESTIONS
from papercup_plugin.conformance.methods import Dialect
from papercup_plugin.templates import TEMPLATES
from tests.docs.pages import ROOT, page, rows_of

PAGE = page("docs/plugins/kit.md")
SOURCES = ROOT / "sdk" / "python" / "papercup_plugin" / "templates"


def _first_codes(title: str) -> list[str]:
    return [re.findall("`(.+)`", cell)[0] for cell, *_ in rows_of(PAGE.section(title))]


def test_every_check_is_named_in_order() -> None:
    assert _first_codes("Test one") == [each.name for each in CHECKS]


def test_every_template_is_named_with_its_dialects() -> None:
    rows = [[cell.strip("`") for cell in row] for row in rows_of(PAGE.section("Begin one"))]
    manifests = {Dialect.SEP: "extension.toml", Dialect.STDIO: "plugin.toml"}
    there = {
        name: ", ".join(
            f"`{dialect}`"
            for dialect, manifest in manifests.items()
            if (SOURCES / name.replace("-", "_") / manifest).is_file()
        )
        for name in TEMPLATES
    }
    assert {row[0]: f"`{row[2]}`" for row in rows} == there
    assert list(TEMPLATES) == [each.value for each in Template]
    assert [each.value for each in Dialect] == [each.value for each in DialectName]


def test_what_the_example_prints_is_what_it_says() -> None:
    (found,) = check("sep host tool/execute result", {"is_error": False})
    assert f"# {found}" in PAGE.text


def test_the_case_that_it_names_is_there() -> None:
    assert any(case.name.startswith("kv/") for case in QUESTIONS)
