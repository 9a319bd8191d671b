import json
import os
from pathlib import Path
from typing import Any

import pytest

from extensions.process.child import running_child
from extensions.process.interpreter import program_command
from extensions.process.jail.bubblewrap import Jail, this_host
from extensions.process.jail.findings import MUST_FAIL, MUST_WORK, weaknesses
from extensions.process.jail.probe import (
    baited_folder,
    find_bwraps,
    jailed_findings,
    own_namespaces,
    probe_jail,
)

SYSTEM_PYTHON = Path("/usr/bin/python3")


async def unjailed_findings(folder: Path, targets: dict[str, Any]) -> dict[str, Any]:
    port = targets["other_port"]
    argument = json.dumps(targets | {"mcp_port": port, "api_port": port})
    async with running_child(
        [*program_command("jail_probe"), argument],
        cwd=folder,
        env={"PATH": os.environ["PATH"]},
    ) as child:
        assert child.stdout is not None
        findings: dict[str, Any] = json.loads(await child.stdout.read())
        return findings


async def test_the_jail_of_this_machine_holds_and_is_fit_for_work(tmp_path: Path) -> None:
    report = await probe_jail(tmp_path)

    assert report.reasons == ()
    assert (report.tier, report.seccomp) == ("bubblewrap", True)
    assert list(tmp_path.iterdir()) == []  # noqa: ASYNC240


async def test_the_probe_finds_in_the_jail_what_it_must(tmp_path: Path) -> None:
    report = await probe_jail(tmp_path)
    assert report.jail is not None

    async with baited_folder(tmp_path) as targets:
        findings = await jailed_findings(report.jail, tmp_path, targets, None)

    assert findings["attempts"] == dict.fromkeys(MUST_WORK, "done") | {
        "reach_other_port": "ConnectionRefusedError: Connection refused",
        "reach_abstract_socket": "ConnectionRefusedError: Connection refused",
        "reach_path_socket": "FileNotFoundError: No such file or directory",
        "read_secret": "FileNotFoundError: No such file or directory",
        "read_through_link": "FileNotFoundError: No such file or directory",
        "read_passwords": "FileNotFoundError: No such file or directory",
        "write_outside": "FileNotFoundError: No such file or directory",
        "write_system": "OSError: Read-only file system",
        "write_root": "OSError: Read-only file system",
        "signal_host_process": "ProcessLookupError: No such process",
        "read_host_environment": "FileNotFoundError: No such file or directory",
        "make_user_namespace": "PermissionError: unshare failed",
        "mount": "PermissionError: Operation not permitted",
    }
    assert findings["first_environment"] == ""
    assert int(findings["capabilities"], 16) == 0
    assert (findings["no_new_privileges"], findings["seccomp"]) == ("1", "2")
    assert findings["interfaces"] == ["lo"]
    assert findings["user_id"] == os.getuid()
    assert set(findings["environment"]) <= {
        *("PATH", "HOME", "TMPDIR", "IS_SANDBOX", "PWD"),
        # Python's own.
        "LC_CTYPE",
    }


async def test_the_probe_can_do_all_of_it_where_there_is_no_jail(tmp_path: Path) -> None:
    async with baited_folder(tmp_path) as targets:
        findings = await unjailed_findings(tmp_path, targets)
    attempts = findings["attempts"]
    wrong = weaknesses(findings, host_namespaces=own_namespaces(), is_filtered=True)

    expected = {*MUST_WORK, *MUST_FAIL}
    if os.getuid() != 0:
        expected -= {"read_passwords", "write_system", "write_root", "mount"}
    assert {name for name, result in attempts.items() if result == "done"} >= expected
    for name in expected - {*MUST_WORK}:
        assert f"{name} succeeded" in wrong
    assert "the net namespace is shared" in wrong
    assert "system calls are not filtered" in wrong


async def test_without_the_filter_a_jail_is_seen_to_be_weaker(tmp_path: Path) -> None:
    jail = Jail(bwrap=find_bwraps()[0], host=this_host(), seccomp=None)

    async with baited_folder(tmp_path) as targets:
        findings = await jailed_findings(jail, tmp_path, targets, None)

    namespaces = own_namespaces()
    assert weaknesses(findings, host_namespaces=namespaces, is_filtered=False) == []
    assert weaknesses(findings, host_namespaces=namespaces, is_filtered=True) == [
        "make_user_namespace succeeded",
        "system calls are not filtered",
    ]


async def test_a_bubblewrap_that_does_nothing_is_no_jail(tmp_path: Path) -> None:
    sham = tmp_path / "bwrap"
    # It runs the command as it is.
    sham.write_text('#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n')
    sham.chmod(0o700)

    report = await probe_jail(tmp_path, bwraps=[sham])

    assert (report.tier, report.jail) == ("none", None)
    (reason,) = report.reasons
    assert reason.startswith(f"{sham}: ")


async def test_the_next_bubblewrap_is_tried_when_one_fails(tmp_path: Path) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'No permissions to create a new namespace' >&2; exit 1\n")
    broken.chmod(0o700)

    report = await probe_jail(tmp_path, bwraps=[broken, *find_bwraps()])

    assert report.tier == "bubblewrap"
    assert report.reasons == (
        f"{broken}: the probe does not run in the jail: No permissions to create a new namespace",
    )


async def test_a_machine_without_bubblewrap_has_no_jail(tmp_path: Path) -> None:
    report = await probe_jail(tmp_path, bwraps=[])

    assert (report.tier, report.reasons) == ("none", ("there is no bubblewrap program",))


async def test_a_claude_that_does_not_run_in_it_spoils_the_jail(tmp_path: Path) -> None:
    claude = tmp_path / "claude"
    claude.write_text("#!/no/such/interpreter\n")
    claude.chmod(0o700)

    report = await probe_jail(tmp_path, claude=claude)

    assert report.tier == "none"
    assert "run_programs failed" in report.reasons[0]


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
@pytest.mark.skipif(not SYSTEM_PYTHON.exists(), reason="others may not run this Python")
async def test_the_jail_holds_for_a_normal_user_too(tmp_path: Path) -> None:
    code = f"""
import asyncio, pathlib, sys, tempfile
sys.path.insert(0, {str(Path.cwd())!r})
from extensions.process.jail.probe import probe_jail
with tempfile.TemporaryDirectory() as folder:
    report = asyncio.run(probe_jail(pathlib.Path(folder), bwraps=[{str(find_bwraps()[0])!r}]))
    print(report.tier, *report.reasons)
"""
    # It becomes the other user in a program of its own, as the kernel distrusts who changed.
    change = "import os, sys; os.setgroups([]); os.setgid(65534); os.setuid(65534); "
    change += "os.execv(sys.argv[1], [*sys.argv[1:2], '-B', '-c', sys.argv[2]])"
    python = str(SYSTEM_PYTHON)

    async with running_child([python, "-c", change, python, code], cwd=tmp_path, env={}) as child:
        assert child.stdout is not None
        assert await child.stdout.read() == b"bubblewrap\n"
