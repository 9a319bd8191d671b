"""Which programs a plugin may name."""

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from extensions.plugins.manifest import Dialect, Manifest, McpServerSpec, RunSpec, WrapperSpec
from extensions.plugins.program import BadProgram, bad_program, find_program


@pytest.fixture
def bin_folder(tmp_path: Path) -> Path:
    """A folder on PATH, with the program `tool`."""
    folder = tmp_path / "bin"
    return make_program(folder / "tool").parent


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    """The folder of a plugin, with the program `run` of its own."""
    return make_program(tmp_path / "plugin" / "run").parent


def make_program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_a_program_stands_on_path_or_in_the_plugins_folder(plugin: Path, bin_folder: Path) -> None:
    def find(command: str) -> Path | BadProgram:
        return find_program(command, plugin, str(bin_folder))

    assert find("tool") == bin_folder / "tool"
    assert find("./run") == plugin / "run"
    assert find(str(plugin / "run")) == plugin / "run"
    assert find(str(bin_folder / "tool")) == bin_folder / "tool"


@pytest.mark.parametrize("command", ["../../bin/sh", "../bin/tool", "/etc/passwd", "./out", "./up"])
def test_a_program_anywhere_else_is_refused(plugin: Path, bin_folder: Path, command: str) -> None:
    (plugin / "out").symlink_to("/bin/sh")
    (plugin / "up").symlink_to("../bin/tool")
    found = find_program(command, plugin, str(bin_folder))

    assert str(found) == f"its program {command!r} is neither in its folder nor on PATH"


def test_what_is_not_there_is_said_so(plugin: Path, bin_folder: Path) -> None:
    by_name = find_program("python3", plugin, str(bin_folder))
    by_path = find_program("./gone", plugin, str(bin_folder))

    assert str(by_name) == "its program 'python3' is not found on PATH"
    assert str(by_path) == "its program './gone' is not there"


def test_a_program_that_git_keeps_is_none_of_the_plugins(plugin: Path, bin_folder: Path) -> None:
    make_program(plugin / ".git" / "payload")

    assert isinstance(find_program(".git/payload", plugin, str(bin_folder)), BadProgram)


@pytest.mark.parametrize(
    "argument", [".git/main.py", "./x/../.git/main.py", "--file=.git/main.py", ".git", ".git/out"]
)
def test_an_argument_that_names_what_does_not_count_in_the_folder_is_refused(
    plugin: Path, bin_folder: Path, argument: str
) -> None:
    make_program(plugin / ".git" / "main.py")
    (plugin / ".git" / "out").symlink_to("/bin/sh")
    run = RunSpec(command="tool", args=("-u", argument))
    bad = bad_program(replace(manifest("tool"), run=run), plugin, str(bin_folder))

    assert str(bad) == (f"its argument {argument!r} names what no trust in its folder vouches for")


def test_all_other_arguments_are_left_alone(plugin: Path, bin_folder: Path) -> None:
    make_program(plugin / "main.py")
    args = ("main.py", str(plugin / "run"), ".git/gone.py", "/etc/passwd", "-c", "x" * 5000, "a\0b")
    run = RunSpec(command="tool", args=args)

    assert bad_program(replace(manifest("tool"), run=run), plugin, str(bin_folder)) is None


def test_the_arguments_of_wrappers_and_mcp_servers_are_held_to_the_same(
    plugin: Path, bin_folder: Path
) -> None:
    evil = make_program(plugin / ".git" / "main.py")
    bare = replace(manifest("tool"), run=None)
    wrapper = WrapperSpec(
        tool="x", description="", command=("tool", ".git/main.py"), placeholders=()
    )
    servers = {"near": McpServerSpec(command="tool", args=("${EXTENSION_ROOT}/.git/main.py",))}
    path = str(bin_folder)

    assert "'.git/main.py'" in str(bad_program(replace(bare, wrapper=wrapper), plugin, path))
    assert str(evil) in str(bad_program(replace(bare, mcp_servers=servers), plugin, path))


def manifest(command: str, sha256: str | None = None) -> Manifest:
    return Manifest(
        id="dice",
        dialect=Dialect.SEP,
        version="1.0.0",
        name="dice",
        run=RunSpec(command=command, sha256=sha256),
    )


def test_the_program_has_to_be_the_one_that_the_manifest_names(
    plugin: Path, bin_folder: Path
) -> None:
    right = hashlib.sha256((plugin / "run").read_bytes()).hexdigest()
    path = str(bin_folder)

    assert bad_program(manifest("./run", right.upper()), plugin, path) is None
    wrong = bad_program(manifest("./run", "0" * 64), plugin, path)
    assert str(wrong) == "its program './run' is not the one that its manifest names"


def test_the_programs_of_a_wrapper_and_of_mcp_servers_are_held_to_the_same(
    plugin: Path, bin_folder: Path
) -> None:
    bare = replace(manifest("tool"), run=None)
    wrapper = WrapperSpec(tool="x", description="", command=("../x", "{{a}}"), placeholders=("a",))
    servers = {
        "far": McpServerSpec(url="https://mcp.example", transport="auto"),
        "near": McpServerSpec(command="/sbin/../near"),
    }
    path = str(bin_folder)

    assert bad_program(bare, plugin, path) is None
    assert "'../x'" in str(bad_program(replace(bare, wrapper=wrapper), plugin, path))
    assert "'/sbin/../near'" in str(bad_program(replace(bare, mcp_servers=servers), plugin, path))
