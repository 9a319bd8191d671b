"""What is known of a run from the lines of its `claude`. Pure."""

from dataclasses import dataclass, field, replace

from extensions.claude.command import MCP_SERVER
from extensions.claude.events import (
    ActionRefused,
    AssistantMessage,
    Event,
    LimitReported,
    ToolCalled,
    ToolReturned,
    TurnBegan,
    TurnEnded,
)
from extensions.claude.stream import parse_line
from extensions.jobs.line_facts import AnswerUsage, WorkingFolder, fact_of
from extensions.jobs.progress import Progress, ToolUse
from extensions.jobs.tallies import FileTally, TokenTally
from extensions.jobs.tool_details import tool_detail, written_path

REPORT_TOOL = "report_progress"
"""The tool with which a job reports its progress."""

_OUR_TOOLS = f"mcp__{MCP_SERVER}__"

# A job can print what it likes, and each line must cost the same however many came before.
_MOST_AT_WORK = 100
_MOST_REFUSED = 1000
_MOST_SERVERS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTrace:
    """What a run's lines have told so far."""

    progress: Progress = field(default_factory=Progress)
    last_turn: TurnEnded | None = None
    """The end of the last turn that ended."""
    is_in_turn: bool = False
    """Whether a turn has begun after that."""
    limit: LimitReported | None = None
    """What was said last about the usage limit."""
    refused_actions: tuple[str, ...] = ()
    """The tools that were not allowed to do something, once each time."""
    failed_servers: tuple[str, ...] = ()
    """The MCP servers that could not be reached at one time or another."""
    _tools_at_work: frozenset[str] = frozenset()
    _refused_in_turn: tuple[str, ...] = ()
    _turns_before: int = 0
    _is_answering: bool = False
    _files: FileTally = field(default_factory=FileTally)
    _tokens: TokenTally = field(default_factory=TokenTally)

    @property
    def all_refused_actions(self) -> tuple[str, ...]:
        """The refused actions of the turns that have ended, and of the one that has not."""
        return self.refused_actions + self._refused_in_turn

    @property
    def waits_for_bot(self) -> bool:
        """Whether it can only go on once the bot answers: it asks the model, or one of our tools.

        The bot's own tools do not count as being at work.
        """
        return self.is_in_turn and not self._tools_at_work

    def after_line(self, line: bytes) -> "RunTrace":
        """Return what is known once a line was read, too."""
        return self._told(fact_of(line)).after(parse_line(line))

    def after(self, event: Event) -> "RunTrace":
        """Return what is known once `event` was seen, too."""
        match event:
            case TurnBegan():
                return self._began(event)
            case AssistantMessage() | ToolCalled() | ToolReturned():
                return self._worked(event)
            case TurnEnded():
                return self._ended(event)
            case ActionRefused(tool_name=name):
                refused = (*self._refused_in_turn, name)[:_MOST_REFUSED]
                return replace(self, _refused_in_turn=refused)
            case LimitReported():
                return replace(self, limit=event)
            case _:
                return self

    def _began(self, turn: TurnBegan) -> "RunTrace":
        failed = dict.fromkeys(self.failed_servers + turn.failed_servers)
        return replace(self, is_in_turn=True, failed_servers=tuple(failed)[:_MOST_SERVERS])

    def _told(self, fact: AnswerUsage | WorkingFolder | None) -> "RunTrace":
        match fact:
            case WorkingFolder(path=path):
                return replace(self, _files=replace(self._files, folder=path))
            case AnswerUsage():
                tokens = self._tokens.answered(fact)
                progress = replace(self.progress, usage=tokens.total)
                return replace(self, progress=progress, _tokens=tokens)
            case None:
                return self

    def _worked(self, event: AssistantMessage | ToolCalled | ToolReturned) -> "RunTrace":
        # An answer has a line for each of its blocks, and is counted at the first.
        is_answering = not isinstance(event, ToolReturned)
        is_new = is_answering and not self._is_answering
        progress = replace(self.progress, turns=self.progress.turns + is_new)
        at_work, files = self._tools_at_work, self._files
        if isinstance(event, ToolCalled):
            progress = _after_call(progress, event)
            if (path := written_path(event.name, event.arguments)) is not None:
                files = files.begun(event.tool_use_id, path)
            if not event.name.startswith(_OUR_TOOLS) and len(at_work) < _MOST_AT_WORK:
                at_work |= {event.tool_use_id}
        elif isinstance(event, ToolReturned):
            files = files.ended(event.tool_use_id, is_error=event.is_error)
            at_work -= {event.tool_use_id}
        return replace(
            self,
            progress=replace(progress, files_written=files.count, newest_file=files.newest),
            _is_answering=is_answering,
            _tools_at_work=at_work,
            _files=files,
        )

    def _ended(self, turn: TurnEnded) -> "RunTrace":
        # What came as an event stands in the turn's end, too.
        refused = max(turn.refused_actions, self._refused_in_turn, key=len)
        turns, tokens = self._turns_before + turn.turns, self._tokens.turn_ended(turn.usage)
        progress = replace(self.progress, turns=turns, usage=tokens.total, cost_usd=turn.cost_usd)
        return replace(
            self,
            progress=progress,
            last_turn=turn,
            is_in_turn=False,
            refused_actions=(self.refused_actions + refused)[:_MOST_REFUSED],
            _refused_in_turn=(),
            _turns_before=turns,
            _is_answering=False,
            _tools_at_work=frozenset(),
            _files=self._files.all_ended(),
            _tokens=tokens,
        )


def _after_call(progress: Progress, call: ToolCalled) -> Progress:
    if call.name != _OUR_TOOLS + REPORT_TOOL:
        return progress.called(ToolUse(call.name, tool_detail(call.name, call.arguments)))
    match call.arguments:
        case {"message": str(message), "fraction": int(fraction) | float(fraction)}:
            return progress.reported(message, float(fraction))
        case {"message": str(message)}:
            return progress.reported(message, None)
        case _:
            return progress
