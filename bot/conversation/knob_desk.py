"""How the session of a place is set: its model, effort, permissions, servers, notices, progress."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from bot.access import Action, Authorize, Refused
from bot.commands.spec import Completes
from bot.commands.table import DEFAULT
from bot.conversation.asked_session import NO_MODEL
from bot.conversation.conversation import Conversation
from bot.conversation.conversations import Conversations
from bot.conversation.desk import CommandHandler, DeskOffer
from bot.conversation.incoming import CommandCall, Completion, Suggestion
from bot.conversation.names import model_name
from bot.conversation.session import Notify, Streaming
from bot.conversation.session_rights import RefusalOf, mode_refusal
from bot.conversation.session_words import NOT_OPEN, as_message
from bot.messenger import MessageContent
from bot.quoting import code
from bot.speaker.speaker import Knobs, PermissionMode

NO_SERVERS = "The configuration holds no MCP servers; whoever runs me can add some to `[mcp]`."

_NEXT = "from the next answer on"
_LONGEST_NAME = 80
_LABEL_LENGTH = 100

_Handler = Callable[[CommandCall, Conversation], Awaitable[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnobDesk:
    """Carries out the commands that set something of the session where they are called."""

    authorize: Authorize
    conversations: Conversations
    refusal_of: RefusalOf
    models: Sequence[str]
    """What `/model` offers."""
    mcp_servers: Sequence[str]
    """The names of those in the configuration."""

    def offer(self) -> DeskOffer:
        """Return what this desk takes care of."""
        handlers = {
            "model": self._model,
            "effort": self._effort,
            "permissions": self._permissions,
            "mcp list": self._list_servers,
            "mcp enable": self._enable_server,
            "mcp disable": self._disable_server,
            "notify": self._notify,
            "streaming": self._streaming,
        }
        return DeskOffer(
            commands={name: self._with_conversation(do) for name, do in handlers.items()},
            completers={
                Completes.MODEL: self._complete_model,
                Completes.MCP_SERVER: self._complete_server,
            },
        )

    def _with_conversation(self, handler: _Handler) -> CommandHandler:
        async def handle(call: CommandCall) -> MessageContent:
            conversation = self.conversations.in_place(call.place)
            text = NOT_OPEN if conversation is None else await handler(call, conversation)
            return MessageContent(text=text)

        return handle

    async def _model(self, call: CommandCall, conversation: Conversation) -> str:
        wanted = str(call.options.get("name") or "")
        name = model_name(wanted)
        if wanted and name is None:
            return NO_MODEL
        knobs = replace(conversation.session.knobs, model=name)
        what = "the usual model" if name is None else code(name, _LONGEST_NAME)
        return await self._turn(conversation, knobs, f"I answer with {what} {_NEXT}.")

    async def _effort(self, call: CommandCall, conversation: Conversation) -> str:
        level = str(call.options["level"])
        effort = None if level == DEFAULT else level
        knobs = replace(conversation.session.knobs, effort=effort)
        how = "as hard as usual" if effort is None else f"with effort `{effort}`"
        return await self._turn(conversation, knobs, f"I think {how} {_NEXT}.")

    async def _permissions(self, call: CommandCall, conversation: Conversation) -> str:
        wanted = str(call.options["mode"])
        mode = None if wanted == DEFAULT else PermissionMode(wanted)
        if mode is not None and (refusal := self._mode_refusal(mode, call)) is not None:
            return refusal
        knobs = replace(conversation.session.knobs, permission_mode=mode)
        text = f"From the next answer on, {_MODES[mode]}."
        if mode is not None and mode.needs_jail and call.place.guild_id is not None:
            text += _OWNERS_ALONE
        return await self._turn(conversation, knobs, text)

    def _mode_refusal(self, mode: PermissionMode, call: CommandCall) -> str | None:
        return mode_refusal(mode, call.person, call.place, self.authorize, self.refusal_of)

    async def _list_servers(self, _: CommandCall, conversation: Conversation) -> str:
        enabled = conversation.session.knobs.mcp_servers
        if not self.mcp_servers and not enabled:
            return NO_SERVERS
        lines = [f"MCP servers of **{conversation.session.name}**:"]
        for name in sorted({*self.mcp_servers, *enabled}):
            is_gone = name not in self.mcp_servers
            state = "not configured any more" if is_gone else "on" if name in enabled else "off"
            lines.append(f"{'🟢' if state == 'on' else '⚪'} {code(name, _LONGEST_NAME)} · {state}")
        return as_message(lines)

    async def _enable_server(self, call: CommandCall, conversation: Conversation) -> str:
        name, enabled = str(call.options["name"]), conversation.session.knobs.mcp_servers
        shown = code(name, _LONGEST_NAME)
        if name not in self.mcp_servers:
            return f"The configuration holds no MCP server {shown}. `/mcp list` shows all."
        if name in enabled:
            return f"{shown} is on already."
        knobs = replace(conversation.session.knobs, mcp_servers=enabled | {name})
        return await self._turn(conversation, knobs, f"I may use {shown} here {_NEXT}.")

    async def _disable_server(self, call: CommandCall, conversation: Conversation) -> str:
        name, enabled = str(call.options["name"]), conversation.session.knobs.mcp_servers
        shown = code(name, _LONGEST_NAME)
        if name not in enabled:
            return f"{shown} is not on here. `/mcp list` shows all."
        knobs = replace(conversation.session.knobs, mcp_servers=enabled - {name})
        return await self._turn(conversation, knobs, f"I do not use {shown} here {_NEXT}.")

    async def _notify(self, call: CommandCall, conversation: Conversation) -> str:
        notify = Notify(str(call.options["state"]))
        if notify is Notify.ALL:
            verdict = self.authorize([call.person], Action.HEAR_OF_ALL, call.place)
            if isinstance(verdict, Refused):
                return verdict.reason
        if not await self.conversations.set_notify(conversation, notify):
            return NOT_OPEN
        is_shared = call.place.guild_id is not None
        return _NOTIFY_ALL_HERE if notify is Notify.ALL and is_shared else _NOTIFY[notify]

    async def _streaming(self, call: CommandCall, conversation: Conversation) -> str:
        streaming = Streaming(str(call.options["detail"]))
        session = replace(conversation.session, streaming=streaming)
        if not await self.conversations.change(conversation, session):
            return NOT_OPEN
        return _STREAMING[streaming]

    async def _turn(self, conversation: Conversation, knobs: Knobs, text: str) -> str:
        """Set a session's knobs, and return what is to be said of it."""
        session = replace(conversation.session, knobs=knobs)
        return text if await self.conversations.change(conversation, session) else NOT_OPEN

    async def _complete_model(self, completion: Completion) -> Sequence[Suggestion]:
        return _suggestions(self.models, completion.typed)

    async def _complete_server(self, completion: Completion) -> Sequence[Suggestion]:
        conversation = self.conversations.in_place(completion.place)
        enabled = frozenset[str]()
        if conversation is not None:
            enabled = conversation.session.knobs.mcp_servers
        is_disabling = completion.command == "mcp disable"
        names = enabled if is_disabling else frozenset(self.mcp_servers) - enabled
        return _suggestions(sorted(names), completion.typed)


