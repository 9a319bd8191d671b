import json
from pathlib import Path

from extensions.process.cgroups import find_limit_keeping, parse_groups, remove_groups

MIXED = """\
9:name=systemd:/
8:pids:/
5:cpu,cpuacct:/some/where
4:memory:/another/manager
0::/
"""


def keeping(folder: Path, text: str) -> str | None:
    (folder / "own").write_text(text)
    found = find_limit_keeping(folder / "own", folder / "cgroup")
    assert (found.kind == "cgroup") == (found.reason is None)
    return found.reason


def test_the_group_of_each_controller_is_known() -> None:
    assert parse_groups(MIXED) == {
        "name=systemd": "/",
        "pids": "/",
        "cpu": "/some/where",
        "cpuacct": "/some/where",
        "memory": "/another/manager",
        "": "/",
    }


def test_without_control_groups_runs_are_watched(tmp_path: Path) -> None:
    found = find_limit_keeping(tmp_path / "none", tmp_path)

    assert (found.kind, found.cgroups) == ("watched", ())
    assert found.reason == "no control groups: No such file or directory"


def test_a_group_of_another_manager_is_not_divided(tmp_path: Path) -> None:
    for name in ("memory", "memory/another/manager", "pids", "unified"):
        (tmp_path / "cgroup" / name).mkdir(parents=True)

    assert keeping(tmp_path, MIXED) is not None
    assert list((tmp_path / "cgroup" / "memory" / "another" / "manager").iterdir()) == []


def test_a_service_without_delegation_is_not_divided(tmp_path: Path) -> None:
    (tmp_path / "cgroup" / "system.slice" / "papercup.service").mkdir(parents=True)
    (tmp_path / "cgroup" / "cgroup.controllers").write_text("memory pids")

    assert keeping(tmp_path, "0::/system.slice/papercup.service\n") is not None
    assert not (tmp_path / "cgroup" / "system.slice" / "cgroup.subtree_control").exists()


def test_a_group_that_lacks_a_limit_is_of_no_use_and_nothing_stays_behind(tmp_path: Path) -> None:
    # In a plain folder nothing appears by itself.
    (tmp_path / "cgroup").mkdir()
    (tmp_path / "cgroup" / "cgroup.controllers").write_text("cpu")

    assert keeping(tmp_path, "0::/\n") is not None
    assert [path for path in (tmp_path / "cgroup").iterdir() if path.is_dir()] == []


def test_the_groups_of_a_lost_run_are_removed(tmp_path: Path) -> None:
    group = tmp_path / "papercup-1"
    group.mkdir()
    record = {"cgroups": [str(group), str(tmp_path / "gone")]}
    (tmp_path / "runner.json").write_text(json.dumps(record))

    remove_groups(tmp_path)
    remove_groups(tmp_path / "no-such-folder")

    assert not group.exists()
