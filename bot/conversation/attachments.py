"""Brings the files that came with messages to the speaker: pictures to be seen, all to be read.

They are put into `inbox/<message>/<name>` in the session's folder, where the speaker can read
them, and stay there: of what is sent to one session the newest 500 MB are kept.
"""

import asyncio
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bot.conversation.file_names import distinct_names
from bot.conversation.inbox import Inbox
from bot.conversation.incoming import Attachment
from bot.conversation.pictures import may_be_shown, picture_in
from bot.conversation.turn import MOST_FILE_BYTES, MOST_FILES, Turn
from bot.messenger import MessengerError
from bot.quoting import code
from bot.speaker.speaker import Image
from extensions.disk import is_disk_full

logger = logging.getLogger(__name__)

FETCH_SECONDS = 60.0
"""How long one waits for all files of a turn."""
_FETCHED_AT_ONCE = 4
_MOST_SHOWN_BYTES = 12 * 1024 * 1024
"""How large the pictures of a turn may be together; a request may have 32 MB, as base64."""

TOO_MANY = f"I take {MOST_FILES} files at once"
TOO_LARGE = f"I take {MOST_FILE_BYTES >> 20} MB at once"
NOT_FETCHED = "Discord did not give it to me"
TOO_SLOW = "Discord was too slow to give it to me"
NO_ROOM = "my disk is full"
NOT_SAVED = "I could not save it; the operator finds the reason in the log"


class AttachmentSource(Protocol):
    """Where files are that came with messages."""

    async def read(self, attachment: Attachment, *, most_bytes: int) -> bytes:
        """Return what is in a file.

        Raises:
            MessengerError: If it cannot be had, or is larger than `most_bytes`.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Brought:
    """What there is to tell the speaker of the files of a turn."""

    images: tuple[Image, ...] = ()
    note: str = ""
    """What is said after the words of the turn; it begins on a line of its own."""
    complaints: tuple[str, ...] = ()
    """What the people of the turn are told: a sentence for each file that was not taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A file that is to be taken, and the name that it gets."""

    attachment: Attachment
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A file that is not taken."""

    name: str
    reason: str
    """Half a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Saved:
    chosen: Chosen
    path: str
    content: bytes


def choose(attachments: Sequence[Attachment]) -> list[Chosen | LeftOut]:
    """Name the files that came with a turn, and say which of them are taken. Pure."""
    found: list[Chosen | LeftOut] = []
    count, bytes_left = 0, MOST_FILE_BYTES
    names = distinct_names(attachment.name for attachment in attachments)
    for attachment, name in zip(attachments, names, strict=True):
        if count >= MOST_FILES:
            found.append(LeftOut(name=name, reason=TOO_MANY))
        elif attachment.size_bytes > bytes_left:
            found.append(LeftOut(name=name, reason=TOO_LARGE))
        else:
            count, bytes_left = count + 1, bytes_left - attachment.size_bytes
            found.append(Chosen(attachment=attachment, name=name))
    return found


class AttachmentRoom:
    """Fetches files, and keeps them where the speaker of a session can read them."""

    def __init__(
        self,
        source: AttachmentSource,
        sessions_folder: Path,
        *,
        fetch_seconds: float = FETCH_SECONDS,
    ) -> None:
        self._source = source
        self._sessions_folder = sessions_folder
        self._fetch_seconds = fetch_seconds

    async def bring_in(self, turn: Turn, session_id: str) -> Brought:
        """Fetch the files of a turn, and return what is said of them to whom.

        What cannot be had is told; what an earlier bot has fetched is not fetched again.
        """
        if not turn.attachments:
            return Brought()
        inbox = Inbox(self._sessions_folder / session_id, turn.asked_in.message_id)
        plan = choose(turn.attachments)
        wanted = sum(each.attachment.size_bytes for each in plan if isinstance(each, Chosen))
        await _make_room(inbox, wanted)
        free = asyncio.Semaphore(_FETCHED_AT_ONCE)
        deadline = asyncio.get_running_loop().time() + self._fetch_seconds
        async with asyncio.TaskGroup() as tasks:
            bringing = [
                tasks.create_task(self._bring(each, inbox, free, deadline)) for each in plan
            ]
        return _brought([task.result() for task in bringing])

    async def _bring(
        self, file: Chosen | LeftOut, inbox: Inbox, free: asyncio.Semaphore, deadline: float
    ) -> _Saved | LeftOut:
        if isinstance(file, LeftOut):
            return file
        try:
            async with free:
                return await self._saved(file, inbox, deadline)
        except (MessengerError, TimeoutError, OSError) as error:
            # Not its name, which its author chose.
            logger.warning("attachment %d: not brought in: %r", file.attachment.id, error)
            return LeftOut(name=file.name, reason=_reason(error))

    async def _saved(self, file: Chosen, inbox: Inbox, deadline: float) -> _Saved:
        size = file.attachment.size_bytes
        content = await asyncio.to_thread(inbox.read, file.name, size)
        if content is None:
            async with asyncio.timeout_at(deadline):
                content = await self._source.read(file.attachment, most_bytes=MOST_FILE_BYTES)
            await asyncio.to_thread(inbox.write, file.name, content)
        return _Saved(chosen=file, path=inbox.path_of(file.name), content=content)


async def _make_room(inbox: Inbox, wanted_bytes: int) -> None:
    try:
        await asyncio.to_thread(inbox.make_room, wanted_bytes)
    except OSError as error:  # the files themselves may be written all the same
        logger.warning("%s: no room could be made: %s", inbox.session_folder.name, error)


def _reason(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return TOO_SLOW
    if isinstance(error, MessengerError):
        return NOT_FETCHED
    return NO_ROOM if is_disk_full(error) else NOT_SAVED


def _brought(files: Iterable[_Saved | LeftOut]) -> Brought:
    lines: list[str] = []
    images: list[Image] = []
    complaints: list[str] = []
    bytes_left = _MOST_SHOWN_BYTES
    for file in files:
        if isinstance(file, LeftOut):
            lines.append(f"{file.name}: not there, and they were told why: {file.reason}")
            complaints.append(f"I left out {code(file.name, 120)}: {file.reason}.")
            continue
        image = _image(file.content, bytes_left)
        if image is not None:
            images.append(image)
            bytes_left -= len(image.content)
        lines.append(f"{file.path}: {_described(file, is_shown=image is not None)}")
    note = "\n".join(["\n\nFiles that came with it:", *(f"- {line}" for line in lines)])
    return Brought(images=tuple(images), note=note, complaints=tuple(complaints))


def _image(content: bytes, bytes_left: int) -> Image | None:
    picture = picture_in(content)
    if picture is None or len(content) > bytes_left or not may_be_shown(picture, len(content)):
        return None
    return Image(media_type=picture.media_type, content=content)


def _described(file: _Saved, *, is_shown: bool) -> str:
    if file.chosen.attachment.is_voice_message:
        return "a voice message, which you cannot hear yet; say so"
    if is_shown:
        return "a picture, which is shown to you here"
    if picture_in(file.content) is not None:
        return "a picture, too large to be shown here; look at it with Read"
    return f"{len(file.content):,} bytes; look at it with Read"
