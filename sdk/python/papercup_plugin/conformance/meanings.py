"""What each message and each of its members is for, in a few words. Pure.

Under the names that `FRAMES` has. A member within another is named as `host.name`, one of each
entry of a list as `rows[].key`, and one of an object with several forms as `select.prompt`.
"""

from collections.abc import Mapping

from papercup_plugin.conformance.meanings_of_questions import MEMBERS as _OF_QUESTIONS
from papercup_plugin.conformance.meanings_of_questions import METHODS as _QUESTIONS

_CREDENTIALS = {
    "api_key": "a key; one of this and the two tokens has to be there",
    "access_token": "what requests are made with",
    "refresh_token": "what a newer one is had for",
    "expires_at": "when it ends: Unix time, in seconds",
    "extra": "what else the provider wants to be given back",
}
_LOGIN = {
    "provider": "its name",
    "refresh_token": "what was granted before",
}
_MESSAGE = {
    "text": "what was said",
    "source": "`text` or `voice`",
}
_IDS = {
    "agent_id": "who is at work: `speaker`, or the id of a job",
    "session_id": "the session in which; null if in none",
}
_STDIO_TOOLS = {
    "tools": "its tools",
    "tools[].name": "what the tool is called in `tools/call`",
    "tools[].description": "what the model is told of it",
    "tools[].input_schema": "JSON Schema of its arguments",
}
_STDIO_ANSWER = {
    "decision": "`block` forbids it, `allow` lets it pass, `transform` puts a text in its place",
    "abort": "true forbids it",
    "reason": "why, for the model or the person",
    "override": "the members that shall be otherwise",
    "transformed_body": "the text that is put in its place",
    "do_not_reply_again": "of the format; here without effect",
}
_FIRST = "The first message of all: until it is answered, nothing else is said."

METHODS: Mapping[str, str] = {
    "sep host initialize": _FIRST,
    "sep host ping": "Asks whether it is still there.",
    "sep host shutdown": "Tells it to end; it answers, and ends.",
    "sep host event": "Tells what has happened.",
    "sep host hook": "Asks what shall become of something that is about to happen.",
    "sep host tool/execute": "Has a tool used.",
    "sep host command/execute": "Has a command carried out.",
    "sep host command/complete": "Asks what is typed behind a command may be completed to.",
    "sep host provider/complete": "Asks a model.",
    "sep host provider/oauth_login": "Has somebody log in.",
    "sep host provider/oauth_refresh": "Asks for newer credentials, before the old ones end.",
    "sep host $/cancel": "Tells that nobody waits for an answer any more.",
    "stdio host initialize": _FIRST,
    "stdio host tools/list": "Asks which tools there are; it stands for a ping.",
    "stdio host tools/call": "Has a tool used.",
    "stdio host hooks/before_message": "Asks what shall become of what a person has said.",
    "stdio host hooks/after_message": "Asks what shall become of an answer to a person.",
    "stdio host hooks/before_tool_call": "Asks whether a tool may be used.",
    "stdio host hooks/after_tool_call": "Asks what the model shall see of what a tool gave back.",
    "stdio host shutdown": "Tells it to end.",
    "stdio host $/cancel": "Tells that nobody waits for an answer any more.",
    **_QUESTIONS,
}
"""What each is for: a sentence for each side, dialect and method."""

