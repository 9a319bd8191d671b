"""Plugins are installed into a project that somebody else wrote, who has laid traps there."""

import hashlib
from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from extensions.plugins.manifest_reading import HostFacts
from extensions.plugins.packages.environments import (
    FOLDER_NAME,
    READY_NAME,
    REQUIREMENTS_NAME,
    hash_environment,
    python_place,
    python_place_of,
)
from extensions.plugins.packages.fetching import FetchTerms
from extensions.plugins.packages.installing import install, update
from extensions.plugins.packages.preparing import InstallTerms
from extensions.plugins.packages.sdk import Sdk
from extensions.plugins.packages.sources import FolderSource
from extensions.plugins.tree_hash import TreeHash
from tests.fakes.package_archives import plugin_files, wheel
from tests.fakes.package_programs import with_uv
from tests.fakes.package_registries import Registries, serving_registries


class Project:
    """A project in the user's home folder, and a plugin to be installed there."""

    def __init__(self, folder: Path, registries: Registries) -> None:
        self.registries = registries
        self.home = folder / "home"
        self.root = self.home / "project/plugins"
        self.root.mkdir(parents=True)
        (self.home / ".ssh").mkdir()
        (self.home / ".ssh/id_rsa").write_text("key")
        self.source = folder / "dice"
        self.source.mkdir()
        for name, body in plugin_files().items():
            (self.source / name).write_bytes(body)

    @property
    def terms(self) -> InstallTerms:
        return InstallTerms(
            root=self.root,
            host=HostFacts(version="0.1.0"),
            elsewhere=lambda _id: None,
            fetching=FetchTerms(
                endpoints=self.registries.endpoints,
                environment={"PATH": with_uv()},
                tell=lambda _progress: None,
            ),
            sdk=Sdk(version="0.1.0", put_into=lambda _folder: None),
            clock=lambda: datetime(2026, 1, 1, tzinfo=UTC),
            in_project=True,
        )

    def install(self) -> Path:
        return install(FolderSource(path=self.source), self.terms).path


@pytest.fixture
def project(tmp_path: Path) -> Generator[Project]:
    with serving_registries() as registries:
        yield Project(tmp_path, registries)


def test_nothing_of_the_users_is_moved_or_removed(project: Project) -> None:
    (project.root / FOLDER_NAME).symlink_to("../..")
    (project.root / ".staging-1").symlink_to("../../.ssh")
    (project.root / ".staging-2").mkdir()
    (project.root / ".staging-2/undo").symlink_to("../../../.ssh")
    (project.root / ".staging-2/old").symlink_to("../../../.ssh")

    installed = project.install()

    assert (installed / "main.py").is_file()
    assert (project.home / ".ssh/id_rsa").read_text() == "key"


def test_packages_that_came_with_the_project_are_not_taken_for_those_that_are_pinned(
    project: Project,
) -> None:
    body = wheel("chance", "1.0", {"chance.py": b"pinned"})
    project.registries.add_pypi("chance", {"chance-1.0-py3-none-any.whl": body})
    (project.source / "requirements.txt").write_text("chance")
    pinned = f"chance==1.0 \\\n    --hash=sha256:{hashlib.sha256(body).hexdigest()}\n"
    place = python_place(project.root, "dice", pinned.encode())
    place.bin.mkdir(parents=True)
    (place.folder / "chance.py").write_text("another")
    place.python.symlink_to("/bin/sh")
    made = hash_environment(place)
    assert isinstance(made, TreeHash)
    (place.folder / READY_NAME).write_text(made.text)

    installed = project.install()

    assert (installed / REQUIREMENTS_NAME).read_text() == pinned
    found = sorted(place.folder.rglob("chance.py"))
    assert [each.read_text() for each in found] == ["pinned"]


def test_packages_that_the_project_shipped_with_a_note_that_fits_are_made_anew(
    project: Project,
) -> None:
    body = wheel("chance", "1.0", {"chance.py": b"pinned"})
    project.registries.add_pypi("chance", {"chance-1.0-py3-none-any.whl": body})
    (project.source / "requirements.txt").write_text("chance")
    place = python_place_of(project.install())
    assert place is not None
    (module,) = place.folder.rglob("chance.py")
    module.write_text("another")
    made = hash_environment(place)
    assert isinstance(made, TreeHash)
    place.ready.write_text(made.text)

    mended, same = update("dice", project.terms), update("dice", project.terms)

    assert module.read_text() == "pinned"
    assert (mended.has_new_packages, same.has_new_packages) == (True, False)
