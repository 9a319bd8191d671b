"""What others have written is shown, and not obeyed."""

import json
import os
import subprocess
import sys

import pytest

from bot.cli.output import harmless, print_json


def test_what_a_terminal_would_obey_is_taken_out() -> None:
    assert harmless("a\x1b[2J\tb\x9b\u202e\ud800\nc") == "a\ufffd[2J b\ufffd\ufffd\ufffd\nc"


def test_json_holds_the_same_and_nothing_that_a_terminal_would_obey(
    capsys: pytest.CaptureFixture[str],
) -> None:
    value = {"said": "a\x1b[2J\x9b\u202e\ud800\n\té \u2192"}
    print_json(value)
    printed = capsys.readouterr().out

    assert json.loads(printed) == value
    assert printed == ('{\n  "said": "a\\u001b[2J\\u009b\\u202e\\ud800\\n\\té \u2192"\n}\n')


def test_where_no_terminal_is_each_row_of_a_table_is_one_line() -> None:
    program = (
        "from bot.cli.output import print_table;"
        "print_table(None, ('Who', 'What'), [('a', 'word ' * 50), ('bb', 'x')])"
    )
    unset = {name: value for name, value in os.environ.items() if name != "COLUMNS"}

    def printed(environment: dict[str, str]) -> list[str]:
        command = [sys.executable, "-c", program]
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, check=True
        ).stdout.splitlines()

    assert printed(unset) == ["Who   What", f"a     {'word ' * 49}word", "bb    x"]
    assert max(map(len, printed({**unset, "COLUMNS": "40"}))) == 40
