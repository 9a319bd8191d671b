from pathlib import Path

from benchmarks.plugins import crowd, finding, starting


async def test_starts_of_all_are_measured_equally_often() -> None:
    starts = await starting.measure(rounds=1, count=3)

    assert {each.count for each in (starts.ours, starts.mcp, starts.smooth, starts.bare)} == {1}
    assert starts.rows()[-1].name == "3 plugins that are loaded at once are ready"
    assert starts.many_seconds > 0


async def test_the_loop_is_watched_while_plugins_are_called() -> None:
    measured = await crowd.measure(seconds=0.1, plugins=2)

    assert measured.calls_per_second > 0
    assert len(measured.lags) > 0
    assert str(measured.rows()[0].target) == "≤ 50"


def test_all_plugins_are_found_among_many_folders(tmp_path: Path) -> None:
    measured = finding.measure(tmp_path, rounds=2, folders=250)

    assert (measured.found, measured.times.count) == (3, 2)
    assert str(measured.rows()[0].target) == "≤ 250"
