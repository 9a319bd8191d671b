from pathlib import Path

from benchmarks.text.first_token import measure


async def test_a_warm_speaker_and_one_claude_per_turn_are_both_measured(tmp_path: Path) -> None:
    tokens = await measure(tmp_path, 1)

    assert (tokens.warm.count, tokens.one_shot.count) == (3, 1)
    ratio = tokens.rows()[0]
    assert ratio.value == tokens.one_shot.median / tokens.warm.median
    assert str(ratio.target) == "≥ 8"
