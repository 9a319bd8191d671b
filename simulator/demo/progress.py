"""One line that tells how far a demo is."""

from collections.abc import Generator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn


class ProgressLine:
    """Counts the scenes. Get it from `showing_progress`."""

    def __init__(self, progress: Progress, scene_count: int) -> None:
        self._progress = progress
        self._task = progress.add_task("starting", total=scene_count)
        self._is_first = True

    def scene(self, title: str) -> None:
        """Show that a scene begins, and so the one before it is over."""
        self._progress.update(
            self._task, description=title, advance=0 if self._is_first else 1, refresh=True
        )
        self._is_first = False


@contextmanager
def showing_progress(console: Console, scene_count: int) -> Generator[ProgressLine]:
    """Show the line below all else while the block lasts; only where somebody looks at it.

    Args:
        console: Where.
        scene_count: How many scenes there are.
    """
    progress = Progress(
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}", style="dim"),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    with progress:
        yield ProgressLine(progress, scene_count)
