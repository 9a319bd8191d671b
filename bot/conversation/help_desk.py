"""What Papercup can do, and what a person may have it do: `/help` and `/whoami`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bot.access import TABLE, Action, Person, Place, Reach, Standing
from bot.commands.spec import CommandKind, CommandSpec, Completes
from bot.commands.table import COMMANDS
from bot.conversation.desk import DeskOffer
from bot.conversation.incoming import CommandCall, Completion, Suggestion
from bot.messenger import MessageContent
from bot.quoting import code, plain

Mention = Callable[[str], str]
"""Returns how a command is written so that it can be clicked."""
StandingOf = Callable[[Person, Place], Standing]

_INTRODUCTION = (
    "Mention me and write, or reply to what I said; from a voice channel, `/pickup` has me come and"
    " talk. Work of more than one step goes to a background job: go on talking meanwhile, and ask"
    " how it is getting on."
)
_HEADINGS = (
    ("Conversation", ("pickup", "hangup", "new", "cancel", "status")),
    ("Voice", ("voice", "say")),
    ("Sessions", ("sessions", "resume", "rename")),
    ("Settings of the session", ("model", "effort", "permissions", "mcp", "notify", "streaming")),
    ("Jobs", ("jobs",)),
    ("Channels", ("bind", "unbind")),
    ("Plugins", ("plugin", "x")),
    ("You", ("whoami", "help")),
)
_MOST_ADDED = 20
_LONGEST_DESCRIPTION = 100
_REACHES = {
    Reach.ALL: "✅",
    Reach.SERVER: "✅",
    Reach.OWN: "☑️",
    Reach.NONE: "🚫",
}
_WHAT = {
    Action.TALK: "talk to me",
    Action.SPAWN: "start jobs",
    Action.SEE_JOB: "see jobs",
    Action.CANCEL_JOB: "cancel jobs",
    Action.ANSWER: "answer what jobs ask",
    Action.CHANGE_SESSION: "change sessions",
    Action.RUN_FREELY: "let a speaker act without asking",
    Action.BIND: "bind channels",
    Action.ADMINISTER: "change how I work in the server",
    Action.HEAR_OF_ALL: "hear of everyone's jobs",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpDesk:
    """Tells people what there is for them."""

    standing_of: StandingOf
    mention: Mention
    commands: Sequence[CommandSpec] = COMMANDS
    more: Callable[[], Sequence[CommandSpec]] = tuple
    """Returns the commands that were added to these."""

    def offer(self) -> DeskOffer:
        """Return what this desk takes care of."""
        return DeskOffer(
            commands={"help": self._help, "whoami": self._who_am_i},
            completers={Completes.COMMAND: self._complete},
        )

    async def _help(self, call: CommandCall) -> MessageContent:
        standing = self.standing_of(call.person, call.place)
        wanted = str(call.options.get("command") or "").strip().lstrip("/")
        if not wanted:
            return MessageContent(text=self._overview(standing))
        for spec in (*self.commands, *self.more()):
            if spec.name.lower() == wanted.lower():
                return MessageContent(text=self._described(spec))
        return MessageContent(
            text=f"There is no command {code(wanted, 50)}. {self.mention('help')} lists them all."
        )

    async def _who_am_i(self, call: CommandCall) -> MessageContent:
        standing = self.standing_of(call.person, call.place)
        lines = [f"You are **{plain(call.person.name, 60)}**; here that is: **{standing}**."]
        lines += [_right(action, TABLE[action][standing]) for action in Action]
        return MessageContent(text="\n".join(lines))

    async def _complete(self, completion: Completion) -> Sequence[Suggestion]:
        typed = completion.typed.strip().lstrip("/").lower()
        return [
            Suggestion(label=f"{_shown(spec)}: {spec.description}", value=spec.name)
            for spec in (*self.commands, *self.more())
            if typed in spec.name.lower()
        ]

    def _overview(self, standing: Standing) -> str:
        usable = [spec for spec in self.commands if _is_for(spec, standing)]
        lines = [_INTRODUCTION]
        for heading, tops in _HEADINGS:
            found = [
                self.mention(spec.name)
                for spec in usable
                if spec.kind is CommandKind.SLASH and spec.name.split()[0] in tops
            ]
            lines += [f"**{heading}**: {' '.join(found)}"] if found else []
        added = [self.mention(spec.name) for spec in self.more() if _is_for(spec, standing)]
        lines += [f"**Of plugins**: {' '.join(added[:_MOST_ADDED])}"] if added else []
        menus = [f"*{spec.name}*" for spec in usable if spec.kind is CommandKind.MESSAGE]
        lines += [f"**In the menu of a message**, under Apps: {', '.join(menus)}"] if menus else []
        lines.append(f"{self.mention('help')} with a command's name tells more of it.")
        return "\n".join(lines)

    def _described(self, spec: CommandSpec) -> str:
        shown = self.mention(spec.name) if spec.kind is CommandKind.SLASH else f"*{spec.name}*"
        described = spec.description
        if all(spec is not own for own in self.commands):
            described = plain(described, _LONGEST_DESCRIPTION)
        lines = [f"{shown}: {described}"]
        for option in spec.options:
            choices = f" One of: {', '.join(option.choices)}." if option.choices else ""
            must = "" if option.required else " (may be left out)"
            lines.append(f"- `{option.name}`{must}: {option.description}{choices}")
        who = [s for s in Standing if TABLE[spec.action][s] is not Reach.NONE]
        lines.append(f"-# For: {', '.join(who)}.")
        return "\n".join(lines)


def _is_for(spec: CommandSpec, standing: Standing) -> bool:
    return TABLE[spec.action][standing] is not Reach.NONE


def _shown(spec: CommandSpec) -> str:
    return f"/{spec.name}" if spec.kind is CommandKind.SLASH else spec.name


def _right(action: Action, reach: Reach) -> str:
    narrowed = {Reach.SERVER: ": those of this server, and your own", Reach.OWN: ": your own"}
    return f"{_REACHES[reach]} {_WHAT[action]}{narrowed.get(reach, '')}"
