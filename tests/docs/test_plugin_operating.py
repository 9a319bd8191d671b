"""The page on running plugins says why one does not run, in the words of the code."""

import re

from extensions.plugins import audit, environment, tree_hash
from extensions.plugins.services import AuditKind
from tests.docs.code_texts import sentences_in
from tests.docs.pages import page, text_blocks

PAGE = page("docs/plugins/operating.md")
REASONS = ("admission", "gating", "program", "tree_hash", "trust")
"""Where nothing is said but why a plugin may not run."""
OTHERS = ("plugin_program", "supervision", "dialects/sep", "dialects/stdio")
FAULTS = "extensions/rpc/start_faults.py"


def _paths(modules: tuple[str, ...]) -> list[str]:
    return [f"extensions/plugins/{module}.py" for module in modules]


def test_every_reason_not_to_start_a_plugin_stands_on_the_page() -> None:
    lines = text_blocks(PAGE.section("Why one does not run"))
    said = [text for text in sentences_in(*_paths(REASONS)) if not text.startswith("not\\ started")]
    assert [text for text in said if not any(re.search(text, line) for line in lines)] == []


def test_the_page_gives_no_reason_that_there_is_not() -> None:
    said = sentences_in(*_paths((*REASONS, *OTHERS)), FAULTS)
    lines = [
        line.removeprefix("PATH ") for line in text_blocks(PAGE.section("Why one does not run"))
    ]
    unknown = [line for line in lines if not any(re.fullmatch(text, line) for text in said)]
    assert unknown == []


def test_the_page_names_every_kind_of_line_in_the_log() -> None:
    assert {kind.value for kind in AuditKind} <= set(PAGE.codes)
    kept = f"the newest {audit.MOST_LINES:,} lines in the database, {audit.MOST_LINES_OF_A_KIND:,}"
    assert kept in " ".join(PAGE.text.split())


def test_the_page_says_what_of_the_environment_passes() -> None:
    secret = (*vars(environment)["_BLOCKED_ENDINGS"], *vars(environment)["_BLOCKED_WORDS"])
    assert {*environment.ALLOWED_NAMES, *secret} <= set(PAGE.codes)


def test_the_page_says_how_large_a_plugin_may_be() -> None:
    text = " ".join(PAGE.text.split())
    assert f"{tree_hash.MOST_FILES:,} files or {tree_hash.MOST_BYTES // 1_000_000} MB" in text
