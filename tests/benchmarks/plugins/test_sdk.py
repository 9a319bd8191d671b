from collections.abc import Mapping
from pathlib import Path

import pytest

from benchmarks.plugins.house import HouseStuckError
from benchmarks.plugins.loads import Load
from benchmarks.plugins.sdk import MAKERS, PEER, PLAIN, SDK, Costs, code_lines
from benchmarks.plugins.talking import Maker, Memory, talking
from benchmarks.samples import Samples

LOADS = [
    Load(name="one", seconds=0.01),
    Load(name="some", in_flight=8, seconds=0.01),
    Load(name="large", text_bytes=200_000, seconds=0.01),
]


@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.name)
def test_a_plugin_of_each_kind_echoes_under_every_load(maker: Maker) -> None:
    rates = maker.rates(LOADS)

    assert set(rates) == {"one", "some", "large"}
    assert all(rate > 0 for rate in rates.values())


def test_the_start_and_the_memory_of_a_plugin_are_measured() -> None:
    with talking(SDK) as talk:
        memory = talk.memory()

    assert talk.ready_seconds > 0
    assert 0 < memory.own_mb <= memory.resident_mb


def test_what_is_refused_is_not_measured(tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text('input(); print(\'{"jsonrpc": "2.0", "id": 1, "error": {}}\')')
    maker = Maker(name="broken", file=broken, packages=None, greeting={}, call=("", ""))

    with pytest.raises(HouseStuckError, match="broken answered"), talking(maker):
        pass


def test_the_rows_hold_the_sdk_against_the_others() -> None:
    measured = {
        PLAIN.name: (0.01, 10.0, 1000.0),
        SDK.name: (0.03, 12.0, 400.0),
        PEER.name: (0.6, 60.0, 100.0),
    }
    rows = costs(measured).rows()

    assert [(row.name, round(row.value, 3), row.ok) for row in rows if row.target] == [
        ("a plugin is ready: times one by hand", 3.0, False),
        ("ready: the mcp package, times the SDK", 20.0, True),
        ("`import papercup_plugin`: times `import json`", 1.5, True),
        ("memory: times one by hand", 1.2, True),
        ("memory: the mcp package, times the SDK", 5.0, True),
        ("a call, 1 in flight: times as long as one by hand", 2.5, False),
        ("calls, 64 in flight: times the mcp package's", 4.0, True),
    ]


def test_lines_are_counted_without_comments_docstrings_and_blanks(tmp_path: Path) -> None:
    file = tmp_path / "plugin.py"
    file.write_text(
        '"""A\nplugin."""\n\n# Why.\nx = [\n    "a",  # one\n]\n\n\ndef f():\n    """F."""\n'
    )

    assert code_lines(file) == 4


def costs(measured: Mapping[str, tuple[float, float, float]]) -> Costs:
    """Return what stands for a start in seconds, a memory in MB, and calls in a second."""
    starts = {name: Samples([start, start * 2]) for name, (start, _, _) in measured.items()}
    imports = {"pass": 0.01, "import json": 0.02, "import papercup_plugin": 0.03}
    loads = ("1 in flight", "64 in flight", "1 MB, 1 in flight")
    return Costs(
        starts=starts,
        first_starts=starts,
        imports={statement: Samples([seconds]) for statement, seconds in imports.items()},
        memory={
            name: Memory(resident_mb=megabytes, own_mb=1.0)
            for name, (_, megabytes, _) in measured.items()
        },
        rates={name: dict.fromkeys(loads, rate) for name, (_, _, rate) in measured.items()},
        code_lines=dict.fromkeys(measured, 6),
    )
