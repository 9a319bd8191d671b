import errno
import os
import shutil
from pathlib import Path

import pytest

from extensions.rpc.errors import PeerStartError
from extensions.rpc.peer import running_peer
from extensions.rpc.start_faults import start_fault
from tests.fakes.peer_owner import RecordingOwner

ELF_OF_ARM = b"\x7fELF\x02\x01\x01" + b"\0" * 9 + b"\x02\0\xb7\0" + b"\0" * 44


async def fault(
    folder: Path, *command: str, env: dict[str, str] | None = None, cwd: Path | None = None
) -> str:
    """Return why the command cannot be started in `folder`."""
    with pytest.raises(PeerStartError) as raised:
        async with running_peer(command, cwd=cwd or folder, env=env or {}, owner=RecordingOwner()):
            pass
    return str(raised.value)


def program(folder: Path, content: bytes, mode: int = 0o755) -> str:
    path = folder / "program"
    path.write_bytes(content)
    path.chmod(mode)
    return "./program"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (ELF_OF_ARM, "it was built for aarch64, and this machine is x86_64"),
        (b"\x7fELF", "its file is cut off"),
        (b"", "its file is empty, or cannot be read"),
        (b"echo hello", "neither a program nor a script that names its interpreter after #!"),
    ],
)
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the file is for another machine")
async def test_a_file_that_is_no_program_here_is_named_for_what_it_is(
    tmp_path: Path, content: bytes, reason: str
) -> None:
    command = program(tmp_path, content)

    assert await fault(tmp_path, command) == f"spawn failed for `./program`: {reason}"


@pytest.mark.parametrize(
    ("line", "interpreter"),
    [("#!/no/such/python", "/no/such/python"), ("#!/usr/bin/env -S no-such -x", "no-such")],
)
async def test_an_interpreter_that_is_not_there_is_named(
    tmp_path: Path, line: str, interpreter: str
) -> None:
    command = program(tmp_path, line.encode() + b"\n")

    assert await fault(tmp_path, command) == (
        f"spawn failed for `./program`: shebang interpreter `{interpreter}` not found on host"
        " (install it or rewrite the shebang)"
    )


async def test_a_program_that_is_not_there_or_may_not_be_run_is_told_apart(tmp_path: Path) -> None:
    command = program(tmp_path, b"#!/bin/sh\n", mode=0o644)
    (tmp_path / "link").symlink_to("nowhere")
    (tmp_path / "folder").mkdir()
    faults = {
        name: (await fault(tmp_path, name)).rpartition("`: ")[2]
        for name in ("./absent", "no-such-program", command, "./link", "./folder", "./program/x")
    }

    assert faults == {
        "./absent": "no such file",
        "no-such-program": "not found on PATH",
        "./program": "it is not executable",
        "./link": "a link to nothing",
        "./folder": "it is a folder",
        "./program/x": "no such file",
    }


async def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    cwd = tmp_path / "gone"

    assert await fault(tmp_path, "/bin/true", cwd=cwd) == (
        f"spawn failed for `/bin/true`: its folder {cwd} is not there"
    )


async def test_a_command_that_cannot_be_one_is_refused(tmp_path: Path) -> None:
    assert "null byte" in await fault(tmp_path, "/bin/echo", "a\0b")
    large = {"LARGE": "x" * 1_000_000}
    assert await fault(tmp_path, "/bin/true", env=large) == (
        "spawn failed for `/bin/true`: its arguments and environment are too large"
    )


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (errno.EMFILE, "too many files are open"),
        (errno.ENOMEM, "there is no memory left"),
        (errno.ENOSPC, "there is no room on the disk"),
        (errno.EAGAIN, "too many processes run"),
        (errno.EIO, "Input/output error"),
    ],
)
def test_what_the_machine_lacks_is_named(number: int, reason: str, tmp_path: Path) -> None:
    error = OSError(number, os.strerror(number))

    assert start_fault(error, ["/bin/true"], cwd=tmp_path, env={}) == (
        f"spawn failed for `/bin/true`: {reason}"
    )


def test_a_program_without_its_loader_is_told_from_one_that_is_absent(tmp_path: Path) -> None:
    shutil.copy("/bin/true", tmp_path / "program")
    error = FileNotFoundError(errno.ENOENT, "No such file or directory")

    assert start_fault(error, ["./program"], cwd=tmp_path, env={}) == (
        "spawn failed for `./program`: the loader that it was built for is not on this machine"
    )
