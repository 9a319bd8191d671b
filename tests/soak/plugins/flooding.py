"""Plugins that write too much, or nonsense, or read nothing."""

import asyncio
import json
import os
import subprocess
import time
from collections import Counter

from extensions.plugins.host import HostSettings, PluginHost
from extensions.plugins.plugin import Plugin
from extensions.process.interpreter import base_python
from tests.fakes.faulty_plugins import counts_of, encoded, faulty, outcome, use
from tests.fakes.plugin_host import FOLDER
from tests.soak.plugins.meters import MEBIBYTE, Meter, measured
from tests.soak.plugins.scene import NEIGHBOUR, Scene, timed

_FLOOD_SECONDS = 10.0
_FRAME_BYTES = 16 * MEBIBYTE
_NEIGHBOUR_MS = 10.0
_FLOOD_MIB = 32.0
_QUIET_SECONDS = 2.0


def _must_leave_others_alone(scene: Scene, meter: Meter, *, mib: float = _FLOOD_MIB) -> None:
    scene.must("no call of others fails", be=not meter.failed, seen=Counter(meter.failed))
    limit = _NEIGHBOUR_MS
    scene.must_stay_below("others are answered within 10 ms (p99)", limit, meter.p99_ms, "ms")
    check = f"memory grows by less than {mib:.0f} MiB"
    scene.must(check, be=meter.grown_mib < mib, seen=f"{meter.grown_mib:.1f} MiB")


async def _quiet(host: PluginHost) -> Meter:
    async with measured(host.find_program(NEIGHBOUR)) as meter:
        await asyncio.sleep(_QUIET_SECONDS)
    return meter


async def garbage(scene: Scene) -> None:
    """F6."""
    offered = await asyncio.to_thread(_offered_rate, "garbage", 1)
    async with scene.host(faulty("mad")) as host:
        quiet = await _quiet(host)
        async with measured(host.find_program(NEIGHBOUR)) as meter:
            told = json.loads(
                await use(host.find_program("mad"), "garbage", seconds=_FLOOD_SECONDS)
            )
        lines = scene.records.lines(holding="are no messages")
        garbage_lines = counts_of(host, "mad")["garbage"]
    _must_leave_others_alone(scene, meter)
    # One when it begins, and one more when the ten seconds are over.
    scene.must("the log gets a line in ten seconds", be=1 <= len(lines) <= 2, seen=len(lines))
    is_offered = offered >= 200e6
    scene.must("at least 200 MB a second are offered", be=is_offered, seen=f"{offered / 1e6:.0f}")
    scene.tell(
        f"{offered / 1e6:.0f} MB a second to who takes it all, {_rate(told):.0f} MB a second taken,"
        f" {garbage_lines} lines counted; quiet: {quiet.p99_ms:.1f} ms; {meter}"
    )


async def complaints(scene: Scene) -> None:
    """F7."""
    offered = await asyncio.to_thread(_offered_rate, "complain", 2)
    async with scene.host(faulty("mad")) as host:
        quiet = await _quiet(host)
        async with measured(host.find_program(NEIGHBOUR)) as meter:
            plugin = host.find_program("mad")
            told = json.loads(await use(plugin, "complain", seconds=_FLOOD_SECONDS))
        kept = sum(len(line) for line in scene.records.lines(holding="plugin mad says: "))
        lines = scene.records.lines(holding="bytes of its standard error")
        dropped = counts_of(host, "mad")["stderr_dropped_bytes"]
    _must_leave_others_alone(scene, meter)
    scene.must("no more than 1 MB of a minute is kept", be=0 < kept < 1_200_000, seen=kept)
    scene.must("the rest is counted", be=dropped > told["bytes"] - 1_100_000, seen=dropped)
    scene.must("the log gets a line in ten seconds", be=1 <= len(lines) <= 2, seen=len(lines))
    scene.tell(
        f"{offered / 1e6:.0f} MB a second to who takes it all, {_rate(told):.0f} MB a second taken,"
        f" {kept / 1000:.0f} kB kept, {dropped / 1e6:.0f} MB dropped; quiet: {quiet.p99_ms:.1f} ms;"
        f" {meter}"
    )


def _rate(told: dict[str, float]) -> float:
    return told["bytes"] / told["seconds"] / 1e6


