"""The parts of one simulated Discord, put together."""

from collections.abc import Callable
from dataclasses import dataclass

from simulator.discord.board import Board
from simulator.discord.clock import Clock, Snowflakes
from simulator.discord.faults import Faults
from simulator.discord.gateway import Gateway
from simulator.discord.herald import Herald
from simulator.discord.interactions import Interactions
from simulator.discord.journal import Journal, Observer
from simulator.discord.model import Account, AccountKind, Guild
from simulator.discord.opening import Opening
from simulator.discord.permissions import BOTS_PERMISSIONS
from simulator.discord.pins import Pins
from simulator.discord.places import Places
from simulator.discord.reactions import Reactions
from simulator.discord.settings import Settings
from simulator.discord.threads import Threads
from simulator.discord.voice.calls import Calls
from simulator.discord.voice.gateway import VoiceGateway
from simulator.discord.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Core:
    """Everything that belongs to one simulated Discord."""

    settings: Settings
    clock: Clock
    world: World
    journal: Journal
    gateway: Gateway
    herald: Herald
    threads: Threads
    places: Places
    board: Board
    opening: Opening
    pins: Pins
    reactions: Reactions
    interactions: Interactions
    faults: Faults
    calls: Calls
    voice_gateway: VoiceGateway


def make_core(
    *, monotonic: Callable[[], float], settings: Settings, observer: Observer | None
) -> Core:
    """Make a Discord with one guild, a bot in it, and nobody else."""
    clock = Clock(monotonic)
    world = _make_world(clock)
    journal = Journal(observer)
    gateway = Gateway(world, journal, settings)
    herald = Herald(world, gateway)
    threads = Threads(world, herald)
    calls = Calls(world, gateway, journal, settings.voice)
    board = Board(world, journal, herald, threads, settings)
    return Core(
        settings=settings,
        clock=clock,
        world=world,
        journal=journal,
        gateway=gateway,
        herald=herald,
        threads=threads,
        places=Places(world, gateway, threads, calls),
        board=board,
        opening=Opening(world, board, threads),
        pins=Pins(world, board, herald),
        reactions=Reactions(world, herald),
        interactions=Interactions(world, board, gateway, settings),
        faults=Faults(),
        calls=calls,
        voice_gateway=VoiceGateway(calls),
    )


def _make_world(clock: Clock) -> World:
    ids = Snowflakes(clock)
    now = clock.seconds()
    bot = Account(id=ids.next(), name="papercup", kind=AccountKind.BOT, joined_at_seconds=now)
    owner = Account(id=ids.next(), name="admin", joined_at_seconds=now)
    world = World(
        clock=clock,
        ids=ids,
        bot=bot,
        application_owner=owner,
        guild=Guild(id=ids.next(), name="Test server", owner=owner),
        accounts={bot.id: bot, owner.id: owner},
    )
    role = world.add_role(bot.name, permissions=BOTS_PERMISSIONS, is_managed=True)
    world.members_roles[bot.id] = {role.id}
    return world
