"""What the models are told of the tools for jobs, and what they may send to them."""

from collections.abc import Mapping
from typing import Any

TASK_LENGTH_LIMIT = 50_000
"""How many characters a task may have."""
NAME_LENGTH_LIMIT = 200
"""How many characters the wanted name, or an id, may have before it is cleaned."""
MESSAGE_LENGTH_LIMIT = 500
"""How many characters a report of progress may have."""
LIST_LIMIT = 50
"""How many jobs can be listed at once."""
LISTED_BY_DEFAULT = 10
MOST_WAIT_SECONDS = 30
"""How long one call may wait for a job's end."""

SPAWN_DESCRIPTION = """\
Hand a task of more than one step to a background Claude, and go on talking meanwhile. It works \
alone in an empty folder of its own, sees nothing of this conversation, and cannot ask anything: \
write the whole task, with all that it needs to know. Returns at once; nothing is done yet then."""
SPAWN_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "task": {
            "type": "string",
            "description": "What is to be done, whole and understandable by itself.",
            "minLength": 1,
            "maxLength": TASK_LENGTH_LIMIT,
        },
        "name": {
            "type": "string",
            "description": "A short name by which people can ask for it, such as fibonacci-script.",
            "maxLength": NAME_LENGTH_LIMIT,
        },
    },
    "required": ["task"],
    "additionalProperties": False,
}
CHECK_DESCRIPTION = """\
Look at how a background task stands: its status (queued, running, completed, failed, cancelled, \
interrupted), what it reports, and once it has ended its summary or error. Always look before you \
say how a task stands or what came of it. If several are meant, each is told in `extensions`. If \
it is unclear which, ask the person."""
_ID: Mapping[str, Any] = {
    "type": "string",
    "description": "Its id or name, or what the person calls it: 'it', 'the auth one', 'the last"
    " one', 'both', 'all but the report'. The newest task of a name is meant.",
    "minLength": 1,
    "maxLength": NAME_LENGTH_LIMIT,
}
CHECK_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"id": _ID},
    "required": ["id"],
    "additionalProperties": False,
}
CANCEL_DESCRIPTION = """\
Stop a background task, for good: what it has not finished is not finished by anyone. Call it only \
when a person wants that task stopped, never to tidy up or to start it anew. Returns how the task \
stands then; it may take some seconds until its status is cancelled. Several may be meant at once; \
if it is unclear which, nothing is stopped: ask the person."""
CANCEL_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"id": _ID},
    "required": ["id"],
    "additionalProperties": False,
}
WAIT_DESCRIPTION = """\
Wait until a background task has ended, at most so many seconds, and return how it stands as \
check_extension does, with `settled`: whether it has ended. Call it only when a person asks you to \
wait, or what they asked for needs the result of a task that is nearly done: they hear nothing \
meanwhile. If it has not ended then, say so; do not wait again and again."""
WAIT_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "id": _ID,
        "seconds": {
            "type": "number",
            "description": "How long to wait at most.",
            "minimum": 0,
            "maximum": MOST_WAIT_SECONDS,
            "default": MOST_WAIT_SECONDS,
        },
    },
    "required": ["id"],
    "additionalProperties": False,
}
LIST_DESCRIPTION = "List the newest background tasks, newest first, each with its status."
LIST_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "limit": {
            "type": "integer",
            "description": "How many at most.",
            "minimum": 1,
            "maximum": LIST_LIMIT,
            "default": LISTED_BY_DEFAULT,
        },
    },
    "additionalProperties": False,
}
REPORT_DESCRIPTION = """\
Tell the people who wait for this task how far you have come, in one short sentence. Call it when \
a larger step is done."""
REPORT_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "message": {
            "type": "string",
            "description": "One short sentence.",
            "minLength": 1,
            "maxLength": MESSAGE_LENGTH_LIMIT,
        },
        "fraction": {
            "type": "number",
            "description": "How much of the work is done, from 0 to 1, if you can tell.",
            "minimum": 0,
            "maximum": 1,
        },
    },
    "required": ["message"],
    "additionalProperties": False,
}
