"""The parts of one simulated Discord, put together."""

from collections.abc import Callable
from dataclasses import dataclass

from simulator.discord.board import Board
from simulator.discord.clock import Clock, Snowflakes
from simulator.discord.faults import Faults
from simulator.discord.gateway import Gateway
from simulator.discord.interactions import Interactions
from simulator.discord.journal import Journal, Observer
from simulator.discord.model import Account, AccountKind
from simulator.discord.settings import Settings
from simulator.discord.world import Guild, World


@dataclass(frozen=True, slots=True, kw_only=True)
class Core:
    """Everything that belongs to one simulated Discord."""

    settings: Settings
    clock: Clock
    world: World
    journal: Journal
    gateway: Gateway
    board: Board
    interactions: Interactions
    faults: Faults


def make_core(
    *, monotonic: Callable[[], float], settings: Settings, observer: Observer | None
) -> Core:
    """Make a Discord with one guild, a bot in it, and nobody else."""
    clock = Clock(monotonic)
    world = _make_world(clock)
    journal = Journal(observer)
    gateway = Gateway(world, journal, settings)
    board = Board(world, journal, gateway, settings)
    return Core(
        settings=settings,
        clock=clock,
        world=world,
        journal=journal,
        gateway=gateway,
        board=board,
        interactions=Interactions(world, board, gateway, settings),
        faults=Faults(),
    )


def _make_world(clock: Clock) -> World:
    ids = Snowflakes(clock)
    now = clock.seconds()
    bot = Account(id=ids.next(), name="papercup", kind=AccountKind.BOT, joined_at_seconds=now)
    owner = Account(id=ids.next(), name="admin", joined_at_seconds=now)
    return World(
        clock=clock,
        ids=ids,
        bot=bot,
        application_owner=owner,
        guild=Guild(id=ids.next(), name="Test server", owner=owner),
        accounts={bot.id: bot, owner.id: owner},
    )
