"""A REST call as its handler sees it, and what the handler gives back."""

import json
import mimetypes
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from aiohttp import BodyPartReader, web

from simulator.discord.clock import Snowflakes
from simulator.discord.errors import ApiError
from simulator.discord.model import UploadedFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request that is allowed, and whose body is read."""

    params: Mapping[str, str]
    """What stands in the path."""
    query: Mapping[str, str]
    body: Any
    files: tuple[UploadedFile, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a request is answered with."""

    status: int = 200
    body: Any = None
    """JSON; not sent with status 204."""


NOTHING = Answer(status=204)
Handler = Callable[[Call], Awaitable[Answer]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """A path that is served."""

    method: str
    template: str
    """As Discord's API description writes it: `/channels/{channel_id}`."""
    handler: Handler
    needs_token: bool = True
    """Whether the bot must show its token; interactions have their own in the path."""


async def read_call(request: web.Request, ids: Snowflakes) -> Call:
    """Read what a request brings.

    Raises:
        ApiError: If its body is not well-formed.
    """
    body: Any = {}
    files: list[UploadedFile] = []
    if request.content_type == "multipart/form-data":
        body, files = await _read_form(request, ids)
    elif request.can_read_body:
        body = _parse(await request.text())
    if isinstance(body, list) != _takes_list(request):
        raise ApiError(400, 50035, "Invalid Form Body")
    return Call(
        params=dict(request.match_info), query=dict(request.query), body=body, files=tuple(files)
    )


def _takes_list(request: web.Request) -> bool:
    return request.method == "PUT" and request.path.endswith("/commands")


async def _read_form(request: web.Request, ids: Snowflakes) -> tuple[Any, list[UploadedFile]]:
    body: Any = {}
    files: list[UploadedFile] = []
    async for part in await request.multipart():
        if not isinstance(part, BodyPartReader):
            raise ApiError(400, 50035, "Invalid Form Body")
        if part.name == "payload_json":
            body = _parse(await part.text())
        elif part.filename is not None:
            files.append(_upload(ids, part.filename, bytes(await part.read())))
    return body, files


def _upload(ids: Snowflakes, name: str, content: bytes) -> UploadedFile:
    # Discord tells the type by the name; clients send application/octet-stream for all.
    guess = mimetypes.guess_type(name)[0] or "application/octet-stream"
    content_type = f"{guess}; charset=utf-8" if guess.startswith("text/") else guess
    return UploadedFile(id=ids.next(), name=name, content=content, content_type=content_type)


def _parse(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise ApiError(400, 50109, "The request body contains invalid JSON.") from error
