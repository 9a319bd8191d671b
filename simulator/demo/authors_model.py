"""What the model says in the demo of plugins' authors, made from what the tools gave back."""

from simulator.messages_api import Answer, ModelRequest, Say, Use

COUNTED = "to be or not to be"
REMOVING = "rm draft.txt"
NO_TOOL = "I have no tool for that."

_COUNT = "mcp__papercup__ext_words_count_words"
_REMEMBER = "mcp__papercup__ext_notes_remember"
_PREPARE = "echo draft > draft.txt && ls draft.txt"
_REMIND = "remember this:"
_TRIES = 2


async def authors_model(request: ModelRequest) -> Answer:
    """Answer as the speaker, as the tools that are offered tell."""
    said = request.last_user_text
    if "words" in said:
        return _use(request, _COUNT, {"text": COUNTED})
    if "draft" in said:
        return _clean(request)
    if _REMIND in said.lower():
        text = said[said.lower().index(_REMIND) + len(_REMIND) :].strip()
        return _use(request, _REMEMBER, {"text": text})
    return Say("I see.")


def _use(request: ModelRequest, tool: str, given: dict[str, str]) -> Answer:
    if request.step > 0:
        return Say(f"The tool says: {request.last_tool_result}")
    return Use(tool, given) if tool in request.tools else Say(NO_TOOL)


def _clean(request: ModelRequest) -> Answer:
    """Try the same command twice, whatever comes of it, and tell that."""
    if request.step == 0:
        return Use("Bash", {"command": _PREPARE, "description": "Look"})
    if request.step <= _TRIES:
        return Use("Bash", {"command": REMOVING, "description": "Clean up"})
    told = [
        f"{number}. {'refused' if result.is_error else 'done'}: {result.text.strip()}"
        for number, result in enumerate(request.tool_results[1:], start=1)
    ]
    return Say("I tried twice.\n" + "\n".join(told))
