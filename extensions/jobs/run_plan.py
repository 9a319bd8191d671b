"""How a run is carried out on this machine, as data. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from extensions.claude.command import JobOptions, claude_environment, job_command
from extensions.claude.skills import SkillShelf
from extensions.claude.stream import user_message
from extensions.jobs.backend import RunRequest
from extensions.process.detached import RunnerSecrets, RunnerSpec
from extensions.process.interpreter import program_command
from extensions.process.jail.bubblewrap import API_URL, MCP_URL, Jail, JailPolicy
from extensions.process.limits import ProcessLimits

BRIEF = Path(__file__).resolve().with_name("brief.md")
"""What each job is told besides its task."""

GO_ON = "You were interrupted. Look at what of your work is there already, and go on from there."
"""What a run is told that goes on where another one stopped: Claude knows the task itself."""

_PATH = "/usr/local/bin:/usr/bin:/bin"


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalSettings:
    """How runs are carried out."""

    claude: Path
    """The `claude` program, where no link stands in its path."""
    tools: tuple[str, ...] = ("Read", "Write", "Edit", "Glob", "Grep", "Bash")
    """Claude's own tools; without a jail Bash is not among them."""
    permission_mode: str = "acceptEdits"
    max_turns: int = 100
    model: str | None = None
    effort: str | None = None
    api_retries: int = 10
    """How often a call of the model is made again that failed; 10 take about three minutes."""
    is_jail_required: bool = False
    """Whether nothing is run without a jail."""
    run_seconds: float = 3600.0
    """How long a run may take."""
    grace_seconds: float = 5.0
    """How long it may take to end when it is told to; then it is killed."""
    output_limit_bytes: int = 200 * 1024 * 1024
    """How much `claude` may print."""
    limits: ProcessLimits = field(default_factory=lambda: ProcessLimits(file_bytes=4 * 1024**3))
    """What each of its processes may use."""
    memory_bytes: int = 4096 * 1024 * 1024
    """How much memory all of its processes may use together; in a jail, `/tmp` may take as much."""
    processes: int = 256
    """How many processes it may consist of."""
    cgroups: tuple[Path, ...] = ()
    """The control groups in which runs get one of their own; if there are none, the runner looks
    at the processes a few times a second."""
    skills: SkillShelf = field(default_factory=SkillShelf)
    """The skills that each run gets that starts from now on."""

    def tools_in(self, jail: Jail | None) -> tuple[str, ...]:
        """Return the tools of a run in that jail, or in none."""
        if jail is not None:
            return self.tools
        # What a shell does, only a jail can confine.
        return tuple(tool for tool in self.tools if not tool.startswith("Bash"))


@dataclass(frozen=True, slots=True)
class RunFolders:
    """Where a job's runs keep what is not the job's to see."""

    job: Path

    def control(self, run_number: int) -> Path:
        """Return the folder of the runner's own files."""
        return self.job / str(run_number)

    def knows_session(self, claude_session_id: str) -> bool:
        """Say whether Claude can go on with that session."""
        sessions = self.home.glob(f".claude/projects/*/{claude_session_id}.jsonl")
        return next(sessions, None) is not None

    @property
    def home(self) -> Path:
        """Claude's home, which all runs share."""
        return self.job / "home"

    @property
    def tmp(self) -> Path:
        """Where a run without a jail puts what is temporary."""
        return self.job / "tmp"

    @property
    def sockets(self) -> Path:
        """Where a run in a jail finds the bot."""
        return self.job / "sock"

    @property
    def all_but_control(self) -> Sequence[Path]:
        """The folders that must be there before a run starts, in the order of their making."""
        return (self.job, self.home, self.tmp, self.sockets)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """What a runner is told."""

    spec: RunnerSpec
    secrets: RunnerSecrets


