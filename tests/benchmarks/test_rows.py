import json

import pytest

from benchmarks.rows import Row, Target, as_json, exit_code, print_rows

SOONER = Row(
    name="sooner", value=19.04567, unit="times", target=Target("≥", 8), against="one per turn"
)
SLOW = Row(name="slow", value=2000.0, unit="ms", target=Target("≤", 1000.5))
TOLD = Row(name="told", value=3.0, unit="ms")


def test_all_benchmarks_tell_their_rows_in_one_shape() -> None:
    assert json.loads(as_json([SOONER, SLOW, TOLD])) == {
        "rows": [
            {
                "name": "sooner",
                "value": 19.046,
                "unit": "times",
                "target": "≥ 8",
                "ok": True,
                "against": "one per turn",
            },
            {
                "name": "slow",
                "value": 2000.0,
                "unit": "ms",
                "target": "≤ 1000.5",
                "ok": False,
                "against": "",
            },
            {
                "name": "told",
                "value": 3.0,
                "unit": "ms",
                "target": None,
                "ok": True,
                "against": "",
            },
        ]
    }


@pytest.mark.parametrize(
    ("target", "value", "is_met"),
    [
        (Target("≥", 8), 8.0, True),
        (Target("≥", 8), 7.99, False),
        (Target("≤", 8), 8.0, True),
        (Target("≤", 8), 8.01, False),
    ],
)
def test_a_target_is_met_up_to_its_very_value(target: Target, value: float, is_met: bool) -> None:  # noqa: FBT001 - a parameter of the test
    assert target.is_met_by(value) == is_met


def test_the_exit_code_is_1_as_soon_as_one_target_is_missed() -> None:
    assert exit_code([SOONER, TOLD]) == 0
    assert exit_code([SOONER, SLOW, TOLD]) == 1


def test_the_table_shows_every_row_and_which_targets_are_missed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_rows("What it took", [SOONER, SLOW, TOLD], is_json=False)
    lines = capsys.readouterr().out.splitlines()

    assert "What it took" in lines[0]
    shown = {row.name: next(line for line in lines if row.name in line) for row in (SOONER, SLOW)}
    assert "19.0 times" in shown["sooner"]
    assert "✓" in shown["sooner"]
    assert "≤ 1000.5" in shown["slow"]
    assert "✗" in shown["slow"]
    assert any("3.00 ms" in line for line in lines)


def test_json_is_all_that_is_printed_when_it_is_asked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_rows("What it took", [TOLD], is_json=True)

    assert json.loads(capsys.readouterr().out)["rows"][0]["name"] == "told"
