from pathlib import Path

import numpy as np

from simulator.demo.wavs import ALL_TOGETHER, Sound, write_wavs
from simulator.discord.voice.speech import read_wav, silence, tone


def test_all_files_begin_at_the_same_moment_and_one_holds_them_all(tmp_path: Path) -> None:
    low, high = tone(200, 0.1), tone(400, 0.2)
    files = write_wavs(
        tmp_path / "new",
        [
            Sound(who="Alice", at_seconds=100.0, samples=low),
            Sound(who="Papercup", at_seconds=100.1, samples=high),
            Sound(who="Alice", at_seconds=100.3, samples=low),
        ],
    )

    heard = {who: read_wav(path) for who, path in files.items()}
    assert [path.name for path in files.values()] == ["alice.wav", "papercup.wav", ALL_TOGETHER]
    alice = np.concatenate([low, silence(0.2), low])
    papercup = np.concatenate([silence(0.1), high, silence(0.1)])
    np.testing.assert_allclose(heard["Alice"], alice, atol=1e-4)
    np.testing.assert_allclose(heard["Papercup"], papercup, atol=1e-4)
    np.testing.assert_allclose(heard["all together"], alice + papercup, atol=1e-4)


def test_where_nobody_spoke_no_files_are_written(tmp_path: Path) -> None:
    assert write_wavs(tmp_path / "new", []) == {}
    assert not (tmp_path / "new").exists()
