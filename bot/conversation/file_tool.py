"""The MCP tool with which speakers and jobs send people a file."""

import asyncio
import hashlib
import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from bot.access import Action, Authorize, Place, Refused
from bot.conversation.conversations import Conversations
from bot.conversation.file_names import safe_name
from bot.messenger import File, MessageContent, Messenger, MessengerError
from bot.quoting import plain
from extensions.callers import Caller, CallerKind
from extensions.errors import JobNotFoundError
from extensions.jobs.files import NotRead, read_own_file
from extensions.jobs.job import Job
from extensions.jobs.manager import JobManager
from extensions.jobs.tool_arguments import BadArgumentError, optional_text, required_text
from extensions.tools import Tool, ToolAnswer, ToolCall

logger = logging.getLogger(__name__)

MOST_FILE_BYTES = 8_000_000
"""What Discord takes from a bot, with some room to spare."""
MOST_FILES = 10
"""How many files are sent in one turn of a speaker, or one run of a job."""
PATH_LENGTH_LIMIT = 500
CAPTION_LENGTH_LIMIT = 1000
"""In characters."""

_SHOWN_LENGTH = 1800
_MOST_SENDERS = 1000
_SEND_SECONDS = 60.0

NO_TURN = "nobody is being answered at present, so there is nobody to send a file to"
NO_PLACE = "it is not known where this task was asked for, so there is nowhere to send a file"
EMPTY = "the file is empty"
TOO_MANY = f"{MOST_FILES} files were sent already, which is the limit; put more into one archive"
TOO_SLOW = "Discord did not answer in time: call again with the same arguments, it comes once"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sender:
    """On whose behalf a file is sent, from where to where."""

    folder: Path
    place: Place
    occasion: str
    """Names the turn or the run."""
    heading: str
    """What is said before the caption."""


class _Refusal(Exception):  # noqa: N818 - no error of ours: what the caller is told
    """A file is not sent; its text says why."""


def file_tool(
    conversations: Conversations,
    jobs: JobManager,
    messenger: Messenger,
    sessions_folder: Path,
    *,
    authorize: Authorize,
) -> Tool:
    """Return the tool `send_file`.

    Args:
        conversations: The open ones; a speaker sends only while it answers somebody there.
        jobs: All jobs.
        messenger: What carries the files.
        sessions_folder: Under which each session has a folder.
        authorize: Who may do what.
    """
    files = _FileTool(conversations, jobs, messenger, sessions_folder, authorize)
    return Tool(
        name="send_file",
        description=_DESCRIPTION,
        input_schema=_SCHEMA,
        offered_to=frozenset({CallerKind.SPEAKER, CallerKind.JOB}),
        handler=files.answer,
    )