MEMBERS: Mapping[str, Mapping[str, str]] = {
    "request": {
        "jsonrpc": "the version of JSON-RPC",
        "id": "what the answer is known by; no open one of the same side has it",
        "method": "what is asked",
        "params": "what belongs to it",
    },
    "notification": {
        "jsonrpc": "the version of JSON-RPC",
        "method": "what is told",
        "params": "what belongs to it",
    },
    "success": {
        "jsonrpc": "the version of JSON-RPC",
        "id": "that of the request, as it came",
        "result": "the answer",
    },
    "failure": {
        "jsonrpc": "the version of JSON-RPC",
        "id": "that of the request, as it came; null if it could not be read",
        "error": "what went wrong",
    },
    "error": {
        "code": "which error it is",
        "message": "what is wrong, in a sentence",
        "data": "what else there is to say of it",
    },
    "context": {
        "token": "on whose behalf it is; given back as it came, and nothing can be read from it",
        "tier": "what it permits: in `command` acting in the session, in `event` not",
    },
    "render block": {
        "markdown.text": "a text with formatting",
        "keyvalue.rows": "what it shows, from the top",
        "keyvalue.rows[].key": "what stands to the left",
        "keyvalue.rows[].value": "what stands to the right",
        "keyvalue.title": "what stands above",
        "table.columns": "the heads of its columns",
        "table.rows": "its rows; each has a text for each column",
        "diff.patch": "changes to files, as `diff -u` has them",
        "progress.value": "how far it has come; 1 is the end",
        "progress.label": "what has come so far",
        "stack.children": "blocks, one below the other",
        "widget.widget_id": "which widget of the plugin it is",
        "widget.body": "what it shows",
        "widget.keybindings": "keys that people may press; here they are buttons",
        "widget.keybindings[].key": "what the event `widget/key` calls it",
        "widget.keybindings[].description": "what stands on the button; else the key",
        **{
            f"{kind}.text": "what stands for it where it cannot be drawn"
            for kind in ("keyvalue", "table", "diff", "progress", "stack", "widget")
        },
    },
    "registrations": {
        "tools": "tools for models",
        "commands": "slash commands for people",
        "commands[].name": "what it is called, without the slash",
        "commands[].description": "what people are told of it",
        "flags": "names of settings, which `initialize` gives their values",
        "shortcuts": "keys for commands",
        "shortcuts[].key": "the key",
        "shortcuts[].command": "the command that it runs",
        "shortcuts[].description": "what people are told of it",
        "subscriptions": "the events that it wants to be told of, and topics of the bus",
        "providers": "models that it gives access to",
        "hooks": "the points at which it has a say; without this it is asked at each",
        "message_renderers": "how messages with a tag are drawn",
        "message_renderers[].tag": "which messages",
        "message_renderers[].template": "what they look like",
    },
    "tool": {
        "name": "what it is called in `tool/execute`",
        "description": "what the model is told of it",
        "parameters": "JSON Schema of its arguments",
        "deferred": "whether models may look it up only when they need it",
    },
    "provider": {
        "name": "what it is called in `provider/complete`",
        "base_url": "where it is reached; the plugin itself does so",
        "api_key_env": "the variable in which its key stands",
        "oauth": "whether somebody has to log in",
        "models": "its models",
    },
    "model": {
        "id": "what it is called in `provider/complete`",
        "display_name": "what people are shown",
    },
    "completion": {
        "value": "what it is completed to",
        "description": "what people are told of it",
    },
    "hook outcome": {
        "block.reason": "why, for the model or the person",
        "modify.patch": "the members of `input` that shall be otherwise",
    },
    "sep host initialize params": {
        "protocol_version": "the newest version that the host speaks",
        "host": "which host it is",
        "host.name": "its name",
        "host.version": "its version",
        "workspace": "where the plugin works",
        "workspace.root": "the folder, as an absolute path",
        "workspace.trusted": "whether people trust what is in it",
        "mode": "where people see what the plugin shows",
        "session": "the session, if the program serves one alone",
        "session.id": "its id",
        "ui_capabilities": "the kinds of `ui/request` that the host takes",
        "flags": "what the operator has set, by the names of the flags",
        "capabilities_enabled": "which capabilities the plugin has, by their names",
    },
    "sep host initialize result": {
        "protocol_version": "the version that the plugin speaks: no newer one than the host's",
        "extension": "which plugin it is",
        "extension.name": "its name",
        "extension.version": "its version",
        "registrations": "what it offers",
    },
    "sep host event params": {
        "event": "what has happened, such as `turn_end`",
        "seq": "its number among the events of this program, from 0",
        "payload": "what there is to say of it",
    },
    "sep host hook params": {
        "hook": "the point",
        "input": "what it is about",
    },
    "sep host tool/execute params": {
        "call_id": "what this use of it is known by, as in `tool/update`",
        "tool": "its name",
        "arguments": "what the model gave; it fits the tool's schema",
    },
    "sep host tool/execute result": {
        "content": "what the model is given back",
        "is_error": "whether it failed",
        "details": "what else there is to say of it",
    },
    "sep host command/execute params": {
        "command": "its name",
        "arguments": "what was written behind it; here as the text `args`",
    },
    "sep host command/execute result": {"content": "what people are shown"},
    "sep host command/complete params": {
        "command": "its name",
        "partial": "what is typed behind it so far",
    },
    "sep host command/complete result": {"completions": "what it may be completed to"},
    "sep host provider/complete params": {
        "request_id": "what this request is known by, as in `provider/delta`",
        "provider": "the provider's name",
        "model": "the model's id",
        "messages": "what was said so far, the newest last",
        "tools": "what tools the model may ask for",
        "stream": "whether pieces of the answer are wanted as they come, by `provider/delta`",
        "response_format": "what form the answer has to have",
        "thinking": "how hard the model shall think",
    },
    "sep host provider/complete result": {
        "content": "what the model says",
        "tool_calls": "the tools that it wants to be used",
        "tool_calls[].id": "what the use is known by",
        "tool_calls[].name": "the tool",
        "tool_calls[].arguments": "what it is given",
        "finish_reason": "why it says no more",
        "usage": "what it has used up",
        "usage.prompt_tokens": "what was read",
        "usage.completion_tokens": "what was written",
        "usage.total_tokens": "both together",
        "usage.cached_tokens": "what of it was known already",
        "reasoning_content": "what it thought",
        "resolved_model": "which model it was in the end",
    },
    "sep host provider/oauth_login params": _LOGIN,
    "sep host provider/oauth_login result": _CREDENTIALS,
    "sep host provider/oauth_refresh params": _LOGIN,
    "sep host provider/oauth_refresh result": _CREDENTIALS,
    "sep host $/cancel params": {"id": "that of the request"},
    "stdio host initialize params": {
        "agent_version": "the host's version",
        "extension_id": "the plugin's id",
    },
    "stdio host initialize result": {
        "server_version": "the plugin's version",
        **_STDIO_TOOLS,
        "hooks": "the hooks that it has",
    },
    "stdio host tools/list result": _STDIO_TOOLS,
    "stdio host tools/call params": {
        "name": "the tool",
        "arguments": "what the model gave; it fits the tool's schema",
    },
    "stdio host hooks/before_message params": {**_MESSAGE, **_IDS},
    "stdio host hooks/before_message result": _STDIO_ANSWER,
    "stdio host hooks/after_message params": {**_MESSAGE, **_IDS},
    "stdio host hooks/after_message result": _STDIO_ANSWER,
    "stdio host hooks/before_tool_call params": {
        "tool_name": "the tool",
        "arguments": "what it is given",
        **_IDS,
    },
    "stdio host hooks/before_tool_call result": _STDIO_ANSWER,
    "stdio host hooks/after_tool_call params": {
        "tool_name": "the tool",
        "duration_ms": "how long it took, in milliseconds",
        "result": "what it gave back; null if it failed",
        "error": "why it failed; null if it did not",
        **_IDS,
    },
    "stdio host hooks/after_tool_call result": _STDIO_ANSWER,
    "stdio host shutdown params": {"reason": "why"},
    "stdio host $/cancel params": {"id": "that of the request"},
    **_OF_QUESTIONS,
}
"""What each member is for: the end of a sentence. `context` is everywhere the same."""

CONTEXT = "on whose behalf it is"
"""What every `context` is for that is not said otherwise."""
