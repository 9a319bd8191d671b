"""The documents are whole: links lead somewhere, and what they name is there."""

import re

import pytest

from tests.docs.pages import ROOT, Page, page, pages

_LINK = re.compile(r"\]\(([^)\s]+)\)")
_OURS = re.compile(r"(bot|extensions|simulator|benchmarks|tests|docs|scripts|\.ci)/[\w./-]*")
_OF_A_MACHINE = re.compile(r"(?<![\w.~$}])/(work|root|home|Users|opt|tmp|mnt)/\w")
_ONE_PAGE = 80

each_page = pytest.mark.parametrize("document", pages(), ids=lambda document: document.name)


def test_the_documents_are_there() -> None:
    names = {document.name for document in pages()}
    wanted = {"README", "ARCHITECTURE", "CONTRIBUTING", "SECURITY", "CHANGELOG", "docs/glossary"}
    assert {f"{name}.md" for name in wanted} - names == set()


@each_page
def test_every_link_inside_the_project_leads_to_something(document: Page) -> None:
    for target in _LINK.findall(document.text):
        if "://" in target:
            continue
        path, _, heading = target.partition("#")
        file = document.path.parent / path if path else document.path
        assert file.exists(), target
        if heading:
            assert heading in _headings(Page(file)), target


@each_page
def test_every_file_of_ours_that_is_named_exists(document: Page) -> None:
    named = {match[0] for code in document.codes if (match := _OURS.fullmatch(code))}
    assert {name for name in named if not (ROOT / name).exists()} == set()


@each_page
def test_no_document_names_a_path_of_somebodys_machine(document: Page) -> None:
    assert _OF_A_MACHINE.findall(document.text) == []


def test_the_changelog_has_a_place_for_what_is_not_released() -> None:
    headings = re.findall(r"^## (.+)$", page("CHANGELOG.md").text, re.MULTILINE)
    assert headings[0] == "[Unreleased]"


def test_the_decisions_are_numbered_without_holes() -> None:
    names = sorted(path.name for path in (ROOT / "docs" / "adr").glob("*.md"))
    assert [name[:5] for name in names] == [f"{number:04}-" for number in range(1, len(names) + 1)]


def test_every_decision_has_its_number_in_its_title_and_says_why() -> None:
    for path in (ROOT / "docs" / "adr").glob("*.md"):
        text = path.read_text()
        assert text.startswith(f"# {path.name[:4]}. "), path.name
        parts = re.findall(r"^\*\*(\w+)\.\*\*", text, re.MULTILINE)
        assert parts == ["Context", "Decision", "Consequences"], path.name


def test_the_architecture_fits_on_a_page() -> None:
    assert len(page("ARCHITECTURE.md").text.splitlines()) <= _ONE_PAGE


def _headings(document: Page) -> set[str]:
    """Return the names under which headings can be linked to."""
    titles = re.findall(r"^#+ (.+)$", document.text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles}
