"""The slash commands: what each does, and what it says."""

from collections.abc import Callable

from bot.access import Action, Authorize, Belonging, Refused
from bot.conversation.conversation import Conversation
from bot.conversation.conversations import Conversations
from bot.conversation.incoming import CommandCall
from bot.conversation.job_desk import JobDesk
from bot.conversation.session import Notify

NOT_OPEN = "No conversation is open here. Call `/pickup`, or mention me."
NOTHING_RUNS = "Nothing is in flight here."


class CommandDesk:
    """Carries out commands."""

    def __init__(
        self,
        *,
        authorize: Authorize,
        conversations: Conversations,
        jobs: JobDesk,
        describe_bot: Callable[[], str],
    ) -> None:
        """Make it.

        Args:
            authorize: Who may do what.
            conversations: The open ones.
            jobs: What is to be said of jobs.
            describe_bot: Says how the bot itself is, in a few lines.
        """
        self._authorize = authorize
        self._conversations = conversations
        self._jobs = jobs
        self._describe_bot = describe_bot

    async def carry_out(self, call: CommandCall) -> str:
        """Carry out a command, and return what to say."""
        action = _ACTIONS.get(call.name)
        if action is None:
            return f"I do not know the command `/{call.name}` any more. Try again in a minute."
        conversation = self._conversations.in_place(call.place)
        verdict = self._authorize(
            [call.person], action, call.place, about=_whose(conversation, call)
        )
        if isinstance(verdict, Refused):
            return verdict.reason
        match call.name:
            case "pickup":
                return await self._pick_up(call)
            case "jobs list":
                return await self._jobs.listed(call.person, call.place)
            case "status":
                return await self._status(call, conversation)
            case _:
                return await self._with_conversation(call, conversation)

    async def _with_conversation(self, call: CommandCall, conversation: Conversation | None) -> str:
        if conversation is None:
            return NOT_OPEN
        match call.name:
            case "hangup":
                await self._conversations.close(call.place)
                return f"Hung up on **{conversation.session.name}**. Its jobs go on."
            case "cancel":
                was_running = await conversation.cancel()
                return "Cancelled what I was answering." if was_running else NOTHING_RUNS
            case _:
                return await self._notify(call, conversation)

    async def _notify(self, call: CommandCall, conversation: Conversation) -> str:
        notify = Notify(str(call.options.get("state")))
        if notify is Notify.ALL:
            verdict = self._authorize([call.person], Action.HEAR_OF_ALL, call.place)
            if isinstance(verdict, Refused):
                return verdict.reason
        await self._conversations.set_notify(conversation, notify)
        is_shared = call.place.guild_id is not None
        return _NOTIFY_ALL_HERE if notify is Notify.ALL and is_shared else _NOTIFY[notify]

    async def _pick_up(self, call: CommandCall) -> str:
        conversation, is_new = await self._conversations.open(call.place, call.person)
        conversation.warm_up()
        name = conversation.session.name
        if not is_new:
            return f"**{name}** is open here already. `/hangup` ends it."
        return f"Picked up: **{name}**. Mention me and talk; `/notify on` tells when jobs are done."

    async def _status(self, call: CommandCall, conversation: Conversation | None) -> str:
        lines = [NOT_OPEN if conversation is None else _described(conversation)]
        lines.append(self._describe_bot())
        lines.append(await self._jobs.listed(call.person, call.place))
        return "\n".join(lines)


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

_ACTIONS = {
    "pickup": Action.TALK,
    "hangup": Action.CHANGE_SESSION,
    "notify": Action.CHANGE_SESSION,
    "cancel": Action.TALK,
    "status": Action.TALK,
    "jobs list": Action.TALK,
}


def _whose(conversation: Conversation | None, call: CommandCall) -> Belonging:
    """Return whose conversation a command is about: that in its place, else one still to open."""
    if conversation is None:
        return Belonging(person_id=call.person.id, guild_id=call.place.guild_id)
    session = conversation.session
    return Belonging(person_id=session.opened_by, guild_id=session.place.guild_id)


def _described(conversation: Conversation) -> str:
    session = conversation.session
    state = "answering" if conversation.running_turn is not None else "listening"
    waiting = f", {conversation.waiting_turns} waiting" if conversation.waiting_turns else ""
    return f"📍 **{session.name}** · {state}{waiting} · notices {session.notify}"
