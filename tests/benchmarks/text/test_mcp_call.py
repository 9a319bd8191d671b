from benchmarks.text.mcp_call import CALLS_PER_ROUND, measure


async def test_both_servers_are_called_equally_often_and_told_of() -> None:
    calls = await measure(2)

    assert (calls.ours.count, calls.bare.count) == (2 * CALLS_PER_ROUND, 2 * CALLS_PER_ROUND)
    rows = calls.rows()
    assert [row.unit for row in rows] == ["times", "ms", "ms", "ms", "ms"]
    assert rows[0].value == calls.ours.median / calls.bare.median
    assert rows[0].target is not None
