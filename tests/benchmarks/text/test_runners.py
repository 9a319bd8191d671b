import asyncio
import os
from pathlib import Path

import pytest

from benchmarks.text.runners import all_followed, pss_mb


def test_this_process_takes_memory() -> None:
    assert 5 < pss_mb(os.getpid()) < 2000


async def test_an_output_is_followed_once_it_was_read_to_its_end(tmp_path: Path) -> None:
    output = tmp_path / "00000001" / "1" / "out.jsonl"
    output.parent.mkdir(parents=True)
    output.write_text("one\ntwo\n", encoding="ascii")

    with output.open("rb", buffering=0) as reader:
        reader.readline()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await all_followed(tmp_path, pid=os.getpid(), count=1)
        reader.read()
        async with asyncio.timeout(10):
            await all_followed(tmp_path, pid=os.getpid(), count=1)
