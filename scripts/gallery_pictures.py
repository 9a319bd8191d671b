"""Draws the pictures of the gallery: plays each example plugin with a real bot.

It needs a Chromium to draw with. `uv run python -m scripts.gallery_pictures` draws all,
`… dice todo` those that are named, `… --chromium PROGRAM` with that one.
"""

# ruff: noqa: INP001 - it is run with -m, so that it finds the scenes among the tests

import argparse
import asyncio
import tempfile
from pathlib import Path

from simulator.picture import draw
from tests.docs.scenes.gallery import PICTURES, gallery_page, picture_path
from tests.docs.scenes.gallery_plays import PLAYS
from tests.docs.scenes.gallery_scene import WIDTH_PIXELS


def main() -> None:
    """Draw them."""
    parser = argparse.ArgumentParser(prog="python -m scripts.gallery_pictures")
    parser.add_argument("names", nargs="*", metavar="NAME", help="of a picture; none: all")
    parser.add_argument("--chromium", default="chromium", help="the program that draws")
    given = parser.parse_args()
    PICTURES.mkdir(parents=True, exist_ok=True)
    for name in given.names or PLAYS:
        with tempfile.TemporaryDirectory(prefix="papercup-gallery-") as folder:
            page = asyncio.run(gallery_page(name, Path(folder)))
        draw(page, picture_path(name), width_pixels=WIDTH_PIXELS, chromium=given.chromium)
        print(f"{picture_path(name).name}: {picture_path(name).stat().st_size} bytes")  # noqa: T201 - a command


if __name__ == "__main__":
    main()