def _offered_rate(tool: str, fd: int) -> float:
    """Return how many bytes a second the plugin writes to who takes all of them."""
    params = {"tool": tool, "arguments": {"seconds": 1.0}}
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tool/execute", "params": params})
    command = [str(base_python()), "-ISE", str(FOLDER / "faulty_plugin.py")]
    pipes = {"stdin": subprocess.PIPE, ("stdout" if fd == 1 else "stderr"): subprocess.PIPE}
    usual = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, **{**usual, **pipes}) as process:  # type: ignore[call-overload]
        pipe = process.stdout if fd == 1 else process.stderr
        process.stdin.write(line.encode() + b"\n")
        process.stdin.close()
        os.read(pipe.fileno(), MEBIBYTE)
        began, count = time.monotonic(), 0
        while data := os.read(pipe.fileno(), MEBIBYTE):
            count += len(data)
        return count / (time.monotonic() - began)


async def long_lines(scene: Scene) -> None:
    """F8."""
    settings = HostSettings(sep_tool_seconds=5.0)
    async with scene.host(faulty("mad"), settings=settings) as host:
        plugin = host.find_program("mad")
        async with measured(host.find_program(NEIGHBOUR)) as meter:
            said, took = await timed(plugin, "long_line", bytes=200_000_000, known=False)
        scene.must(
            "after 200 MB without an end, the next line is fine", be=said == "done", seen=said
        )
        scene.must_stay_below("they are discarded within 1 s", 1.0, took, "s")
        _must_leave_others_alone(scene, meter, mib=48)
        said = await outcome(plugin, "long_line", bytes=_FRAME_BYTES + 1, known=True)
        reason = f"tool `long_line` failed: the answer is larger than {_FRAME_BYTES} bytes"
        scene.must(
            "an answer of 16 MiB + 1 is told to its caller", be=said == reason, seen=said[:99]
        )
        too_long = {"bytes": _FRAME_BYTES + 1, "known": False, "answers": False}
        unknown = await outcome(plugin, "long_line", **too_long)
        is_late = "was not answered within 5 seconds" in unknown
        scene.must(
            "if nobody knows whose it was, its caller waits in vain", be=is_late, seen=unknown
        )
        said = await outcome(plugin, "long_line", bytes=_FRAME_BYTES - 1, known=True)
        begin = '{"jsonrpc":"2.0","id":1,"result":{"content":""}}'
        is_whole = 0 <= _FRAME_BYTES - 1 - len(begin) - len(said) < 3
        scene.must("an answer of 16 MiB - 1 is taken", be=is_whole, seen=len(said))
        scene.must(
            "three were too long",
            be=counts_of(host, "mad")["oversized"] == 3,
            seen=counts_of(host, "mad"),
        )
    scene.tell(f"200 MB discarded in {took:.2f} s ({0.2 / took:.1f} GB/s); {meter}")


_FINE = b'{"jsonrpc":"2.0","id":<id>,"result":{"content":"fine"}}'
ODD_LINES = {
    "invalid UTF-8": b"\xff\xfe\x80",
    "invalid UTF-8 in an id": b'{"jsonrpc":"2.0","id":"\xff","result":{}}',
    "NUL": b"\x00\x00",
    "a byte order mark": b"\xef\xbb\xbf",
    "empty lines": b"\n\r\n \n",
    "UTF-16": '{"jsonrpc":"2.0","id":1,"result":{}}'.encode("utf-16"),
    "half a surrogate pair": rb'{"jsonrpc":"2.0","method":"log","params":{"message":"\ud800"}}',
    "NaN": b'{"jsonrpc":"2.0","id":<id>,"result":NaN}'.replace(b"<id>", b"9999"),
    "Infinity": b'{"jsonrpc":"2.0","method":"log","params":{"message":Infinity}}',
    "duplicate keys": b'{"id":1,"id":9999,"jsonrpc":"2.0","jsonrpc":"2.0","result":1,"result":2}',
    "depth 100,000": b'{"jsonrpc":"2.0","id":9999,"result":'
    + b"[" * 100_000
    + b"]" * 100_000
    + b"}",
    "an integer of 10 MB": b'{"jsonrpc":"2.0","id":9999,"result":' + b"9" * 10_000_000 + b"}",
    "an id of 10 MB": b'{"jsonrpc":"2.0","id":' + b"9" * 10_000_000 + b',"result":1}',
    "a float": b"1e400",
}


