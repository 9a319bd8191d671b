"""Where a speaker lives that works in a jail, and what it sees of the machine.

It has the session's own folder, and a home that is made for each process and removed after it.
Only the one folder with the session's transcripts is that of all speakers' home, so that a process
in the jail and one outside can go on with the same Claude session, and see no other.
"""

import asyncio
import os
import shutil
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from extensions.claude.process import ClaudeProcess, running_claude
from extensions.errors import ClaudeStartError
from extensions.process.families import FamilyLimits
from extensions.process.jail.bubblewrap import Jail, JailPolicy
from extensions.process.limits import ProcessLimits

_LONGEST_NAME = 200
"""Of a folder of transcripts; of a longer one `claude` makes something else."""
_FILE_BYTES = 4 * 1024**3
_HOLD_SECONDS = 10.0
"""The bot is there for as long as the speaker is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeakerJail:
    """The jail that works on this machine, and its doors."""

    jail: Jail
    sockets: Callable[[Path], AbstractAsyncContextManager[None]]
    """Leads from the sockets in a folder to the bot's servers while the block lasts."""
    family: FamilyLimits = field(default_factory=FamilyLimits)
    """What a speaker in it may become, with all that it starts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JailedPlace:
    """Where one speaker lives. All paths are absolute, without links."""

    folder: Path
    """The session's own."""
    home: Path
    """All speakers' home."""
    session_id: str

    @property
    def own(self) -> Path:
        """What is made for the process, and removed after it."""
        return self.home / "jailed" / self.session_id

    @property
    def own_home(self) -> Path:
        """Its home."""
        return self.own / "home"

    @property
    def sockets(self) -> Path:
        """Where it finds the bot."""
        return self.own / "sock"

    @property
    def transcripts(self) -> Path:
        """Where a process outside keeps the transcripts of this session."""
        return self.home / _transcripts(self.folder)

    @property
    def own_transcripts(self) -> Path:
        """Where the process in the jail sees them."""
        return self.own_home / _transcripts(self.folder)


@asynccontextmanager
async def jailed_claude(
    jail: SpeakerJail,
    place: JailedPlace,
    command: Sequence[str],
    *,
    read_only: tuple[Path, ...],
    environment: Mapping[str, str],
    grace_seconds: float,
) -> AsyncGenerator[ClaudeProcess, None]:
    """Start `claude` in a jail, and end it when the block is left.

    Args:
        jail: What it is put into.
        place: Where it lives.
        command: Its arguments.
        read_only: What it sees besides: the program, and its prompt.
        environment: Its whole environment.
        grace_seconds: How long it may take to end its turn once the block is left.

    Raises:
        ClaudeStartError: If its transcripts cannot be shared.
        OSError: If it cannot be started.
    """
    if len(place.transcripts.name) > _LONGEST_NAME:
        raise ClaudeStartError("the path of the data folder is too long for a jail")
    await asyncio.to_thread(_prepare, place)
    policy = JailPolicy(
        folder=place.folder,
        home=place.own_home,
        sockets_folder=place.sockets,
        read_only=read_only,
        also_writable={place.transcripts: place.own_transcripts},
        environment=environment,
        hold_seconds=_HOLD_SECONDS,
    )
    jailed = jail.jail.command(policy, command)
    try:
        async with (
            jail.sockets(place.sockets),
            running_claude(
                jailed.command,
                cwd=place.folder,
                env={},
                grace_seconds=grace_seconds,
                descriptors=jailed.descriptors,
                limits=ProcessLimits(file_bytes=_FILE_BYTES),
                family=jail.family,
            ) as process,
        ):
            yield process
    finally:
        await asyncio.to_thread(_clean_up, place)


def remove_links(place: JailedPlace) -> None:
    """Remove the links among a session's transcripts: only one in a jail can have put them there.

    A process outside would follow them to what was not meant for it.
    """
    for folder, folders, files in os.walk(place.transcripts):
        for path in (Path(folder, name) for name in (*folders, *files)):
            if path.is_symlink():
                path.unlink()


def _prepare(place: JailedPlace) -> None:
    # What a bot left behind that was killed.
    _clean_up(place)
    for folder in (place.own_home, place.sockets, place.transcripts):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def _clean_up(place: JailedPlace) -> None:
    shutil.rmtree(place.own, ignore_errors=True)


def _transcripts(folder: Path) -> Path:
    """Return where in a home `claude` keeps the transcripts of what was said in `folder`."""
    name = "".join(map(_kept, str(folder)))
    return Path(".claude", "projects", name)


def _kept(character: str) -> str:
    if character.isascii() and character.isalnum():
        return character
    # It counts as JavaScript does: the rarer characters for two.
    return "-" * (len(character.encode("utf-16-le")) // 2)
