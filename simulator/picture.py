"""Takes a picture of a page with a headless Chromium, whole and without the network."""

import re
import subprocess
import tempfile
from pathlib import Path

_OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
_TIMEOUT_SECONDS = 60
_MEASURE = (
    "<script>document.title = document.documentElement.getBoundingClientRect().height</script>"
)
_HEIGHT = re.compile(r"<title>([\d.]+)</title>")


def draw(page: str, target: Path, *, width_pixels: int, chromium: str = "chromium") -> None:
    """Write a PNG of a whole page.

    Args:
        page: The HTML; it may need nothing from elsewhere.
        target: Where the picture goes.
        width_pixels: How wide it is; it is as high as the page.
        chromium: The browser's program.

    Raises:
        OSError: If the browser cannot be started.
        subprocess.SubprocessError: If it fails, or takes longer than a minute.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = [chromium, *_OPTIONS, f"--user-data-dir={folder / 'profile'}"]
        measured = _written(folder / "measured.html", page + _MEASURE)
        size = f"--window-size={width_pixels},1"
        found = _HEIGHT.search(_run([*command, size, "--dump-dom", measured]))
        assert found is not None, "the page told its height in its title"
        shown = _written(folder / "page.html", page)
        size = f"--window-size={width_pixels},{-(-float(found[1]) // 1):.0f}"
        _run([*command, size, f"--screenshot={target}", shown])


def _written(path: Path, page: str) -> str:
    path.write_text(page, encoding="utf-8")
    return path.as_uri()


def _run(command: list[str]) -> str:
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, timeout=_TIMEOUT_SECONDS
    )
    return done.stdout
