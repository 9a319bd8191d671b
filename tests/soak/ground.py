"""The ground on which bots come and go: a house, a model, and what is asked for in it."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from simulator.demo.bot_process import BotProcess, running_bot
from simulator.discord.journal import GatewayOpened, Happening, MessagePosted
from simulator.discord.model import Message
from tests.fakes.house import BOT_COMMAND, House, open_house
from tests.soak.channel import is_card, is_notice
from tests.soak.findings import Findings
from tests.soak.fuse import Fuse
from tests.soak.jobs import JobStep, job_step, names_in
from tests.soak.model import SoakModel
from tests.soak.moments import Moment, Stage

LOGIN_SECONDS = 30.0
_SETTINGS = {"jobs.queue_limit": "1000", "jobs.spawns_per_minute": "1000"}


@dataclass
class Ground:
    """Where bots come and go. Get it from `open_ground`."""

    house: House
    model: SoakModel
    fuse: Fuse
    settings: Mapping[str, str]
    findings: Findings
    questions: list[Message] = field(default_factory=list[Message])
    """What people have asked."""
    missed: list[Moment] = field(default_factory=list[Moment])
    """The moments that were waited for, but did not come."""
    logins: int = 0
    """How often a bot has come to Discord."""
    lives: int = 0
    """How many bots were started."""

    def __str__(self) -> str:
        return f"bot {self.lives} in {self.house.folder.name}"

    @property
    def data(self) -> Path:
        """The folder of the bots' data."""
        return self.house.folder / "data"

    @asynccontextmanager
    async def bot(self) -> AsyncGenerator[BotProcess, None]:
        """Run a bot while the block lasts, or until it is killed."""
        self.lives += 1
        house = self.house
        async with running_bot(
            BOT_COMMAND, house.folder, house.discord, house.api, self.settings
        ) as bot:
            yield bot

    async def logged_in(self, *, after: int) -> None:
        """Wait until a bot has come to Discord once more than `after` times."""
        await self.house.discord.journal.until(
            lambda: self.logins > after or None, timeout_seconds=LOGIN_SECONDS
        )

    def ask(self, names: list[str]) -> None:
        """Have the owner ask for jobs of these names."""
        text = f"Please start {', '.join(names)}."
        self.questions.append(self.house.olga.say(self.house.channel, text))

    def messages(self) -> list[Message]:
        """Return what the bots have posted, the oldest first."""
        return self.house.discord.bot_messages(self.house.channel)

    def observe(self, happening: Happening) -> None:
        """Take note of what happens on Discord, as it happens."""
        match happening:
            case GatewayOpened():
                self.logins += 1
                self.fuse.reached(Stage.LOGIN)
            case MessagePosted(message=message) if message.author == self.house.discord.bot:
                self._posted(message)
            case _:
                return

    def _posted(self, message: Message) -> None:
        if is_notice(message):
            for name in names_in(message.text):
                self.fuse.reached(Stage.NOTICE, name)
        elif is_card(message):
            for name in names_in(message.text.splitlines()[0]):
                self.fuse.reached(Stage.CARD, name)
        elif message.reply_to is not None:
            self.fuse.reached(Stage.ANSWER)


@asynccontextmanager
async def open_ground(
    folder: Path, findings: Findings | None = None, *, step: JobStep = job_step, **settings: str
) -> AsyncGenerator[Ground, None]:
    """Put the stand-ins up while the block lasts, with notices switched on in the channel.

    Args:
        folder: Where everything is kept; must be empty.
        findings: What takes what is seen; a new one if none is given.
        step: What the model says in a job.
        **settings: Further lines of the bots' configuration, with `__` for the point in a key.
    """
    fuse = Fuse()
    model = SoakModel(folder / "data", fuse.reached, step)
    lines = {key.replace("__", "."): value for key, value in settings.items()}
    async with open_house(folder, model) as house:
        ground = Ground(
            house=house,
            model=model,
            fuse=fuse,
            settings={**_SETTINGS, **lines},
            findings=findings or Findings(),
        )
        with house.discord.watched_by(ground.observe):
            async with ground.bot() as bot, asyncio.timeout(LOGIN_SECONDS):
                await bot.connected(house.discord, timeout_seconds=LOGIN_SECONDS)
                await house.notify()
            yield ground
