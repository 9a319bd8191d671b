from typing import Any

import pytest

from extensions.claude.tool_output import text_of, with_text

RAN = {"stdout": "hi", "stderr": "oh", "interrupted": False, "isImage": False}
FILE = {"filePath": "/a", "content": "one", "numLines": 1, "startLine": 1}
READ = {"type": "text", "file": FILE}
FOUND = {"mode": "content", "numFiles": 0, "filenames": [], "content": "a:1", "numLines": 1}
LISTED = {"filenames": ["a", "b"], "numFiles": 2, "truncated": False}
WROTE = {"type": "create", "filePath": "/a", "content": "x", "structuredPatch": []}
PICTURE = {"type": "image", "file": {"base64": "AAAA", "type": "image/png"}}
BLOCKS = [{"type": "text", "text": "one"}, {"type": "image", "source": {}}, {"type": "odd"}, 7]


@pytest.mark.parametrize(
    ("response", "text"),
    [
        (RAN, "hi\noh"),
        ({**RAN, "stderr": ""}, "hi"),
        (READ, "one"),
        (FOUND, "a:1"),
        (LISTED, "a\nb"),
        (PICTURE, "[an image]"),
        (BLOCKS, "one\n[an image]\n[odd]\n7"),
        ("plain", "plain"),
        ({"ok": "ä"}, '{"ok": "ä"}'),
        (None, "null"),
    ],
)
def test_what_a_tool_gave_back_is_shown_as_its_text(response: Any, text: str) -> None:
    assert text_of(response) == text


@pytest.mark.parametrize(
    ("response", "other"),
    [
        (RAN, {**RAN, "stdout": "x\ny", "stderr": ""}),
        (READ, {**READ, "file": {**FILE, "content": "x\ny", "numLines": 2}}),
        (FOUND, {**FOUND, "content": "x\ny", "numLines": 2}),
        (LISTED, {**LISTED, "filenames": ["x", "y"]}),
        (BLOCKS, "x\ny"),
        ("plain", "x\ny"),
    ],
)
def test_other_text_takes_its_place_in_the_tools_own_shape(response: Any, other: Any) -> None:
    assert with_text(response, "x\ny") == other
    assert text_of(other) == "x\ny"


@pytest.mark.parametrize("response", [WROTE, PICTURE, {**RAN, "isImage": True}, None, {"ok": "ä"}])
def test_a_shape_without_room_for_text_takes_none(response: Any) -> None:
    assert with_text(response, "x\ny") is None
