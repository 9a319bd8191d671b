"""The gallery shows each example by a picture of its own."""

import re

import pytest

from tests.docs.pages import Page
from tests.docs.scenes.gallery import EXAMPLES, GALLERY, PICTURES, picture_path, shown_plugins
from tests.docs.scenes.gallery_plays import PLAYS
from tests.docs.scenes.gallery_scene import WIDTH_PIXELS

MOST_BYTES = 60_000
TEXT = Page(GALLERY).text


def test_each_example_has_a_place_and_a_picture_that_shows_it() -> None:
    examples = sorted(each.name for each in EXAMPLES.iterdir() if each.is_dir())
    headings = re.findall(r"^### (.+)$", TEXT, re.MULTILINE)
    places = re.findall(
        r"\[`?(\w+)`?\]\(\.\./\.\./examples/plugins/(\w+)/README\.md\)", "".join(headings)
    )

    assert sorted(name for name, _ in places) == examples
    assert all(name == folder for name, folder in places)
    assert sorted(each for name in PLAYS for each in shown_plugins(name)) == examples


def test_the_page_shows_each_picture_below_what_it_shows() -> None:
    sections = re.split(r"^### ", TEXT, flags=re.MULTILINE)[1:]
    shown = {
        tuple(re.findall(r"\[`?(\w+)`?\]", section.splitlines()[0])): re.findall(
            r"^!\[[^\]]+\]\(\.\./images/plugins/(\w+)\.png\)$", section, re.MULTILINE
        )
        for section in sections
    }

    assert shown == {shown_plugins(name): [name] for name in PLAYS}


def test_there_is_no_picture_that_nobody_shows() -> None:
    assert sorted(each.name for each in PICTURES.iterdir()) == sorted(f"{n}.png" for n in PLAYS)


@pytest.mark.parametrize("name", PLAYS)
def test_a_picture_is_small(name: str) -> None:
    picture = picture_path(name).read_bytes()

    assert picture.startswith(b"\x89PNG")
    assert int.from_bytes(picture[16:20], "big") == WIDTH_PIXELS
    assert len(picture) < MOST_BYTES
