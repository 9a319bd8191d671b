from typing import Any

import pytest

from simulator.discord.drafts import edited_flags, read_draft, read_edit
from simulator.discord.errors import ApiError
from simulator.discord.model import MessageVersion, UploadedFile

FILE = UploadedFile(id=7, name="a.txt", content=b"a", content_type="text/plain")
BUTTON = {"type": 2, "style": 1, "label": "Go", "custom_id": "go"}


OPTIONS = [{"label": "Red", "value": "r"}, {"label": "Green", "value": "g"}]
MENU: dict[str, Any] = {"type": 3, "custom_id": "m", "options": OPTIONS}


def row(*components: dict[str, Any]) -> dict[str, Any]:
    return {"components": [{"type": 1, "components": list(components)}]}


ROW = row(BUTTON)["components"]


def test_every_component_gets_an_id_of_its_own() -> None:
    link = {"type": 2, "style": 5, "label": "Read", "url": "https://example.org", "id": 2}
    draft = read_draft(row(BUTTON, link), ())
    assert draft.components == [
        {"type": 1, "id": 1, "components": [{**BUTTON, "id": 3}, {**link, "id": 2}]}
    ]


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"content": "x" * 2001}, ["content"]),
        ({"content": 5}, ["content"]),
        ({"content": "x", "nonce": "n" * 26}, ["nonce"]),
        ({"content": "x", "message_reference": {"message_id": "y"}}, ["message_reference"]),
        (row(), ["components", "0", "components"]),
        (row(*[BUTTON] * 6), ["components", "0", "components"]),
        (row(BUTTON, BUTTON), ["components"]),
        (row({**BUTTON, "custom_id": "c" * 101}), ["components", "0", "components", "0"]),
        (row({**BUTTON, "custom_id": None}), ["components", "0", "components", "0"]),
        (row({**BUTTON, "label": "l" * 81}), ["components", "0", "components", "0"]),
        (row({**BUTTON, "label": None}), ["components", "0", "components", "0"]),
        ({"components": row(BUTTON)["components"] * 6}, ["components"]),
        ({"components": [{"components": []}]}, ["components"]),
        (row({"type": 4, "style": 1}), ["components", "0", "components", "0"]),
        (row(MENU, BUTTON), ["components", "0", "components"]),
        (row({**MENU, "options": []}), ["components", "0", "components", "0", "options"]),
        (row({**MENU, "options": OPTIONS * 13}), ["components", "0", "components", "0", "options"]),
        (row({**MENU, "options": OPTIONS * 2}), ["components", "0", "components", "0", "options"]),
        (row({**MENU, "max_values": 3}), ["components", "0", "components", "0", "max_values"]),
        (row({**MENU, "max_values": 26}), ["components", "0", "components", "0", "max_values"]),
        (row({**MENU, "min_values": -1}), ["components", "0", "components", "0", "min_values"]),
        (row({**MENU, "custom_id": ""}), ["components", "0", "components", "0", "custom_id"]),
        (
            row({**MENU, "placeholder": "p" * 151}),
            ["components", "0", "components", "0", "placeholder"],
        ),
        (
            row({**MENU, "options": [{"label": "l" * 101, "value": "v"}]}),
            ["components", "0", "components", "0", "options", "0", "label"],
        ),
        (
            row({**MENU, "options": [{**one, "default": True} for one in OPTIONS]}),
            ["components", "0", "components", "0", "options"],
        ),
        ({"content": "x", "flags": 1 << 15}, ["content"]),
    ],
)
def test_the_answer_says_which_field_is_wrong(body: dict[str, Any], path: list[str]) -> None:
    with pytest.raises(ApiError) as refused:
        read_draft(body, ())
    assert (refused.value.status, refused.value.code) == (400, 50035)
    found: Any = refused.value.errors
    for part in path:
        found = found[part]


@pytest.mark.parametrize("body", [{}, {"content": ""}, {"content": " \n"}, {"content": None}])
def test_an_empty_message_is_refused(body: dict[str, Any]) -> None:
    with pytest.raises(ApiError, match="empty message"):
        read_draft(body, ())


def test_a_file_that_is_too_large_is_refused() -> None:
    large = UploadedFile(id=1, name="a", content=bytes(10 * 1024 * 1024 + 1), content_type="x")
    with pytest.raises(ApiError) as refused:
        read_draft({}, (large,))
    assert (refused.value.status, refused.value.code) == (413, 40005)


@pytest.mark.parametrize(
    ("asked", "kept"), [(4, 4), (4096, 4096), (8192, 8192), (64, 0), (128, 0), (32, 0), (2, 0)]
)
def test_a_message_takes_only_the_flags_that_its_author_may_set(asked: int, kept: int) -> None:
    assert read_draft({"content": "x", "flags": asked}, ()).flags == kept


@pytest.mark.parametrize(
    ("old", "body", "new"),
    [
        (4096, {}, 4096),
        (4096, {"flags": 4}, 4100),
        (4100, {"flags": 0}, 4096),
        (64, {"flags": 4096}, 64),
        (1 << 15, {"flags": 0}, 1 << 15),
    ],
)
def test_an_edit_changes_the_flags_that_it_may(old: int, body: dict[str, Any], new: int) -> None:
    assert edited_flags(old, body) == new


def test_an_edit_leaves_what_it_does_not_name() -> None:
    old = MessageVersion(at_seconds=1, text="old", files=(FILE,), components=ROW)
    new = read_edit(old, {"content": "new"}, (), at_seconds=2)
    assert new == MessageVersion(at_seconds=2, text="new", files=(FILE,), components=ROW)


def test_an_edit_keeps_the_files_that_it_names_and_adds_those_that_come_with_it() -> None:
    old = MessageVersion(at_seconds=1, text="", files=(FILE,))
    added = UploadedFile(id=9, name="upload", content=b"b", content_type="text/plain")
    both = read_edit(
        old, {"attachments": [{"id": "7"}, {"id": 0, "filename": "b"}]}, (added,), at_seconds=2
    )
    assert [(file.id, file.name) for file in both.files] == [(7, "a.txt"), (9, "b")]
    with pytest.raises(ApiError, match="empty message"):
        read_edit(old, {"attachments": []}, (), at_seconds=2)
