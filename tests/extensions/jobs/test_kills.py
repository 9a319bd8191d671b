from pathlib import Path

from tests.fakes.kill_rounds import kill_rounds


async def test_a_program_that_is_killed_while_it_writes_has_lost_nothing_and_torn_nothing(
    tmp_path: Path,
) -> None:
    damage = await kill_rounds(tmp_path, rounds=10, seed=1)

    assert (damage.corrupt, damage.lost) == ([], [])
    assert damage.acknowledged > 30
    assert not (tmp_path / "papercup.db.rebuilding").exists()
