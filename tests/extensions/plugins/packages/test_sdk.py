"""A plugin in Python that imports the SDK and lacks it gets a copy where Python finds it."""

import subprocess
import sys
from pathlib import Path

import pytest

from extensions.plugins.manifest import Dialect, Manifest, RunSpec
from extensions.plugins.packages.environments import REQUIREMENTS_NAME
from extensions.plugins.packages.sdk import Sdk, imports_sdk, place_without_sdk, sdk_warning
from papercup_plugin.templates.copies import copy_into

IMPORT = "from papercup_plugin import Plugin\n"
SDK = Sdk(version="0.1.0", put_into=copy_into)


def plugin(folder: Path, files: dict[str, str], command: str = "python3 main.py") -> Manifest:
    """Write the files of a plugin, and return what it says of itself."""
    for name, text in {"extension.toml": "", **files}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    program, *arguments = command.split()
    return Manifest(
        id="dice",
        dialect=Dialect.SEP,
        version="1.0.0",
        name="dice",
        run=RunSpec(command=program, args=tuple(arguments)),
    )


@pytest.mark.parametrize(
    ("source", "is_imported"),
    [
        ("import papercup_plugin", True),
        ("import json, papercup_plugin.testing as t", True),
        ("from papercup_plugin.testing import create_test_host", True),
        ("def late():\n    from papercup_plugin import Plugin", True),
        ("# import papercup_plugin\n'from papercup_plugin import x'", False),
        ("import papercup_plugin_extras", False),
        ("from .papercup_plugin import Plugin", False),
        ("type X[T] = list[T]; papercup_plugin = 1", False),
        ("import papercup_plugin\nno python: !", True),
        ("import papercup_plugin\n\0", True),
        ("papercup_plugin = " + "(" * 5000, False),
        ("x = '\\d'; import papercup_plugin", True),
    ],
)
def test_it_is_read_from_a_file_whether_it_imports_the_sdk(source: str, is_imported: bool) -> None:  # noqa: FBT001 - a table
    assert imports_sdk(source.encode()) is is_imported


@pytest.mark.parametrize(
    ("command", "files", "place"),
    [
        ("python3 main.py", {"main.py": IMPORT}, "."),
        ("python3.12 -u -W ignore main.py", {"main.py": IMPORT}, "."),
        ("python3 main.py", {"main.py": "import tools", "tools.py": IMPORT}, "."),
        ("python3 main.py", {"main.py": "", "parts/__init__.py": "", "parts/x.py": IMPORT}, "."),
        ("python3 -m dice", {"dice/__init__.py": "", "dice/__main__.py": IMPORT}, "."),
        ("python3 src/main.py", {"src/main.py": IMPORT}, "src"),
        ("python3 -Xutf8 src/main.py", {"src/main.py": IMPORT}, "src"),
        ("./main.py", {"main.py": IMPORT}, "."),
        ("sh run.sh", {"main.py": IMPORT}, "."),
        ("python3 main.py", {"main.py": "print()"}, None),
        ("python3 main.py", {"main.py": "", "node_modules/x.py": IMPORT}, None),
        ("python3 main.py", {"main.py": IMPORT, "papercup_plugin/__init__.py": ""}, None),
        ("python3 main.py", {"main.py": IMPORT, "papercup_plugin.py": ""}, None),
        ("python3 src/main.py", {"src/main.py": "", "main.py": IMPORT}, None),
        (
            "python3 main.py",
            {"main.py": IMPORT, REQUIREMENTS_NAME: "papercup-plugin==0.1 \\\n    --hash=x\n"},
            None,
        ),
        ("python3 main.py", {"main.py": IMPORT, REQUIREMENTS_NAME: "papercup-plugins==1\n"}, "."),
        ("node main.mjs", {"main.mjs": "papercup_plugin"}, None),
    ],
)
def test_it_is_known_where_the_sdk_is_lacking(
    tmp_path: Path, command: str, files: dict[str, str], place: str | None
) -> None:
    manifest = plugin(tmp_path, files, command)

    found = place_without_sdk(tmp_path, manifest)

    assert found == (None if place is None else tmp_path / place)


def test_what_runs_no_program_of_its_own_lacks_nothing(tmp_path: Path) -> None:
    plugin(tmp_path, {"main.py": IMPORT})
    manifest = Manifest(id="dice", dialect=Dialect.SEP, version="1", name="dice")

    assert place_without_sdk(tmp_path, manifest) is None


@pytest.mark.parametrize("script", ["main.py", "src/main.py"])
def test_what_got_a_copy_runs_without_an_environment(tmp_path: Path, script: str) -> None:
    manifest = plugin(tmp_path, {script: IMPORT + "print(Plugin.__name__)"}, f"python3 {script}")

    assert [SDK.put_beside(tmp_path, manifest) for _ in range(2)] == [True, False]

    command = [sys.executable, "-S", script]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.stderr) == ("Plugin\n", "")


def test_what_is_lacking_is_said_with_the_mend(tmp_path: Path) -> None:
    folder = tmp_path / "my plugin"
    top = plugin(folder, {"main.py": IMPORT, "src/main.py": IMPORT})
    inner = plugin(folder, {}, "python3 src/main.py")

    assert sdk_warning(folder, top) == (
        "it imports papercup_plugin, which is not in its folder:"
        f" `papercup plugin vendor '{folder}'` puts it there"
    )
    assert sdk_warning(folder, inner) == (
        "it imports papercup_plugin, which is not in its folder src"
    )
    SDK.put_beside(folder, top)
    assert sdk_warning(folder, top) is None


def test_what_requires_it_gets_a_copy_though_it_may_not_import_it(tmp_path: Path) -> None:
    manifest = plugin(tmp_path, {"src/main.py": "", "papercup_plugin/x": ""}, "python3 src/main.py")

    assert not SDK.put_beside(tmp_path, manifest)
    assert SDK.put_beside(tmp_path, manifest, is_required=True)

    assert (tmp_path / "src/papercup_plugin/plugin.py").is_file()
    assert [each.name for each in (tmp_path / "papercup_plugin").iterdir()] == ["x"]


def test_what_has_only_mcp_servers_gets_the_copy_that_it_requires(tmp_path: Path) -> None:
    (tmp_path / "mcp.toml").touch()
    manifest = Manifest(id="dice", dialect=Dialect.SEP, version="1", name="dice")

    assert SDK.put_beside(tmp_path, manifest, is_required=True)
    assert (tmp_path / "papercup_plugin/plugin.py").is_file()
