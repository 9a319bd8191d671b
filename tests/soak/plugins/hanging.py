"""Plugins that take their time, and clocks that jump."""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Iterator
from itertools import cycle

from extensions.plugins.host import HostSettings, PluginHost
from extensions.plugins.plugin import Plugin
from tests.fakes.faulty_plugins import counts_of, faulty, many, outcome, use
from tests.soak.plugins.crashing import BACK_OFF, settings, waits_between_crashes
from tests.soak.plugins.meters import measured, percentile
from tests.soak.plugins.scene import NEIGHBOUR, Scene, timed

_OPEN = "circuit breaker open for plugin"
_TOOL_SECONDS = 0.5
_LATE = "was not answered within"
_TAKEN_BACK = 1000
_HOUR_SECONDS = 3600.0


async def one_method_hangs(scene: Scene) -> None:
    """F5."""
    seconds = HostSettings(sep_tool_seconds=_TOOL_SECONDS)
    async with scene.host(faulty("mad"), settings=seconds) as host:
        plugin = host.find_program("mad")
        async with asyncio.TaskGroup() as tasks:
            hanging = tasks.create_task(timed(plugin, "hang"))
            said = await many(plugin, "say", 50, phrase="x")
            ping = await plugin.request("ping", {}, timeout_seconds=5)
        said_of_it, took = hanging.result()
        others = Counter(said)
        scene.must("only the call that hangs gets no answer", be=others == {"x": 50}, seen=others)
        scene.must("it is told so", be=_LATE in said_of_it, seen=said_of_it)
        scene.must("it is pinged meanwhile, and answers", be=ping == {}, seen=ping)
        scene.must_stay_below("after its own time", _TOOL_SECONDS + 0.1, took, "s")
        refused_ms = await _opens(scene, host, plugin)
        passed = await _half_opens(scene, host, plugin)
    scene.tell(
        f"refused in {refused_ms:.3f} ms (p99) while open; of 50 calls at once {passed} got through"
        " half-open; closed again after 2"
    )


async def _opens(scene: Scene, host: PluginHost, plugin: Plugin) -> float:
    """Have the breaker open, and return how fast calls are refused then, in milliseconds."""
    await _let_through(plugin)
    for number in range(1, 6):
        state = _breaker_of(host)
        scene.must("four time-outs in a row do not open it", be=state == "closed", seen=number)
        await outcome(plugin, "hang")
    state = _breaker_of(host)
    scene.must("five do", be=state == "open", seen=state)
    refusals = [await timed(plugin, "say", phrase="x") for _ in range(1000)]
    words = {text for text, _ in refusals}
    scene.must(
        "open, it lets none through", be=words == {f"tool `say` failed: {_OPEN}"}, seen=words
    )
    return 1000 * percentile([took for _, took in refusals], 0.99)


async def _half_opens(scene: Scene, host: PluginHost, plugin: Plugin) -> int:
    """Return how many of 50 calls get through when it is to be found out."""
    await asyncio.sleep(10.1)
    said = Counter(await many(plugin, "hang", 50))
    passed = sum(count for text, count in said.items() if _OPEN not in text)
    scene.must("exactly 1 of 50 calls gets through half-open", be=passed == 1, seen=said)
    await asyncio.sleep(20.1)
    said = Counter([await outcome(plugin, "say", phrase="x") for _ in range(3)])
    scene.must(
        "after two answers it is closed", be=_breaker_of(host) == "closed" and said["x"] == 3
    )
    return passed


def _breaker_of(host: PluginHost) -> str:
    (found,) = (each for each in host.report() if each["id"] == "mad")
    return str(found["breaker"]["state"])


async def slow_reader(scene: Scene) -> None:
    """F12."""
    seconds = HostSettings(sep_tool_seconds=3.0)
    slow = faulty("mad", "slow=10000", "for=70000")
    async with scene.host(slow, settings=seconds) as host:
        plugin, text = host.find_program("mad"), "x" * 1_000_000
        async with measured(host.find_program(NEIGHBOUR)) as meter, asyncio.TaskGroup() as tasks:
            large = [tasks.create_task(timed(plugin, "say", phrase=text)) for _ in range(3)]
        late = [took for said, took in (call.result() for call in large) if _LATE in said]
        scene.must("its calls end when their time is out", be=len(late) == 3, seen=len(late))
        scene.must_stay_below("not later", 3.1, max(late, default=0.0), "s")
        scene.must_stay_below("others are answered within 10 ms (p99)", 10, meter.p99_ms, "ms")
        await asyncio.sleep(6)
        said = await outcome(plugin, "say", phrase="back")
        scene.must("once it reads as usual, it is answered", be=said == "back", seen=said[:100])
        heard = json.loads(await use(plugin, "heard"))
        is_whole = "broken" not in heard and heard["tool/execute"] == 5
        scene.must("all lines came whole", be=is_whole, seen=heard)
        counts = counts_of(host, "mad")
        scene.must("its late answers are counted", be=counts["unmatched"] == 3, seen=counts)
    scene.tell(f"3 calls of 1 MB to 10 kB a second gave up after {max(late):.2f} s; {meter}")


