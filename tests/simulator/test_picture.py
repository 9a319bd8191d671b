import shutil
import struct
from pathlib import Path

import pytest

from simulator.picture import draw


def test_a_picture_is_as_high_as_the_page(tmp_path: Path) -> None:
    if shutil.which("chromium") is None:
        pytest.skip("no chromium: pictures are drawn with it")
    target = tmp_path / "page.png"
    page = "<!doctype html><body style='margin:0'><div style='height:1234px'></div>"
    draw(page, target, width_pixels=600)
    header = target.read_bytes()[:24]
    assert header[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", header[16:]) == (600, 1234)
