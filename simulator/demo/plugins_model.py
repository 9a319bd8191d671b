"""What the model says in the demo of plugins, made from what the tools gave back."""

from simulator.messages_api import Answer, ModelRequest, Say, Use

CLEAN_TASK = "Remove the folder build with all that is in it."
CLEAN_COMMAND = "rm -rf build"
NOT_MINE = "I have no dice, and no command of that name."

_SPAWN = "mcp__papercup__spawn_extension"
_ADD = "mcp__papercup__ext_todo_add"
_PREPARE = "mkdir -p build && echo old > build/old.o && ls build"


async def plugins_model(request: ModelRequest) -> Answer:
    """Answer as the speaker or as a job, as the tools that are offered tell."""
    if _SPAWN not in request.tools:
        return _clean(request)
    said = request.last_user_text.lower()
    if "roll" in said:
        return Say(NOT_MINE)
    if "build" in said:
        return _start(request)
    for item in ("bread", "butter"):
        if item in said:
            return _add(request, item)
    return Say("I see.")


def _clean(request: ModelRequest) -> Answer:
    """Try the same command three times, whatever comes of it, and tell that."""
    if request.step == 0:
        return Use("Bash", {"command": _PREPARE, "description": "Look"})
    if request.step <= 3:  # noqa: PLR2004 - three times
        return Use("Bash", {"command": CLEAN_COMMAND, "description": "Clean up"})
    told = [
        f"{number}. {'refused' if result.is_error else 'done'}: {result.text.strip()}"
        for number, result in enumerate(request.tool_results[1:], start=1)
    ]
    return Say("I tried three times.\n" + "\n".join(told))


def _start(request: ModelRequest) -> Answer:
    if request.step == 0:
        return Use(_SPAWN, {"task": CLEAN_TASK, "name": "clean-up"}, text="A job does that.")
    return Say("It is on its way.")


def _add(request: ModelRequest, item: str) -> Answer:
    if _ADD not in request.tools:
        return Say("I have no list.")
    if request.step == 0:
        return Use(_ADD, {"item": item})
    result = request.last_tool_result or ""
    return Say(f"It is on the list:\n{result}")
