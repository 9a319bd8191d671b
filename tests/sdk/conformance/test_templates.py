"""A plugin is begun from a template, and keeps to the protocol as it is."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import papercup_plugin
from papercup_plugin.conformance import CHECKS, Level, conform, read_subject
from papercup_plugin.conformance.methods import Dialect
from papercup_plugin.templates import TEMPLATES, ScaffoldError, Wish, has_newest, scaffold, vendor
from tests.fakes.example_plugins import search_path

SEP, STDIO = Dialect.SEP, Dialect.STDIO
ROOT = Path(__file__).parents[3]
FOLDER = Path(papercup_plugin.__file__).parent / "templates"
WISHES = [(template, SEP) for template in TEMPLATES] + [("tool", STDIO), ("permission-gate", STDIO)]
RUN_TESTS = (
    "import test_plugin\n"
    "for name, test in vars(test_plugin).items():\n"
    "    if name.startswith('test_'): test(); print(name)\n"
)


def begun(folder: Path, template: str = "tool", dialect: Dialect = SEP) -> Path:
    return scaffold(Wish(name="mine", template=template, dialect=dialect), folder)


def contents(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def command_in(path: Path) -> tuple[str, ...]:
    """Return the command with which a page says that the tests are run."""
    (command,) = re.findall(r"`(python3 [^`\n]*pytest[^`\n]*)`", path.read_text())
    return tuple(command.split())


@pytest.mark.parametrize(("template", "dialect"), WISHES)
async def test_each_passes_the_kit_as_it_is_and_is_not_changed_by_it(
    tmp_path: Path, template: str, dialect: Dialect
) -> None:
    folder = begun(tmp_path, template, dialect)
    before = contents(folder)

    # Without any environment but that which it brings along.
    subject = replace(read_subject(folder), env={"PATH": search_path()})
    # What reads large messages is the SDK, in all of them.
    only = {check.name for check in CHECKS if check.name != "large-frames" or template == "tool"}
    report = await conform(subject, only=only, timeout_seconds=20)

    levels = {finding.level for result in report.results for finding in result.findings}
    assert levels <= {Level.SKIP}, report
    assert contents(folder) == before


@pytest.mark.parametrize("template", TEMPLATES)
def test_the_tests_that_come_along_pass(tmp_path: Path, template: str) -> None:
    folder = begun(tmp_path, template)
    command = [sys.executable, "-B", "-c", RUN_TESTS]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("test_")


def test_the_command_that_the_readme_names_runs_them_and_leaves_nothing_there(
    tmp_path: Path,
) -> None:
    folder = begun(tmp_path)
    before = contents(folder)
    (python, *words) = command_in(folder / "README.md")

    done = subprocess.run(
        [sys.executable, *words, "-q"],
        cwd=folder,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (python, done.returncode) == ("python3", 0), done.stdout
    assert contents(folder) == before


def test_all_pages_name_the_same_command() -> None:
    pages = [*FOLDER.glob("*/README.md"), ROOT / "docs" / "plugins" / "first_plugin.md"]
    assert len(pages) == len(TEMPLATES) + 1
    assert len({command_in(path) for path in pages}) == 1


def test_the_folder_holds_the_plugin_and_the_sdk_and_its_name_everywhere(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    files = contents(folder)

    own = sorted(name for name in files if "/" not in name)
    assert own == ["README.md", "extension.toml", "plugin.py", "test_plugin.py"]
    assert not any(b"plugin_name" in files[name] for name in own)
    vendored = {name for name in files if name.startswith("papercup_plugin/")}
    assert "papercup_plugin/conformance/__main__.py" in vendored
    assert not any("templates" in name or name.endswith(".pyc") for name in vendored)
    assert b'Plugin("mine"' in files["plugin.py"]


def test_it_may_be_begun_without_the_sdk(tmp_path: Path) -> None:
    folder = scaffold(Wish(name="mine", template="tool", has_sdk=False), tmp_path / "new")
    assert not (folder / "papercup_plugin").exists()


@pytest.mark.parametrize(
    "name", ["", "Mine", "1st", "a b", "../a", "a/b", "a" * 65, "papercup", "core"]
)
def test_a_name_that_none_can_have_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ScaffoldError, match="can be no plugin's name"):
        scaffold(Wish(name=name, template="tool"), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    with pytest.raises(ScaffoldError, match="is there already"):
        begun(tmp_path)
    (tmp_path / "mine").rmdir()
    (tmp_path / "mine").symlink_to(tmp_path / "nowhere")
    with pytest.raises(ScaffoldError, match="is there already"):
        begun(tmp_path)

    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_what_a_dialect_does_not_have_is_not_begun_in_it(tmp_path: Path) -> None:
    for template in ("command", "widget", "provider-less"):
        with pytest.raises(ScaffoldError, match="is there for `sep` alone"):
            begun(tmp_path, template, STDIO)
    with pytest.raises(ScaffoldError, match="there is no template `dance`"):
        begun(tmp_path, "dance")


def older_copy(folder: Path) -> Path:
    """Put something in the place of the SDK that counts as an older one."""
    shutil.rmtree(folder / "papercup_plugin")
    (folder / "papercup_plugin").mkdir()
    (folder / "papercup_plugin" / "old.py").write_text("old")
    one = hashlib.sha256(b"old").hexdigest()
    whole = hashlib.sha256(f"old.py\0{one}\n".encode()).hexdigest()
    (folder / "papercup_plugin" / "copy.sha256").write_text(f"{whole}\n")
    return folder / "papercup_plugin"


def test_the_sdk_is_put_beside_a_plugin_in_place_of_an_older_one(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    before = contents(folder)
    older = older_copy(folder)
    assert not has_newest(folder)

    assert vendor(folder) == older
    assert contents(folder) == before
    assert has_newest(folder)
    assert sorted(path.name for path in folder.iterdir() if path.name.startswith(".")) == []


def test_what_python_compiled_in_a_copy_does_not_count_as_a_change(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    (folder / "papercup_plugin" / "__pycache__").mkdir()
    (folder / "papercup_plugin" / "__pycache__" / "errors.pyc").touch()

    assert has_newest(folder)
    vendor(folder)


@pytest.mark.parametrize("change", ["another", "more", "less", "file", "folder", "link"])
def test_what_somebody_has_changed_is_not_overwritten(tmp_path: Path, change: str) -> None:
    folder = begun(tmp_path)
    target = folder / "papercup_plugin"
    match change:
        case "another":
            (target / "errors.py").write_text("mine")
        case "more":
            (target / "own.py").touch()
        case "less":
            (target / "errors.py").unlink()
        case _:
            shutil.rmtree(target)
    match change:
        case "file":
            target.write_text("mine")
        case "folder":
            target.mkdir()
        case "link":
            target.symlink_to(Path(papercup_plugin.__file__).parent)
        case _:
            pass
    before = contents(folder)

    with pytest.raises(ScaffoldError, match="move it away first"):
        vendor(folder)
    assert contents(folder) == before


def test_the_sdk_is_put_beside_plugins_alone(tmp_path: Path) -> None:
    with pytest.raises(ScaffoldError, match="no plugin's folder"):
        vendor(tmp_path)
