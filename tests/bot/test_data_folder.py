import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bot.data_folder import DataFolder, held_data_folder
from bot.errors import DataFolderBusyError, DataFolderError

_HOLD = """
import sys
from pathlib import Path
from bot.data_folder import held_data_folder
with held_data_folder(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def _mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_the_folder_is_made_for_its_owner_alone_and_so_is_what_is_made_in_it(
    tmp_path: Path,
) -> None:
    root = tmp_path / "deep" / "data"
    with held_data_folder(root) as folder:
        (folder.root / "file").touch()
        (folder.extensions / "job").mkdir()

    folders = [root, folder.extensions, folder.run, folder.home, folder.sessions]
    assert [_mode(path) for path in [*folders, folder.extensions / "job"]] == [0o700] * 6
    assert [_mode(folder.root / "file"), _mode(folder.lock)] == [0o600] * 2


def test_the_umask_is_as_before_afterwards(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        with held_data_folder(tmp_path / "data"):
            pass
        assert os.umask(before) == 0o022
    finally:
        os.umask(before)


def test_a_second_bot_is_refused_and_told_who_holds_the_folder(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(DataFolderBusyError) as caught, held_data_folder(tmp_path):
            pass
        holder.kill()

    assert f"process {holder.pid}, running since 20" in str(caught.value)
    assert str(tmp_path) in str(caught.value)


def test_the_folder_of_a_killed_bot_is_free_at_once(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        holder.kill()
        holder.wait()

    with held_data_folder(tmp_path) as folder:
        assert json.loads(folder.lock.read_text())["pid"] == os.getpid()


def test_a_child_does_not_keep_the_folder_held(tmp_path: Path) -> None:
    with held_data_folder(tmp_path):
        command = ["/bin/sh", "-c", "echo up; exec sleep 60"]
        child = subprocess.Popen(command, close_fds=False, stdout=subprocess.PIPE)
        # The kernel lets us go on before it has closed what the child shall not have.
        assert child.stdout is not None
        assert child.stdout.readline() == b"up\n"
    try:
        with held_data_folder(tmp_path):
            pass
    finally:
        child.kill()
        child.communicate()


def test_a_holder_that_has_not_written_its_name_yet_is_refused_all_the_same(
    tmp_path: Path,
) -> None:
    with held_data_folder(tmp_path) as folder:
        folder.lock.write_text("")
        with (
            pytest.raises(DataFolderBusyError, match="has not yet said"),
            held_data_folder(tmp_path),
        ):
            pass


@pytest.mark.parametrize("names", [[], ["README.md"], ["lock", "papercup.db", "notes"]])
def test_an_open_folder_that_is_papercups_own_is_closed_to_others(
    tmp_path: Path, names: list[str]
) -> None:
    root = tmp_path / "data"
    root.mkdir()
    root.chmod(0o755)
    for name in names:
        (root / name).touch()

    with held_data_folder(root):
        assert _mode(root) == 0o700


def test_an_open_folder_with_somebodys_things_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "letters").mkdir()

    with pytest.raises(DataFolderError, match="holds other things"), held_data_folder(tmp_path):
        pass

    assert (_mode(tmp_path), list(tmp_path.iterdir())) == (0o755, [tmp_path / "letters"])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_another_user_is_refused(tmp_path: Path) -> None:
    os.chown(tmp_path, 12345, -1)
    with (
        pytest.raises(DataFolderError, match="belongs to another user"),
        held_data_folder(tmp_path),
    ):
        pass


def test_a_file_in_the_folders_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").touch()
    with (
        pytest.raises(DataFolderError, match="File exists"),
        held_data_folder(tmp_path / "data"),
    ):
        pass


def test_a_link_in_the_locks_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(DataFolderError, match="Too many levels"), held_data_folder(tmp_path):
        pass
    assert not (tmp_path / "elsewhere").exists()


def test_where_what_stands() -> None:
    folder = DataFolder(Path("/data"))
    assert [
        folder.database,
        folder.extensions_json,
        folder.extensions,
        folder.run,
        folder.home,
        folder.sessions,
        folder.control_socket,
        folder.lock,
    ] == [
        Path("/data") / name
        for name in (
            "papercup.db",
            "extensions.json",
            "extensions",
            "run",
            "home",
            "sessions",
            "control.sock",
            "lock",
        )
    ]
