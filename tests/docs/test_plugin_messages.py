"""The page with every message is made of the models, and all that it shows fits them."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from extensions.plugins.capabilities import missing_capability
from extensions.plugins.manifest import Capabilities
from papercup_plugin.conformance import FRAMES, check
from papercup_plugin.conformance.frames import METHODS
from papercup_plugin.conformance.meanings import MEMBERS
from papercup_plugin.conformance.meanings import METHODS as SENTENCES
from papercup_plugin.conformance.methods import Dialect, Method, Side
from scripts import message_reference
from scripts.message_examples import EXAMPLES, MORE
from scripts.message_tables import members_of, part_of
from tests.docs.pages import page, rows_of

PAGE = page("docs/plugins/messages.md")
PROTOCOL = page("docs/plugins/protocol.md")
TABLES = {
    (Dialect.SEP, Side.HOST): "`sep`: what Papercup asks",
    (Dialect.SEP, Side.PLUGIN): "What plugins ask",
    (Dialect.STDIO, Side.HOST): "`stdio`: what Papercup asks",
}
OLDER = "tools/NAME"
"""Another way to write `tools/call`, which has no model of its own."""

each_method = pytest.mark.parametrize(
    ("dialect", "method"),
    [(dialect, method) for dialect, methods in METHODS.items() for method in methods],
    ids=lambda part: part.name if isinstance(part, Method) else part,
)


def _frames() -> Iterator[str]:
    """Yield all that has a table of its own."""
    for name, kind in FRAMES.items():
        part = part_of(kind)
        if part is None or part == name:
            yield name


def test_the_page_is_what_is_made_of_the_models_now() -> None:
    assert PAGE.text == message_reference.page(), "`just messages` brings it up to date"


@pytest.mark.parametrize("frame", [*EXAMPLES, *MORE])
def test_each_example_fits_its_model(frame: str) -> None:
    shown = [EXAMPLES[frame], *MORE.get(frame, ())]
    assert [check(frame, example) for example in shown] == [[]] * len(shown)


@each_method
def test_each_line_that_is_shown_of_a_method_is_a_message(dialect: Dialect, method: Method) -> None:
    whose = f"{dialect} {method.by} {method.name}"
    title = message_reference.title_of(method, dialect)
    (block,) = re.findall(r"^```json\n(.*?)^```$", PAGE.section(title), re.MULTILINE | re.DOTALL)
    lines: list[dict[str, Any]] = [json.loads(line) for line in block.splitlines()]
    assert lines
    for line in lines:
        asks = "request" if "id" in line else "notification"
        assert check("success" if "result" in line else asks, line) == []
        part = "result" if "result" in line else "params"
        assert check(f"{whose} {part}", line[part]) == []
    ids = [line.get("id") for line in lines]
    assert ["result" in line for line in lines[:2]] == [False, True][: 1 + method.is_request]
    assert set(ids) == {ids[0]}


def test_what_each_member_is_for_is_said_and_of_nothing_else() -> None:
    there = {(frame, member.name) for frame in _frames() for member in members_of(FRAMES[frame])}
    said = {(frame, name) for frame, names in MEMBERS.items() for name in names}
    assert said - there == set()
    assert {path.rpartition(".")[2] for _, path in there - said} == {"context"}


def test_what_each_method_is_for_is_said_and_of_nothing_else() -> None:
    names = [f"{dialect} {each.by} {each.name}" for dialect in METHODS for each in METHODS[dialect]]
    assert set(SENTENCES) == set(names)


@pytest.mark.parametrize(("whose", "title"), TABLES.items(), ids=TABLES.values())
def test_the_page_on_the_protocol_has_the_same_methods(
    whose: tuple[Dialect, Side], title: str
) -> None:
    dialect, side = whose
    told = {cells[0].strip("`") for cells in rows_of(PROTOCOL.section(title))} - {OLDER}
    assert told == {each.name for each in METHODS[dialect] if each.by is side}


def test_a_method_needs_the_capability_that_the_host_wants_for_it() -> None:
    nothing = Capabilities(hooks=frozenset(), providers=frozenset())
    asked = [each for each in METHODS[Dialect.SEP] if each.by is Side.PLUGIN]
    wanted = {each.name: missing_capability(each.name, nothing) for each in asked}
    assert {each.name: each.capability for each in asked} == wanted
