#!/usr/bin/env python3
"""Says to the speaker what other programs write into a file: a thread, with the SDK."""

import threading
import time
from pathlib import Path

from papercup_plugin import Context, HostError, NoAnswerError, Plugin

plugin = Plugin("file_trigger", version="1.0.0")
plugin.flag("file", "~/papercup-trigger.txt")

SECONDS_BETWEEN_LOOKS = 0.2
LONGEST_TEXT = 4000
latest: list[Context] = []
"""Where `/watch` was called last: there it is said."""


@plugin.command("watch", description="Says here what other programs write into a file.")
def watch(ctx: Context) -> None:
    """Begin to look at the file, on behalf of whoever called this."""
    file = Path(str(ctx.flags["file"])).expanduser()
    latest[:] = [ctx]
    threading.Thread(target=keep_watch, args=(file, ctx), daemon=True).start()
    ctx.ui.notify(f"What is written into {file} is said here.")


def keep_watch(file: Path, ctx: Context) -> None:
    """Say what comes, until it is watched for somebody else or the host has enough of it."""
    try:
        while latest == [ctx]:
            if text := taken(file):
                ctx.session.send_user_message(f"From {file.name}: {text[:LONGEST_TEXT]}")
            time.sleep(SECONDS_BETWEEN_LOOKS)
    except (HostError, NoAnswerError) as error:
        ctx.log.warning("the file is watched no longer", reason=str(error))


def taken(file: Path) -> str:
    """Return what stands in the file, and empty it."""
    try:
        text = file.read_text(encoding="utf-8", errors="replace").strip()
        if text:
            file.write_text("")
    except OSError:
        # Mostly it is not there: nobody has written anything yet.
        return ""
    return text


if __name__ == "__main__":
    plugin.run()