async def crossing(scene: Scene) -> None:
    """F23."""
    seconds = HostSettings(sep_tool_seconds=0.2)
    async with scene.host(faulty("mad"), settings=seconds) as host:
        plugin = host.find_program("mad")
        ends: Counter[str] = Counter()
        for number in range(200):
            # Around the time limit, so that the answer and the cancelling cross.
            offset = (number % 20 - 10) / 1000
            said = await _late_pair(plugin, 0.2 + offset)
            ends.update(said)
            await _let_through(plugin)
        counts = counts_of(host, "mad")
        late, answered = ends["late"], ends.total() - ends["late"]
        scene.must("each call ends once", be=ends.total() == 400, seen=ends)
        await asyncio.sleep(0.5)
        counts = counts_of(host, "mad")
        is_counted = counts["unmatched"] == answered and counts["open_calls"] == 0
        scene.must("each late answer is counted and dropped", be=is_counted, seen=counts)
        heard = await _taken_back(plugin)
        is_answered = heard["answers"] + heard["-32800"] == _TAKEN_BACK + 1
        scene.must("each request that is taken back gets one answer", be=is_answered, seen=heard)
    scene.must_log_no_fault()
    scene.tell(
        f"400 calls: {late} answered in time, {answered} given up and their answers dropped; of"
        f" {_TAKEN_BACK} requests that were taken back at once {heard['-32800']} were cancelled"
    )


async def _late_pair(plugin: Plugin, seconds: float) -> list[str]:
    said = await many(plugin, "late", 2, seconds=seconds)
    return ["late" if each == "late" else "given up" for each in said]


async def _let_through(plugin: Plugin) -> None:
    """Have a call succeed, so that time-outs are never five in a row."""
    assert await use(plugin, "say", phrase="x") == "x"


async def _taken_back(plugin: Plugin) -> Counter[str]:
    """Have it take back 1000 requests; return how these were answered."""
    before = Counter(json.loads(await use(plugin, "heard")))
    params = {"tool": "take_back", "arguments": {"count": _TAKEN_BACK}, "call_id": "1"}
    await plugin.request("tool/execute", params, timeout_seconds=20)
    heard = Counter[str]()
    for _ in range(100):
        heard = Counter(json.loads(await use(plugin, "heard"))) - before
        # One more was asked behind them.
        if heard["answers"] + heard["-32800"] > _TAKEN_BACK:
            break
        await asyncio.sleep(0.05)
    return heard


async def jumping_clock(scene: Scene) -> None:
    """F24."""
    jumps, true_time = _jumps(), time.time
    # The operator's clock, as whoever reads it sees it: one hour ahead, one hour behind.
    time.time = lambda: true_time() + next(jumps)
    try:
        async with scene.host(faulty("mad"), settings=settings(BACK_OFF)) as host:
            waits = await waits_between_crashes(scene, host, host.find_program("mad"))
        seconds = HostSettings(sep_tool_seconds=_TOOL_SECONDS)
        async with scene.host(faulty("mad"), settings=seconds) as host:
            plugin = host.find_program("mad")
            times = [(await timed(plugin, "hang"))[1] for _ in range(5)]
            is_open = _breaker_of(host) == "open"
            scene.must("the breaker opens at the fifth time-out", be=is_open)
            await asyncio.sleep(5)
            scene.must("it stays open for its time", be=_breaker_of(host) == "open")
            await asyncio.sleep(5.1)
            said = await outcome(plugin, "say", phrase="back")
            scene.must("and no longer", be=said == "back", seen=said)
    finally:
        time.time = true_time
    scene.must_stay_below("calls give up in their time", _TOOL_SECONDS + 0.1, max(times), "s")
    scene.tell(
        "with a clock that jumps by an hour, waits "
        + ", ".join(f"{each:.2f}" for each in waits)
        + f" s; time-outs after {min(times):.2f} to {max(times):.2f} s"
    )


def _jumps() -> Iterator[float]:
    return cycle((_HOUR_SECONDS, -_HOUR_SECONDS, 0.0))
