"""What stands in the environment of a plugin cannot change unnoticed."""

from pathlib import Path

import pytest

from extensions.plugins.packages.environments import (
    PythonPlace,
    hash_environment,
    look_at_environment,
)
from extensions.plugins.tree_hash import BadTree, TreeHash

PYTHON = "/usr/bin/env"


@pytest.fixture
def place(tmp_path: Path) -> PythonPlace:
    """An environment in a project, as uv makes it."""
    made = PythonPlace(folder=tmp_path / "shop/.papercup/plugins/.environments/dice-0123")
    made.bin.mkdir(parents=True)
    made.python.symlink_to(PYTHON)
    (made.bin / "python3").symlink_to("python")
    (made.folder / "lib").mkdir()
    (made.folder / "lib64").symlink_to("lib")
    (made.folder / "lib/chance.py").write_text("SIDES = 6")
    (made.folder / "pyvenv.cfg").write_text("home = /usr/bin\nversion_info = 3.11\n")
    return made


def project_of(place: PythonPlace) -> Path:
    return place.folder.parents[3]


def make_ready(place: PythonPlace) -> str:
    made = hash_environment(place)
    assert isinstance(made, TreeHash)
    place.ready.write_text(made.text)
    return made.text


def test_an_environment_is_as_it_was_made_until_something_in_it_changes(
    place: PythonPlace,
) -> None:
    before = look_at_environment(place)
    text = make_ready(place)
    found = look_at_environment(place, project_of(place))
    (place.folder / "lib/chance.py").write_text("SIDES = 60")
    changed = look_at_environment(place)

    assert before is None
    assert found is not None
    assert (found.hash, found.made, found.is_as_made) == (TreeHash(text), text, True)
    assert changed is not None
    assert not changed.is_as_made


@pytest.mark.parametrize("name", [".git", "lib/__pycache__", "bin/python9"])
def test_nothing_in_it_is_left_out(place: PythonPlace, name: str) -> None:
    make_ready(place)
    (place.folder / name).mkdir()

    found = look_at_environment(place)

    assert found is not None
    assert not found.is_as_made


def test_another_python_is_a_change(place: PythonPlace) -> None:
    make_ready(place)
    place.python.unlink()
    place.python.symlink_to("/usr/bin/python3")

    found = look_at_environment(place)

    assert found is not None
    assert not found.is_as_made


def test_nothing_else_may_lead_out_of_it(place: PythonPlace) -> None:
    (place.folder / "lib/evil").symlink_to("/tmp")

    assert hash_environment(place) == BadTree(
        path="lib/evil", reason="is a link that leads out of the plugin's folder"
    )


def test_a_python_that_comes_with_a_project_is_not_the_operators(place: PythonPlace) -> None:
    evil = project_of(place) / "python"
    evil.touch()
    settings = place.folder / "pyvenv.cfg"
    settings.write_text(f"Home={project_of(place)}/x\n")
    named = hash_environment(place, project_of(place))
    settings.write_bytes(b"\xff")
    unreadable = hash_environment(place, project_of(place))
    place.python.unlink()
    place.python.symlink_to(evil)

    assert named == BadTree(path="pyvenv.cfg", reason="names a Python in the project")
    assert isinstance(unreadable, BadTree)
    assert unreadable.path == "pyvenv.cfg"
    led = hash_environment(place, project_of(place))
    assert isinstance(led, BadTree)
    assert led.reason == "leads to a Python in the project"
    assert isinstance(hash_environment(place), TreeHash)