async def odd_lines(scene: Scene) -> None:
    """F9."""
    async with scene.host(faulty("mad")) as host:
        plugin = host.find_program("mad")
        async with measured(host.find_program(NEIGHBOUR)) as meter:
            for name, line in ODD_LINES.items():
                said = await outcome(plugin, "odd", lines=encoded(line) * _times(line))
                scene.must("after each, the next message is fine", be=said == "fine", seen=name)
        scene.must("the plugin is still the same", be=plugin.epoch == 1, seen=plugin.lifecycle)
        with_mark = b"\xef\xbb\xbf" + _FINE + b"\r"
        said = await outcome(plugin, "odd", lines=encoded(with_mark), answers=False)
        scene.must("a byte order mark and CRLF do no harm", be=said == "fine", seen=said)
        counts = counts_of(host, "mad")
        is_counted = counts["garbage"] > 0 and counts["open_calls"] == 0
        scene.must("what means nothing is counted", be=is_counted, seen=counts)
    scene.must_log_no_fault()
    scene.tell(
        f"{len(ODD_LINES)} kinds: {counts['garbage']} lines counted as garbage,"
        f" {counts['unmatched']} as answers to nothing; {meter}"
    )


def _times(line: bytes) -> int:
    return 100 if len(line) < 10_000 else 1


async def unasked(scene: Scene) -> None:
    """F10."""
    async with scene.host(faulty("mad")) as host:
        plugin = host.find_program("mad")
        ids = [b"4711", b'"<id>"', b"<id>.0", b"null", b"[]", b"true", b"{}", b"-1", b"1e2"]
        lines = [b'{"jsonrpc":"2.0","id":%b,"result":{}}' % each for each in ids]
        batch = [b"[" + _FINE + b"]", b"[]"]
        said = await outcome(plugin, "odd", lines=encoded(*lines, *batch))
        scene.must("no answer to nothing is taken for one", be=said == "fine", seen=said)
        said = await outcome(plugin, "odd", lines=encoded(_FINE) * 3, answers=False)
        scene.must("of several answers the first counts", be=said == "fine", seen=said)
        async with measured(host.find_program(NEIGHBOUR)) as telling:
            told = json.loads(await use(plugin, "tell", seconds=_FLOOD_SECONDS))
        _must_leave_others_alone(scene, telling)
        notes = counts_of(host, "mad")["notifications"]
        async with measured(host.find_program(NEIGHBOUR)) as asking:
            asked = await _ask(scene, host, plugin)
        _must_leave_others_alone(scene, asking)
        counts = counts_of(host, "mad")
    scene.must_log_no_fault()
    scene.tell(
        f"{notes / told['seconds']:.0f} notifications a second taken, {telling};"
        f" {asked['asked'] / asked['seconds']:.0f} requests a second asked and answered,"
        f" {asked['open']} kept open, {counts['refused_requests']} told that it is busy; {asking}"
    )


async def _ask(scene: Scene, host: PluginHost, plugin: Plugin) -> dict[str, int]:
    most_open = 0
    async with asyncio.TaskGroup() as tasks:
        call = tasks.create_task(use(plugin, "ask", seconds=_FLOOD_SECONDS))
        while not call.done():
            most_open = max(most_open, counts_of(host, "mad")["open_requests"])
            await asyncio.sleep(0.05)
    asked: dict[str, int] = json.loads(call.result())
    scene.must("no more than 100 requests are open", be=most_open == 100, seen=most_open)
    is_answered = asked["answered"] == asked["asked"]
    scene.must("each request is answered", be=is_answered, seen=asked)
    return asked


async def deaf(scene: Scene) -> None:
    """F11."""
    settings = HostSettings(sep_tool_seconds=2.0)
    async with scene.host(faulty("mad", "deaf"), settings=settings) as host:
        plugin, text = host.find_program("mad"), "x" * 100_000
        async with measured(host.find_program(NEIGHBOUR)) as meter, asyncio.TaskGroup() as tasks:
            calls = [tasks.create_task(timed(plugin, "say", phrase=text)) for _ in range(1000)]
        ends = [call.result() for call in calls]
        late = [took for said, took in ends if "was not answered" in said]
        shed = [took for said, took in ends if "was not answered" not in said]
        reasons = Counter(said.removeprefix("tool `say` failed: ") for said, _ in ends)
        _must_leave_others_alone(scene, meter, mib=8)
        scene.must("few are sent, the others are refused", be=len(late) < 60, seen=reasons)
        slowest = 1000 * max(shed)
        scene.must_stay_below("each is refused within 5 ms", 5, slowest, "ms")
    told = ", ".join(f"{count} “{reason}”" for reason, count in reasons.most_common())
    scene.tell(f"{told}; refused within {slowest:.2f} ms at most; {meter}")
