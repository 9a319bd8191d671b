"""The kit is run by itself, where there is no Papercup."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import papercup_plugin
from papercup_plugin.conformance.processes import find_marked
from tests.fakes.waiting import until

SDK = Path(papercup_plugin.__file__).parents[1]
PLUGIN = Path(__file__).parents[2] / "fakes" / "plugins" / "broken_plugin.py"


def plugin(folder: Path, fault: str = "") -> Path:
    """Make one that has that fault, and that can be found."""
    own = folder / "plugin.py"
    own.write_text(PLUGIN.read_text())
    (folder / "extension.toml").write_text(
        f'name = "broken"\nversion = "1.0.0"\n[run]\ncommand = "{sys.executable}"\n'
        f'args = ["-ISE", "plugin.py", "{fault}"]\nenv = {{ MARK = "{folder}" }}\n'
        '[capabilities]\ntools = ["say"]\ncommands = true\nhooks = ["tool_call"]\n'
    )
    return folder


def kit(*words: object, **more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-B", "-m", "papercup_plugin.conformance", *map(str, words)]
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(SDK), **more},
    )


def done(*words: object, **more: str) -> tuple[int, str, str]:
    with kit(*words, **more) as process:
        out, err = process.communicate(timeout=30)
        return process.returncode, out, err


def test_what_it_prints_and_how_it_ends(tmp_path: Path) -> None:
    folder = plugin(tmp_path, "no-content")

    code, out, _ = done(folder, "--only", "tools", "--json")
    assert code == 9
    assert [each["outcome"] for each in json.loads(out)["checks"]] == ["fail"]
    code, out, _ = done(folder, "--only", "ping")
    assert (code, out.splitlines()[-1]) == (0, "1 ok, 0 warn, 0 fail, 0 skip")


def test_what_cannot_be_tested_is_refused(tmp_path: Path) -> None:
    code, out, err = done(tmp_path)
    assert (code, out) == (2, "")
    assert "there is no manifest of a plugin in it" in err
    assert done(tmp_path, "--timeout", "nan")[0] == 2
    assert done(tmp_path, "--only", "dance")[0] == 2


def test_where_it_cannot_be_printed_it_says_so(tmp_path: Path) -> None:
    folder = plugin(tmp_path)
    with kit(folder, "--only", "ping") as process:
        assert process.stdout is not None
        process.stdout.close()
        process.stdout = None
        _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (1, "the test came to nothing: Broken pipe\n")


def test_a_name_that_the_terminal_cannot_write_is_written_in_part(tmp_path: Path) -> None:
    folder = plugin(tmp_path)
    manifest = folder / "extension.toml"
    manifest.write_text(manifest.read_text().replace('"broken"', '"gr\u00fc\u00df"'))

    code, out, _ = done(folder, "--only", "ping", PYTHONIOENCODING="ascii")
    assert (code, out.splitlines()[0]) == (0, "gr?? 1.0.0 (sep)")


async def test_whoever_ends_it_ends_the_plugin_too(tmp_path: Path) -> None:
    mark = f"MARK={plugin(tmp_path, 'hangs')}"
    with kit(tmp_path, "--only", "tools", "--timeout", "30") as process:
        await until(lambda: bool(find_marked(mark)))
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 130

    assert find_marked(mark) == {}
