"""What the SDK costs a plugin: its start, its memory and its calls, against one without it."""

import subprocess
import tempfile
import time
import tokenize
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import mcp

import papercup_plugin
from benchmarks.plugins.loads import Load, Rates, best_rates
from benchmarks.plugins.talking import Maker, Memory, talking
from benchmarks.rows import Row, Target
from benchmarks.samples import Samples
from extensions.process.interpreter import base_python

_HERE = Path(__file__).parent
_HOST = {"name": "benchmark", "version": "1.0.0"}
_SEP = {"protocol_version": 1, "host": _HOST, "ui": {"kind": "headless"}}
_MCP = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": _HOST}

SDK = Maker(
    name="the SDK",
    file=_HERE / "sdk_child.py",
    packages=Path(papercup_plugin.__file__).parents[1],
    greeting=_SEP,
    call=("tool/execute", "tool"),
)
PLAIN = Maker(
    name="by hand",
    file=_HERE / "plain_child.py",
    packages=None,
    greeting=_SEP,
    call=("tool/execute", "tool"),
)
PEER = Maker(
    name="the mcp package",
    file=_HERE / "mcp_child.py",
    packages=Path(mcp.__file__).parents[1],
    greeting=_MCP,
    call=("tools/call", "name"),
)
MAKERS = (SDK, PLAIN, PEER)

