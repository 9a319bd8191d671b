"""What becomes of a packet on its way. Pure: chance is handed in."""

from random import Random

from simulator.discord.voice.settings import Network


def delays_of(network: Network, random: Random) -> tuple[float, ...]:
    """Return how late, in seconds, a packet arrives each time; empty: never."""
    if random.random() < network.loss:
        return ()
    times = 2 if random.random() < network.duplication else 1
    return tuple(_delay(network, random) for _ in range(times))


def _delay(network: Network, random: Random) -> float:
    late = random.uniform(0.0, network.jitter_seconds)
    held_back = random.random() < network.reordering
    return late + (network.held_back_seconds if held_back else 0.0)
