import inspect
import io
from types import ModuleType

from rich.console import Console

from simulator.demo import (
    acts,
    authors_acts,
    authors_uses,
    plugins_acts,
    voice_acts,
    voice_group_acts,
)
from simulator.demo.progress import showing_progress


def test_the_line_tells_which_scene_of_how_many_it_is() -> None:
    output = io.StringIO()
    console = Console(file=output, force_terminal=True, width=80)
    with showing_progress(console, 3) as progress:
        progress.scene("Alice comes")
        progress.scene("Bob comes")

    assert "1/3" in output.getvalue()
    assert "Bob comes" in output.getvalue()


def test_where_nobody_looks_there_is_no_line() -> None:
    output = io.StringIO()
    with showing_progress(Console(file=output, width=80), 3) as progress:
        progress.scene("Alice comes")

    assert output.getvalue() == ""


def test_as_many_scenes_are_counted_as_there_are() -> None:
    def scenes_in(*modules: ModuleType) -> int:
        return sum(inspect.getsource(each).count("chat.scene(") for each in modules)

    assert scenes_in(acts) == acts.SCENE_COUNT
    assert scenes_in(plugins_acts) == plugins_acts.SCENE_COUNT
    assert scenes_in(authors_acts, authors_uses) == authors_acts.SCENE_COUNT
    assert scenes_in(voice_acts, voice_group_acts) == voice_acts.SCENE_COUNT