class _FileTool:
    def __init__(
        self,
        conversations: Conversations,
        jobs: JobManager,
        messenger: Messenger,
        sessions_folder: Path,
        authorize: Authorize,
    ) -> None:
        self._conversations = conversations
        self._jobs = jobs
        self._messenger = messenger
        self._sessions_folder = sessions_folder
        self._authorize = authorize
        self._sent: dict[Caller, tuple[str, set[str]]] = {}
        """By sender, the newest occasion and the nonces of what was sent then."""

    async def answer(self, call: ToolCall) -> ToolAnswer:
        """Send the file, and say in JSON what came of it."""
        try:
            return ToolAnswer(_json(await self._send(call)))
        except (BadArgumentError, _Refusal) as refusal:
            return ToolAnswer(_json({"error": str(refusal)}), is_error=True)

    async def _send(self, call: ToolCall) -> dict[str, Any]:
        path = required_text(call.arguments, "path", length_limit=PATH_LENGTH_LIMIT)
        caption = optional_text(call.arguments, "caption", length_limit=CAPTION_LENGTH_LIMIT) or ""
        sender = await self._sender(call.caller)
        content = await asyncio.to_thread(
            read_own_file, sender.folder, path, most_bytes=MOST_FILE_BYTES
        )
        if isinstance(content, NotRead):
            raise _Refusal(content.reason)
        if not content:
            raise _Refusal(EMPTY)
        file = File(name=safe_name(PurePosixPath(path).name), content=content)
        text = "\n".join(part for part in (sender.heading, plain(caption, _SHOWN_LENGTH)) if part)
        nonce = _nonce(call.caller, sender.occasion, path, caption, content)
        await self._post(call.caller, sender, MessageContent(text=text, files=(file,)), nonce)
        return {"ok": True, "name": file.name, "bytes": len(content)}

    async def _sender(self, caller: Caller) -> _Sender:
        if caller.kind is CallerKind.JOB:
            return await self._job(caller.subject)
        conversation = self._conversations.of_session(caller.subject)
        if conversation is None or (turn := conversation.running_turn) is None:
            raise _Refusal(NO_TURN)
        place = conversation.session.place
        verdict = self._authorize(turn.people, Action.TALK, place)
        if isinstance(verdict, Refused):
            raise _Refusal(verdict.reason)
        return _Sender(
            folder=self._sessions_folder / caller.subject,
            place=place,
            occasion=str(turn.asked_in.message_id),
            heading="",
        )

    async def _job(self, job_id: str) -> _Sender:
        try:
            job = await self._jobs.find(job_id, lambda found: found.id == job_id)
        except JobNotFoundError as error:
            raise _Refusal(str(error)) from error
        if not job.origin.is_known:
            raise _Refusal(NO_PLACE)
        return _Sender(
            folder=Path(job.folder),
            place=Place(guild_id=job.origin.guild_id, channel_id=job.origin.channel_id),
            occasion=str(job.run_number),
            heading=_heading(job),
        )

    async def _post(
        self, caller: Caller, sender: _Sender, content: MessageContent, nonce: str
    ) -> None:
        sent = self._sent_by(caller, sender.occasion)
        if nonce not in sent and len(sent) >= MOST_FILES:
            raise _Refusal(TOO_MANY)
        # Noted first: what may have arrived counts, and comes once however often it is tried.
        sent.add(nonce)
        try:
            async with asyncio.timeout(_SEND_SECONDS):
                await self._messenger.post(sender.place, content, nonce=nonce)
        except TimeoutError as error:
            raise _Refusal(TOO_SLOW) from error
        except MessengerError as error:
            logger.warning("%s: a file was not sent: %s", caller, error)
            if not error.fate_unknown:
                sent.discard(nonce)
            raise _Refusal(str(error)) from error

    def _sent_by(self, caller: Caller, occasion: str) -> set[str]:
        earlier, sent = self._sent.pop(caller, (occasion, set[str]()))
        # The newest stand last, so that those are forgotten who have sent nothing for long.
        self._sent[caller] = (occasion, sent if earlier == occasion else set())
        if len(self._sent) > _MOST_SENDERS:
            del self._sent[next(iter(self._sent))]
        return self._sent[caller][1]


def _heading(job: Job) -> str:
    return f"📎 **{plain(job.name, 100)}** sends a file."


def _nonce(caller: Caller, occasion: str, path: str, caption: str, content: bytes) -> str:
    """Return the same for the same file on the same occasion, so that a retry sends nothing."""
    whole = hashlib.sha256(content)
    for part in (str(caller), occasion, path, caption):
        whole.update(f"\0{part}".encode())
    return f"f{whole.hexdigest()[:20]}"


def _json(answer: Mapping[str, Any]) -> str:
    return json.dumps(answer, ensure_ascii=False)


_DESCRIPTION = """\
Send people a file from your own folder: it is posted where they talk to you, or where they asked \
for this task. Send only what they asked for or will want to have, once, when it is whole."""
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "path": {
            "type": "string",
            "description": f"The file, in your own folder; at most {MOST_FILE_BYTES:,} bytes.",
            "minLength": 1,
            "maxLength": PATH_LENGTH_LIMIT,
        },
        "caption": {
            "type": "string",
            "description": "What it is, in one short sentence.",
            "maxLength": CAPTION_LENGTH_LIMIT,
        },
    },
    "required": ["path"],
    "additionalProperties": False,
}
