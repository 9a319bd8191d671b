"""The slash commands: what each does, and what it says."""

from collections.abc import Callable

from bot.access import Action, Authorize, Refused
from bot.conversation.conversation import Conversation
from bot.conversation.conversations import Conversations
from bot.conversation.incoming import CommandCall
from bot.conversation.job_desk import JobDesk

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
        verdict = self._authorize([call.person], action, call.place)
        if isinstance(verdict, Refused):
            return verdict.reason
        conversation = self._conversations.in_place(call.place)
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
                is_on = call.options.get("state") == "on"
                await self._conversations.set_notify(conversation, on=is_on)
                return _NOTIFY_ON if is_on else _NOTIFY_OFF

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


_NOTIFY_ON = "I will say here when a job that was asked for here has settled."
_NOTIFY_OFF = "I will not say when jobs have settled. Ask me, or look at their cards."

_ACTIONS = {
    "pickup": Action.CHANGE_SESSION,
    "hangup": Action.CHANGE_SESSION,
    "notify": Action.CHANGE_SESSION,
    "cancel": Action.TALK,
    "status": Action.TALK,
    "jobs list": Action.TALK,
}


def _described(conversation: Conversation) -> str:
    session = conversation.session
    state = "answering" if conversation.running_turn is not None else "listening"
    waiting = f", {conversation.waiting_turns} waiting" if conversation.waiting_turns else ""
    notify = "on" if session.notify else "off"
    return f"📍 **{session.name}** · {state}{waiting} · notices {notify}"