def _suggestions(names: Sequence[str], typed: str) -> list[Suggestion]:
    wanted = typed.strip().lower()
    fitting = [name for name in names if wanted in name.lower() and len(name) <= _LABEL_LENGTH]
    return [Suggestion(label=name, value=name) for name in fitting]


_MODES = {
    None: "I have the usual permissions",
    PermissionMode.DONT_ASK: "I do only what I was allowed beforehand",
    PermissionMode.ACCEPT_EDITS: "I write and edit files in my own folder without asking",
    PermissionMode.PLAN: "I only look, and make plans",
    PermissionMode.AUTO: "I judge by myself what I may do, without asking",
    PermissionMode.BYPASS: "I do everything without asking",
}
_OWNERS_ALONE = (
    " As long as it is so, only Papercup's owners are answered here; what others have said here"
    " before stays in its memory."
)
_NOTIFY = {
    Notify.OFF: "I will not say when jobs have settled. Ask me, or look at their cards.",
    Notify.ON: "I will say here when a job that was asked for here has settled.",
    Notify.ALL: "I will say here when any job has settled, whoever asked for it.",
}
_NOTIFY_ALL_HERE = (
    "I will say here when a job has settled, whoever asked for it; but of what was asked for in"
    " other channels only what everyone may see who has talked to me here, and never of what was"
    " asked for in another server or in direct messages."
)
_STREAMING = {
    Streaming.OFF: "I show the answer alone.",
    Streaming.SUMMARY: "While I work on an answer, a line tells what I am doing.",
    Streaming.FULL: "While I work on an answer, a card shows my newest steps and thoughts.",
}
