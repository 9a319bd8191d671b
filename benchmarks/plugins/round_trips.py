"""How many calls of a plugin's tool are answered in a second."""

from collections.abc import Mapping, Sequence

from benchmarks.plugins.blocking import LspJsonRpc, RawEcho
from benchmarks.plugins.contenders import AsyncContender, mcp_client, our_host, smooth_operator
from benchmarks.plugins.loads import Contender, Load, Rates, best_rates
from benchmarks.rows import Row, Target

_OURS, _OURS_STANDARD = "ours, uvloop", "ours, standard loop"
_MCP, _SMOOTH, _LSP = "the mcp package's client", "smooth-operator-core", "python-lsp-jsonrpc"
_RAW = "raw pipe echo"
_PEERS = (_MCP, _SMOOTH, _LSP)
_ONE, _SOME, _MANY, _LARGE = "1 in flight", "64 in flight", "1000 in flight", "1 MB, 1 in flight"
_SMOOTH_LONGEST_BYTES = 60_000
"""A longer line ends its connection."""


def loads(seconds: float) -> Sequence[Load]:
    """Return what all are loaded with."""
    return (
        Load(name=_ONE, seconds=seconds),
        Load(name=_SOME, in_flight=64, seconds=seconds),
        Load(name=_MANY, in_flight=1000, seconds=seconds),
        Load(name=_LARGE, text_bytes=1_000_000, seconds=seconds),
    )


def contenders() -> Sequence[Contender]:
    """Return all that are held against each other."""
    return (
        RawEcho(name=_RAW, read_bytes=64 * 1024),
        AsyncContender(name=_OURS, opening=our_host),
        AsyncContender(name=_OURS_STANDARD, opening=our_host, has_uvloop=False),
        AsyncContender(name=_MCP, opening=mcp_client),
        AsyncContender(name=_SMOOTH, opening=smooth_operator, longest_bytes=_SMOOTH_LONGEST_BYTES),
        LspJsonRpc(name=_LSP),
    )


def measure(*, rounds: int, seconds: float) -> list[Row]:
    """Measure it, in turns."""
    return rows_of(best_rates(contenders(), loads(seconds), rounds))


def rows_of(rates: Mapping[str, Rates]) -> list[Row]:
    """Return what is told of the rates, by contender and load."""
    ours = rates[_OURS]
    raw = rates[_RAW][_ONE]
    how = "Plugin.call_tool: schema check, breaker and time-out on; best of the rounds"
    rows = [
        Row(
            name="round trips, 1 in flight, standard loop: share of the raw pipe echo's",
            value=rates[_OURS_STANDARD][_ONE] / raw,
            unit="times",
            target=Target("≥", 0.45),
            against="blocking write and read of a line as long, by a child that parses nothing",
        ),
        Row(
            name="round trips, 1 in flight, uvloop: share of the raw pipe echo's",
            value=ours[_ONE] / raw,
            unit="times",
            target=Target("≥", 0.8),
            against="the same",
        ),
        Row(
            name="round trips, 64 in flight: times python-lsp-jsonrpc's",
            value=ours[_SOME] / rates[_LSP][_SOME],
            unit="times",
            target=Target("≥", 2.0),
            against="which neither checks a schema nor gives up; the same child",
        ),
    ]
    for load in (_ONE, _SOME, _MANY, _LARGE):
        rows += [_rate_row(name, load, rates[name], how) for name in (_OURS, _OURS_STANDARD)]
        rows += [_rate_row(name, load, rates[name], "the same child") for name in _PEERS]
        if load in rates[_RAW]:
            rows.append(_rate_row(_RAW, load, rates[_RAW], "a blocking loop"))
    return rows


def _rate_row(name: str, load: str, rates: Rates, against: str) -> Row:
    if load not in rates:
        against = "it cannot: a line of more than 64 KiB ends its connection"
    return Row(name=f"{load}: {name}", value=rates.get(load, 0.0), unit="calls/s", against=against)
