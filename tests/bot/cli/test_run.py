import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TOKEN = "MTIz-hush-hush-hush"


@contextmanager
def _bot(manner: str, tmp_path: Path, stop_seconds: float = 30) -> Iterator[subprocess.Popen[str]]:
    """Run a bot of that manner, until it has said that it is up."""
    command = [sys.executable, "-m", "tests.fakes.bot_program", manner, str(tmp_path / "data")]
    process = subprocess.Popen(
        [*command, str(stop_seconds)],
        cwd=ROOT,
        env={**os.environ, "DISCORD_TOKEN": TOKEN},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def _end(process: subprocess.Popen[str]) -> tuple[int, str]:
    _, errors = process.communicate(timeout=20)
    return process.returncode, errors


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_good_order(tmp_path: Path, number: signal.Signals) -> None:
    with _bot("waits", tmp_path) as process:
        process.send_signal(number)
        code, errors = _end(process)

    assert code == 0
    assert f"{number.name}: ending, in at most 30 seconds" in errors
    assert "ended in good order" in errors
    assert "Traceback" not in errors


@pytest.mark.parametrize("manner", ["hangs", "dawdles"])
def test_a_second_signal_ends_it_at_once(tmp_path: Path, manner: str) -> None:
    with _bot(manner, tmp_path) as process:
        assert process.stdout is not None
        process.send_signal(signal.SIGTERM)
        assert process.stdout.readline() == "ending\n"
        process.send_signal(signal.SIGINT)
        code, _ = _end(process)

    assert code == -signal.SIGINT


@pytest.mark.parametrize("manner", ["hangs", "dawdles", "thread"])
def test_what_hangs_at_the_end_is_cut_off_and_it_is_said_where(tmp_path: Path, manner: str) -> None:
    with _bot(manner, tmp_path, stop_seconds=0.2) as process:
        process.terminate()
        code, errors = _end(process)

    assert code == 1
    assert "Timeout (0:00:00.200000)!" in errors


def test_a_failure_on_the_way_out_is_told(tmp_path: Path) -> None:
    with _bot("stumbles", tmp_path) as process:
        process.terminate()
        code, errors = _end(process)

    assert code == 1
    assert "stumbled over its own feet" in errors
    assert "Traceback" not in errors


def test_its_own_exit_code_is_passed_on(tmp_path: Path) -> None:
    with _bot("returns", tmp_path) as process:
        assert _end(process)[0] == 7


def test_the_garbage_collector_does_not_look_through_what_was_loaded(tmp_path: Path) -> None:
    with _bot("counts", tmp_path) as process:
        assert _end(process)[0] == 7


def test_a_foreseen_failure_is_one_sentence_without_a_traceback_or_a_secret(
    tmp_path: Path,
) -> None:
    with _bot("fails", tmp_path) as process:
        code, errors = _end(process)

    assert code == 1
    assert re.search(r"ERROR +bot\.cli\.run: a Papercup listens on .* it said \[redacted\]", errors)
    assert "Traceback" not in errors
    assert TOKEN not in errors


def test_a_surprise_is_logged_with_its_traceback_and_without_a_secret(tmp_path: Path) -> None:
    with _bot("crashes", tmp_path) as process:
        code, errors = _end(process)

    assert code == 1
    assert "a mistake in Papercup" in errors
    assert "RuntimeError: [redacted]" in errors
    assert TOKEN not in errors


def test_a_second_bot_on_the_folder_is_refused_with_the_first_ones_name(tmp_path: Path) -> None:
    with _bot("waits", tmp_path) as first:
        second = subprocess.run(
            [sys.executable, "-m", "bot", "run"],
            cwd=tmp_path,
            env={
                "PATH": os.environ["PATH"],
                "PYTHONPATH": str(ROOT),
                "PAPERCUP_DATA_DIR": str(tmp_path / "data"),
                "DISCORD_TOKEN": TOKEN,
                "ANTHROPIC_API_KEY": "a",
            },
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )

    assert second.returncode == 1
    assert f"another Papercup (process {first.pid}, running since " in second.stderr
    assert "Traceback" not in second.stderr