@dataclass(frozen=True, slots=True, kw_only=True)
class Planner:
    """Makes plans of runs."""

    settings: LocalSettings
    jail: Jail | None
    """What runs are put into; `None` if no jail works here."""
    mcp_url: str
    """The MCP server, for runs without a jail."""
    api_url: str
    """The model gateway, for runs without a jail."""

    def plan(
        self,
        request: RunRequest,
        folders: RunFolders,
        *,
        message_uuid: str,
        is_resumed: bool,
        asks_plugins: bool = False,
    ) -> RunPlan:
        """Return how a run is carried out.

        Args:
            request: What is asked for.
            folders: Where it keeps things.
            message_uuid: The id of its first message.
            is_resumed: Whether Claude knows its session; else it is given the task.
            asks_plugins: Whether plugins have a say in what it does.
        """
        command = self._claude_command(request, is_resumed=is_resumed, asks_plugins=asks_plugins)
        message = _first_message(request, is_resumed=is_resumed)
        first_line = user_message(message, uuid=message_uuid).decode()
        if self.jail is None:
            environment = self._environment(request, folders, self.mcp_url, self.api_url)
            spec = self._spec(request, command, first_line=first_line)
            return RunPlan(spec=spec, secrets=RunnerSecrets(environment=environment))
        policy = JailPolicy(
            folder=Path(request.folder),
            home=folders.home,
            sockets_folder=folders.sockets,
            read_only=(self.settings.claude, BRIEF, *self.settings.skills.folders),
            environment=self._environment(request, folders, MCP_URL, API_URL),
            tmp_bytes=self.settings.memory_bytes,
        )
        jailed = self.jail.command(policy, command)
        spec = self._spec(request, jailed.command, first_line=first_line, wrappers=jailed.wrappers)
        return RunPlan(spec=spec, secrets=RunnerSecrets(descriptors=jailed.descriptors))

    def _spec(
        self, request: RunRequest, command: Sequence[str], *, first_line: str, wrappers: int = 0
    ) -> RunnerSpec:
        settings = self.settings
        return RunnerSpec(
            command=tuple(command),
            cwd=Path(request.folder),
            first_line=first_line,
            wrappers=wrappers,
            timeout_seconds=settings.run_seconds,
            grace_seconds=settings.grace_seconds,
            output_limit_bytes=settings.output_limit_bytes,
            limits=settings.limits,
            memory_bytes=settings.memory_bytes,
            processes=settings.processes,
            cgroups=settings.cgroups,
        )

    def _claude_command(
        self, request: RunRequest, *, is_resumed: bool, asks_plugins: bool
    ) -> list[str]:
        settings = self.settings
        return job_command(
            JobOptions(
                claude=settings.claude,
                claude_session_id=request.claude_session_id,
                is_resumed=is_resumed,
                append_system_prompt_file=BRIEF,
                tools=settings.tools_in(self.jail),
                permission_mode=settings.permission_mode,
                max_turns=settings.max_turns,
                model=settings.model,
                effort=settings.effort,
                hook_relay=self._hook_relay if asks_plugins else None,
                skills=settings.skills.folders,
                may_open_skills=self.jail is not None,
            )
        )

    @property
    def _hook_relay(self) -> list[str]:
        return program_command("hook_relay") if self.jail is None else self.jail.hook_relay

    def _environment(
        self, request: RunRequest, folders: RunFolders, mcp_url: str, api_url: str
    ) -> dict[str, str]:
        return claude_environment(
            home=folders.home,
            tmp=folders.tmp,
            path=_PATH,
            token=request.token,
            mcp_url=mcp_url,
            api_url=api_url,
            max_retries=self.settings.api_retries,
        )


def _first_message(request: RunRequest, *, is_resumed: bool) -> str:
    if is_resumed:
        return GO_ON
    if request.run_number == 1:
        return request.task
    # Claude was killed before it wrote down what it was told, but may have done some of it.
    return f"{GO_ON} The task was:\n\n{request.task}"
