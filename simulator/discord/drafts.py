"""What a request to post or to edit says, and what Discord refuses of it. Pure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from simulator.discord.components import COMPONENTS_V2_FLAG, check_components, numbered
from simulator.discord.errors import ApiError, invalid_field
from simulator.discord.model import (
    SILENT_FLAG,
    SUPPRESS_EMBEDS_FLAG,
    VOICE_FLAG,
    Json,
    MessageVersion,
    UploadedFile,
    items_of,
)

CONTENT_LENGTH = 2000
NONCE_LENGTH = 25
FILES_PER_MESSAGE = 10
FILE_BYTES = 10 * 1024 * 1024
_POSTED_FLAGS = SUPPRESS_EMBEDS_FLAG | SILENT_FLAG | VOICE_FLAG | COMPONENTS_V2_FLAG
_EDITED_FLAGS = SUPPRESS_EMBEDS_FLAG | COMPONENTS_V2_FLAG


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A message that somebody wants to post."""

    text: str = ""
    files: tuple[UploadedFile, ...] = ()
    components: Sequence[Json] = ()
    embeds: Sequence[Json] = ()
    flags: int = 0
    nonce: str | int | None = None
    is_nonce_enforced: bool = False
    """Whether a second post with this nonce gives the first one back."""
    allowed_mentions: Json | None = None
    """Who may be pinged, as on the wire; `None`: everyone who is mentioned."""
    reply_to: int | None = None
    must_reply_to_exist: bool = True


def read_draft(
    body: Json,
    files: Sequence[UploadedFile],
    *,
    most_file_bytes: int = FILE_BYTES,
    more_flags: int = 0,
) -> Draft:
    """Read the body of a request to post.

    Args:
        body: What it says.
        files: What came with it.
        most_file_bytes: How large each of them may be.
        more_flags: Flags that may be set here besides those that every message may have.

    Raises:
        ApiError: What Discord would answer.
    """
    reference: Json = body.get("message_reference") or {}
    draft = Draft(
        text=_text(body),
        files=_uploads(body, files, most_file_bytes),
        components=_components(body),
        embeds=_embeds(body),
        flags=(body.get("flags") or 0) & (_POSTED_FLAGS | more_flags),
        nonce=_nonce(body),
        is_nonce_enforced=bool(body.get("enforce_nonce")),
        allowed_mentions=body.get("allowed_mentions"),
        reply_to=_snowflake("message_reference.message_id", reference.get("message_id")),
        must_reply_to_exist=reference.get("fail_if_not_exists", True),
    )
    _refuse_empty(draft.text, draft.files, draft.embeds, draft.components)
    if draft.flags & COMPONENTS_V2_FLAG and draft.text:
        raise invalid_field(
            "content", "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2", "Not with this flag"
        )
    return draft


def edited_flags(old: int, body: Json) -> int:
    """Return the flags of a message after an edit, which can change but a few of them."""
    wanted: int | None = body.get("flags")
    # Components that were laid out once stay so.
    kept = old & COMPONENTS_V2_FLAG
    return old if wanted is None else (old & ~_EDITED_FLAGS) | (wanted & _EDITED_FLAGS) | kept


def read_edit(
    old: MessageVersion,
    body: Json,
    files: Sequence[UploadedFile],
    *,
    at_seconds: float,
    most_file_bytes: int = FILE_BYTES,
) -> MessageVersion:
    """Read the body of a request to edit; what it does not name stays.

    Raises:
        ApiError: What Discord would answer.
    """
    new = replace(old, at_seconds=at_seconds)
    if "content" in body:
        new = replace(new, text=_text(body))
    if "components" in body:
        new = replace(new, components=_components(body))
    if "embeds" in body:
        new = replace(new, embeds=_embeds(body))
    uploads = _uploads(body, files, most_file_bytes)
    if "attachments" in body:
        kept = _kept(old.files, {str(item["id"]) for item in items_of(body, "attachments")})
        new = replace(new, files=kept + uploads)
    else:
        new = replace(new, files=new.files + uploads)
    _refuse_empty(new.text, new.files, new.embeds, new.components)
    return new


def _refuse_empty(text: str, *others: Sequence[Any]) -> None:
    if not text.strip() and not any(others):
        raise ApiError(400, 50006, "Cannot send an empty message")


def _kept(files: Sequence[UploadedFile], ids: Collection[str]) -> tuple[UploadedFile, ...]:
    return tuple(file for file in files if str(file.id) in ids)


def _text(body: Json) -> str:
    text = body.get("content")
    if text is None:
        return ""
    if not isinstance(text, str):
        raise invalid_field("content", "STRING_TYPE_CONVERT", "Could not interpret as string.")
    # Discord counts code points, as Python does.
    if len(text) > CONTENT_LENGTH:
        raise invalid_field(
            "content", "BASE_TYPE_MAX_LENGTH", f"Must be {CONTENT_LENGTH} or fewer in length."
        )
    return text


def _components(body: Json) -> list[Json]:
    components: list[Json] = items_of(body, "components")
    check_components(components)
    return numbered(components)


def _embeds(body: Json) -> list[Json]:
    embeds: list[Json] = items_of(body, "embeds")
    return [{"type": "rich", **embed} for embed in embeds]


def _nonce(body: Json) -> str | int | None:
    nonce: str | int | None = body.get("nonce")
    if isinstance(nonce, str) and len(nonce) > NONCE_LENGTH:
        raise invalid_field(
            "nonce", "NONCE_TYPE_TOO_LONG", f"Must be {NONCE_LENGTH} or fewer in length."
        )
    return nonce


def _uploads(
    body: Json, files: Sequence[UploadedFile], most_file_bytes: int
) -> tuple[UploadedFile, ...]:
    if len(files) > FILES_PER_MESSAGE:
        raise ApiError(400, 50035, "Invalid Form Body")
    if any(len(file.content) > most_file_bytes for file in files):
        raise ApiError(413, 40005, "Request entity too large")
    named: dict[str, Json] = {str(item["id"]): item for item in items_of(body, "attachments")}
    return tuple(_described(file, named.get(str(index))) for index, file in enumerate(files))


def _described(file: UploadedFile, item: Json | None) -> UploadedFile:
    if item is None:
        return file
    return replace(
        file,
        name=item.get("filename") or file.name,
        description=item.get("description") or file.description,
        duration_seconds=item.get("duration_secs"),
        waveform=item.get("waveform"),
    )


def _snowflake(field: str, value: Any) -> int | None:
    if value is None:
        return None
    if not str(value).isdecimal():
        raise invalid_field(field, "NUMBER_TYPE_COERCE", f'Value "{value}" is not snowflake.')
    return int(value)