_PYTHON, _JSON, _IMPORT = "pass", "import json", "import papercup_plugin"
_IMPORTS = (_PYTHON, _JSON, _IMPORT)
_ONE, _SOME, _LARGE = "1 in flight", "64 in flight", "1 MB, 1 in flight"
_NO_CODE = {
    tokenize.COMMENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
    tokenize.INDENT,
    tokenize.NEWLINE,
    tokenize.NL,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What was measured, by the names of the makers."""

    starts: Mapping[str, Samples]
    first_starts: Mapping[str, Samples]
    """Where nothing of what they import is compiled yet."""
    imports: Mapping[str, Samples]
    """By what is run, from the start of Python to its end."""
    memory: Mapping[str, Memory]
    rates: Mapping[str, Rates]
    code_lines: Mapping[str, int]

    def rows(self) -> list[Row]:
        """Return what is told of it."""
        return [
            *self._start_rows(),
            *self._import_rows(),
            *self._memory_rows(),
            *self._call_rows(),
            *self._line_rows(),
        ]

    def _start_rows(self) -> list[Row]:
        best = {name: min(times.seconds) for name, times in self.starts.items()}
        how = "Popen until `initialize` is answered; the best of each"
        rows = [
            _ratio(
                "a plugin is ready: times one by hand", best, (SDK, PLAIN), Target("≤", 2.0), how
            ),
            _ratio(
                "ready: the mcp package, times the SDK", best, (PEER, SDK), Target("≥", 5.0), how
            ),
        ]
        for maker in MAKERS:
            rows += self.starts[maker.name].rows(f"ready: {maker.name}")
        for name, times in self.first_starts.items():
            rows.append(times.rows(f"ready, nothing compiled yet: {name}")[0])
        return rows

    def _import_rows(self) -> list[Row]:
        best = {statement: min(times.seconds) for statement, times in self.imports.items()}
        return [
            Row(
                name=f"`{_IMPORT}`: times `{_JSON}`",
                value=best[_IMPORT] / best[_JSON],
                unit="times",
                target=Target("≤", 2.0),
                against="without which no plugin is written; Python's own start and end included",
            ),
            *(
                Row(
                    name=f"`python3 -c '{statement}'`",
                    value=best[statement] * 1000,
                    unit="ms",
                    against=f"the best; n = {self.imports[statement].count}",
                )
                for statement in _IMPORTS
            ),
        ]

    def _memory_rows(self) -> list[Row]:
        resident = {name: each.resident_mb for name, each in self.memory.items()}
        how = "what is resident once it is ready"
        return [
            _ratio("memory: times one by hand", resident, (SDK, PLAIN), Target("≤", 1.3), how),
            _ratio(
                "memory: the mcp package, times the SDK",
                resident,
                (PEER, SDK),
                Target("≥", 3.0),
                how,
            ),
            *(
                Row(
                    name=f"memory: {name}",
                    value=each.resident_mb,
                    unit="MB",
                    against=f"of which {each.own_mb:.1f} MB are shared with no other process",
                )
                for name, each in self.memory.items()
            ),
        ]

    def _call_rows(self) -> list[Row]:
        seconds = {name: 1 / rates[_ONE] for name, rates in self.rates.items()}
        many = {name: rates[_SOME] for name, rates in self.rates.items()}
        rows = [
            _ratio(
                "a call, 1 in flight: times as long as one by hand",
                seconds,
                (SDK, PLAIN),
                Target("≤", 2.0),
                "which runs no call in a thread, and so answers nothing while it is at one;"
                f" {(seconds[SDK.name] - seconds[PLAIN.name]) * 1e6:.0f} µs lie between them",
            ),
            _ratio(
                "calls, 64 in flight: times the mcp package's",
                many,
                (SDK, PEER),
                Target("≥", 3.0),
                "the same function; whoever calls reads and writes lines, and nothing else",
            ),
        ]
        for load in (_ONE, _SOME, _LARGE):
            rows += [
                Row(name=f"{load}: {name}", value=rates[load], unit="calls/s")
                for name, rates in self.rates.items()
            ]
        return rows

    def _line_rows(self) -> list[Row]:
        return [
            Row(name=f"lines: {name}", value=count, unit="lines", against="without docs and blanks")
            for name, count in self.code_lines.items()
        ]


def measure(*, rounds: int, seconds: float) -> Costs:
    """Measure it, in turns."""
    starts, memory = _starts(2 * rounds)
    return Costs(
        starts=starts,
        first_starts=_first_starts(rounds),
        imports=_samples(_IMPORTS, 2 * rounds, _import_seconds),
        memory=memory,
        rates=best_rates(MAKERS, _loads(seconds), rounds),
        code_lines={maker.name: code_lines(maker.file) for maker in MAKERS},
    )


def code_lines(file: Path) -> int:
    """Return in how many lines of a file something stands but comments and docstrings."""
    lines: set[int] = set()
    begins = True
    with tokenize.open(file) as source:
        for token in tokenize.generate_tokens(source.readline):
            if token.type in _NO_CODE:
                begins = begins or token.type == tokenize.NEWLINE
                continue
            if not (begins and token.type == tokenize.STRING):
                lines.update(range(token.start[0], token.end[0] + 1))
            begins = False
    return len(lines)


def _loads(seconds: float) -> Sequence[Load]:
    return (
        Load(name=_ONE, seconds=seconds),
        Load(name=_SOME, in_flight=64, seconds=seconds),
        Load(name=_LARGE, text_bytes=1_000_000, seconds=seconds),
    )


def _starts(rounds: int) -> tuple[Mapping[str, Samples], Mapping[str, Memory]]:
    seconds: dict[str, list[float]] = {maker.name: [] for maker in MAKERS}
    memory: dict[str, Memory] = {}
    for _ in range(rounds):
        for maker in MAKERS:
            with talking(maker) as talk:
                seconds[maker.name].append(talk.ready_seconds)
                memory[maker.name] = talk.memory()
    return {name: Samples(each) for name, each in seconds.items()}, memory


def _first_starts(rounds: int) -> Mapping[str, Samples]:
    makers = {maker.name: maker for maker in (SDK, PLAIN)}
    return _samples(tuple(makers), rounds, lambda name: _first_start(makers[name]))


def _first_start(maker: Maker) -> float:
    with (
        tempfile.TemporaryDirectory(prefix="papercup-benchmark-") as cache,
        talking(maker, PYTHONPYCACHEPREFIX=cache) as talk,
    ):
        return talk.ready_seconds


def _import_seconds(statement: str) -> float:
    command = [str(base_python()), "-S", "-P", "-c", statement]
    began = time.perf_counter()
    subprocess.run(command, env=SDK.environment(), check=True)
    return time.perf_counter() - began


def _samples(
    names: Sequence[str], rounds: int, seconds_of: Callable[[str], float]
) -> Mapping[str, Samples]:
    seconds: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(rounds):
        for name in names:
            seconds[name].append(seconds_of(name))
    return {name: Samples(each) for name, each in seconds.items()}


def _ratio(
    name: str, values: Mapping[str, float], of: tuple[Maker, Maker], target: Target, against: str
) -> Row:
    above, below = of
    value = values[above.name] / values[below.name]
    return Row(name=name, value=value, unit="times", target=target, against=against)
