"""A plugin is looked at under the name that it will have."""

from pathlib import Path

import pytest

from extensions.plugins.manifest_reading import HostFacts
from extensions.plugins.packages.errors import BadPackageError
from extensions.plugins.packages.inspection import hash_of, inspect
from tests.fakes.package_archives import plugin_files

HOST = HostFacts(version="0.1.0")


def _plugin(folder: Path) -> Path:
    folder.mkdir(parents=True)
    for name, body in plugin_files("dice").items():
        (folder / name).write_bytes(body)
    return folder


@pytest.mark.parametrize("name", ["dice", "other", "@", "files"])
def test_its_folder_is_called_by_its_id(tmp_path: Path, name: str) -> None:
    folder = _plugin(tmp_path / "files")
    # A wheel may hold such a folder beside that of the plugin.
    (tmp_path / "called").mkdir()

    assert inspect(folder, name, HOST).folder.name == "dice"


def test_a_link_out_of_it_and_in_again_by_another_name_leads_out(tmp_path: Path) -> None:
    folder = _plugin(tmp_path / "files")
    (folder / "link").symlink_to("../other/main.py")
    (folder / "own").symlink_to("../dice/main.py")

    inspected = inspect(folder, "other", HOST)

    with pytest.raises(BadPackageError, match=r"^link is a link that leads out"):
        hash_of(inspected.folder)
