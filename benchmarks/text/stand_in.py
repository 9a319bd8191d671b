"""A program that stands in for `claude` in jobs: it says what a job says, works, and never ends.

Real ones take 200 MB each, so that there is room for a few only; the bot and its runners treat
this one as they treat them.
"""

import json
import shlex
from pathlib import Path

_STEPS = 100
_SECONDS_BETWEEN_STEPS = 5
_SPEECH = "I look at the next file, to see what stands in it and what must be done about it. " * 3
# Only a job has that flag.
_PROGRAM = """\
#!/bin/sh
case "$*" in *--append-system-prompt-file*) ;; *) exec {claude} "$@" ;; esac
cat {told}
while sleep {seconds}; do cat {next_step}; done
"""


def stand_in(folder: Path, claude: Path) -> Path:
    """Write the program into `folder`, and return its path.

    Args:
        folder: Where it is kept.
        claude: The real one, which it becomes where it is not started as a job.
    """
    steps = [_step(number) for number in range(_STEPS)]
    told, next_step = folder / "told.jsonl", folder / "step.jsonl"
    told.write_text("".join(steps), encoding="utf-8")
    next_step.write_text(steps[0], encoding="utf-8")
    program = folder / "claude"
    program.write_text(
        _PROGRAM.format(
            claude=shlex.quote(str(claude)),
            told=shlex.quote(str(told)),
            next_step=shlex.quote(str(next_step)),
            seconds=_SECONDS_BETWEEN_STEPS,
        ),
        encoding="utf-8",
    )
    program.chmod(0o700)
    return program


def _step(number: int) -> str:
    """Return what `claude` prints of one step: what it says, a tool, and what that gave."""
    tool = {"type": "tool_use", "id": f"toolu_{number}", "name": "Read", "input": {"file": "a.txt"}}
    result = {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": _SPEECH}
    events = (
        {
            "type": "assistant",
            "message": {"role": "assistant", "content": [{"type": "text", "text": _SPEECH}, tool]},
        },
        {"type": "user", "message": {"role": "user", "content": [result]}},
    )
    return "".join(json.dumps(event) + "\n" for event in events)
