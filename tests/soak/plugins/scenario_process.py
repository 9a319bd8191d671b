"""Tries one fault: `python -m tests.soak.plugins.scenario_process NUMBER FOLDER`.

So what one leaves behind, in memory say, is not taken for another's.
"""

import asyncio
import json
import logging
import sys
from dataclasses import asdict
from pathlib import Path

import uvloop

from bot.cli.run import leave_loaded_alone
from tests.soak.plugins.scenarios import SCENARIOS
from tests.soak.plugins.scene import Scene

TOLD = "told.json"
"""The file in the folder in which stands what was seen."""


def main() -> None:
    """Try it, and write down what was seen."""
    scene = Scene(Path(sys.argv[2]))
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    logging.getLogger().addHandler(scene.records)
    leave_loaded_alone()
    # As `papercup run` does.
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(SCENARIOS[sys.argv[1]].run(scene))  # type: ignore[arg-type]  # they are coroutines
    told = {"looks": [asdict(look) for look in scene.looks], "figures": scene.figures}
    (scene.folder / TOLD).write_text(json.dumps(told))


if __name__ == "__main__":
    main()
