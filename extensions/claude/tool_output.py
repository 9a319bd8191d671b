"""What Claude's own tools give back: as text, and with other text in its place. Pure.

Each tool has a shape of its own, and Claude takes nothing in its place that is not of that shape.
"""

import json
from typing import Any


def text_of(response: Any) -> str:
    """Return what a tool gave back as text: what the model reads of it, more or less."""
    match response:
        case str(content) | {"type": "text", "file": {"content": str(content)}}:
            text = content
        case {"mode": "content", "content": str(content)}:
            text = content
        case {"stdout": str(stdout), "stderr": str(stderr)}:
            text = "\n".join(part for part in (stdout, stderr) if part)
        case {"filenames": [*names]}:
            text = "\n".join(map(str, names))
        case {"type": "image", "file": _}:
            text = "[an image]"
        case [*blocks]:
            text = "\n".join(map(_block_text, blocks))
        case other:
            text = json.dumps(other, ensure_ascii=False)
    return text


def with_text(response: Any, text: str) -> Any:
    """Return the same with `text` in place of its own; `None` if its shape has no room for that."""
    lines = text.splitlines()
    match response:
        case str() | [*_]:
            # Of an MCP server: Claude takes text for it in any case.
            other: Any = text
        case {"stdout": str(), "stderr": str()} as ran if not ran.get("isImage"):
            other = {**ran, "stdout": text, "stderr": ""}
        case {"type": "text", "file": {"content": str()} as file} as read:
            other = {**read, "file": {**file, "content": text, "numLines": max(1, len(lines))}}
        case {"mode": "content", "content": str()} as found:
            other = {**found, "content": text, "numLines": len(lines)}
        case {"filenames": [*_]} as found:
            other = {**found, "filenames": lines, "numFiles": len(lines)}
        case _:
            other = None
    return other


def _block_text(block: Any) -> str:
    match block:
        case {"type": "text", "text": str(text)}:
            return text
        case {"type": str(kind)}:
            return f"[{'an image' if kind == 'image' else kind}]"
        case _:
            return json.dumps(block, ensure_ascii=False)
