"""Answers as the API puts them on the wire. Pure: ids come in as arguments."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, assert_never

from simulator.messages_api.answers import (
    Answer,
    Complete,
    Cut,
    Hang,
    HttpError,
    Say,
    Streamed,
    StreamError,
    Think,
    Tokens,
    ToolUse,
    Use,
    UseSeveral,
)

Json = dict[str, Any]
NewId = Callable[[str], str]
"""Makes a fresh id that begins with what it is given, such as `msg_`."""

_UNSAID: Mapping[str, Json] = {
    "text": {"text": ""},
    "thinking": {"thinking": "", "signature": ""},
    "tool_use": {"input": {}},
}
"""What of a block comes only with its deltas, emptied."""
_INPUT_PIECE_CHARACTERS = 40


@dataclass(frozen=True, slots=True)
class Send:
    """An event to be sent."""

    event: Json


@dataclass(frozen=True, slots=True)
class Pause:
    """A pause in the stream."""

    seconds: float
    pings: bool = False
    """Whether the API sends pings meanwhile."""


@dataclass(frozen=True, slots=True)
class Drop:
    """The connection is dropped, in the midst of the answer."""


Step = Send | Pause | Drop


def message_of(answer: Complete, *, model: str, new_id: NewId) -> Json:
    """Return the whole message of an answer that was not asked for as a stream."""
    content = _content(answer, new_id)
    return _message(content, _stop_reason(answer), tokens_of(answer), model=model, new_id=new_id)


def stream_of(answer: Streamed, *, model: str, new_id: NewId) -> Iterator[Step]:
    """Yield the steps by which an answer is streamed."""
    tokens = tokens_of(answer)
    start = _message([], None, tokens, model=model, new_id=new_id)
    start["usage"]["output_tokens"] = 1
    yield Send({"type": "message_start", "message": start})
    yield Send({"type": "ping"})
    match answer:
        case StreamError():
            yield from _said_before(answer.after_text)
            error = {"type": answer.type, "message": answer.message}
            yield Send({"type": "error", "error": error})
        case Hang():
            yield from _said_before(answer.after_text)
            yield Pause(answer.seconds, pings=True)
            yield Drop()
        case Cut():
            yield from _first_words(answer.text, answer.after_words)
            if answer.after_words >= len(_words(answer.text)):
                yield Send({"type": "content_block_stop", "index": 0})
            if not answer.is_clean:
                yield Drop()
        case Say() | Use() | UseSeveral() | Think():
            yield from _complete(answer, tokens, new_id)
        case _:
            assert_never(answer)


def delay_of(answer: Answer) -> float:
    """Return how many seconds the API takes before it sends anything."""
    match answer:
        case Think(then=then):
            return then.delay_seconds
        case Say() | Use() | UseSeveral():
            return answer.delay_seconds
        case HttpError() | StreamError() | Hang() | Cut():
            return 0.0
        case _:
            assert_never(answer)


def tokens_of(answer: Answer) -> Tokens:
    """Return what an answer is said to have used."""
    match answer:
        case Think(then=then):
            return then.tokens
        case Say() | Use() | UseSeveral() | Cut():
            return answer.tokens
        case HttpError() | StreamError() | Hang():
            return Tokens()
        case _:
            assert_never(answer)


def error_body(error_type: str, message: str, *, request_id: str) -> Json:
    """Return the body of an HTTP error."""
    error = {"type": error_type, "message": message}
    return {"type": "error", "error": error, "request_id": request_id}


def sse(event: Mapping[str, Any]) -> bytes:
    """Return an event as a server-sent event."""
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()


def _complete(answer: Complete, tokens: Tokens, new_id: NewId) -> Iterator[Step]:
    pause = (answer.then if isinstance(answer, Think) else answer).chunk_seconds
    for index, block in enumerate(_content(answer, new_id)):
        yield Send(_block_start(index, block))
        for delta in _deltas(block):
            yield Send({"type": "content_block_delta", "index": index, "delta": delta})
            if pause and delta["type"] == "text_delta":
                yield Pause(pause)
        yield Send({"type": "content_block_stop", "index": index})
    delta = {"stop_reason": _stop_reason(answer), "stop_sequence": None}
    yield Send({"type": "message_delta", "delta": delta, "usage": _usage(tokens)})
    yield Send({"type": "message_stop"})


def _content(answer: Complete, new_id: NewId) -> list[Json]:
    match answer:
        case Think(thinking=thinking, then=then):
            thought = {"type": "thinking", "thinking": thinking, "signature": "c2lnbmF0dXJl"}
            return [thought, *_content(then, new_id)]
        case Say(text=text):
            return [{"type": "text", "text": text}]
        case Use(tool=tool, input=arguments, text=text):
            uses: tuple[ToolUse, ...] = (ToolUse(tool, arguments),)
        case UseSeveral(uses=uses, text=text):
            pass
        case _:
            assert_never(answer)
    said: list[Json] = [{"type": "text", "text": text}] if text else []
    return said + [
        {"type": "tool_use", "id": new_id("toolu_"), "name": use.tool, "input": dict(use.input)}
        for use in uses
    ]


def _stop_reason(answer: Complete) -> str:
    last = answer.then if isinstance(answer, Think) else answer
    return last.stop_reason if isinstance(last, Say) else "tool_use"


def _message(
    content: list[Json], stop_reason: str | None, tokens: Tokens, *, model: str, new_id: NewId
) -> Json:
    return {
        "id": new_id("msg_"),
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": _usage(tokens),
    }


def _usage(tokens: Tokens) -> Json:
    return {
        "input_tokens": tokens.input_tokens,
        "cache_creation_input_tokens": tokens.cache_write_tokens,
        "cache_read_input_tokens": tokens.cache_read_tokens,
        "output_tokens": tokens.output_tokens,
        "service_tier": "standard",
    }


def _block_start(index: int, block: Json) -> Json:
    return {
        "type": "content_block_start",
        "index": index,
        "content_block": {**block, **_UNSAID[block["type"]]},
    }


def _deltas(block: Json) -> Iterator[Json]:
    match block["type"]:
        case "text":
            for word in _words(block["text"]):
                yield {"type": "text_delta", "text": word}
        case "thinking":
            for word in _words(block["thinking"]):
                yield {"type": "thinking_delta", "thinking": word}
            yield {"type": "signature_delta", "signature": block["signature"]}
        case _:
            text = json.dumps(block["input"])
            for at in range(0, len(text), _INPUT_PIECE_CHARACTERS):
                piece = text[at : at + _INPUT_PIECE_CHARACTERS]
                yield {"type": "input_json_delta", "partial_json": piece}


def _said_before(text: str) -> Iterator[Step]:
    if text:
        yield from _first_words(text, len(text))


def _first_words(text: str, count: int) -> Iterator[Step]:
    yield Send(_block_start(0, {"type": "text"}))
    for word in _words(text)[:count]:
        delta = {"type": "text_delta", "text": word}
        yield Send({"type": "content_block_delta", "index": 0, "delta": delta})


def _words(text: str) -> list[str]:
    return re.findall(r"\s*\S+\s*|\s+", text)
