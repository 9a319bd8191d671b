import pytest

from extensions.hooks import NOWHERE
from extensions.plugins.bus import publish
from extensions.plugins.fields import Fields
from extensions.plugins.manifest import Capabilities
from extensions.plugins.registrations import Registrations
from tests.fakes.served_plugin import FakeServedPlugin, FakeServingHost

LISTENS = Registrations(subscriptions=frozenset({"bus/event"}))


@pytest.fixture
def host() -> FakeServingHost:
    return FakeServingHost()


def test_all_others_that_listen_are_told_and_the_sender_is_not(host: FakeServingHost) -> None:
    sender = FakeServedPlugin(id="a", host=host, registrations=LISTENS)
    listener = FakeServedPlugin(id="b", host=host, registrations=LISTENS)
    another = FakeServedPlugin(id="c", host=host, registrations=LISTENS)
    deaf = FakeServedPlugin(id="d", host=host)

    answer = publish(sender, Fields({"topic": "news", "payload": {"n": 1}}))

    said = {"from": "a", "topic": "news", "payload": {"n": 1}}
    assert answer == {}
    assert listener.told == another.told == [("bus/event", said, NOWHERE)]
    assert sender.told == deaf.told == []


def test_a_plugin_may_listen_to_one_topic(host: FakeServingHost) -> None:
    sender = FakeServedPlugin(id="a", host=host)
    listener = FakeServedPlugin(
        id="b", host=host, registrations=Registrations(subscriptions=frozenset({"news"}))
    )

    publish(sender, Fields({"topic": "gossip"}))
    publish(sender, Fields({"topic": "news"}))

    assert [payload["topic"] for _, payload, _ in listener.told] == ["news"]


@pytest.mark.parametrize(
    ("capabilities", "hears"),
    [
        (Capabilities(), False),
        (Capabilities(events=frozenset({"turn_end"})), False),
        (Capabilities(events=frozenset({"bus/event"})), True),
        (Capabilities(bus=True), True),
    ],
)
def test_only_those_hear_whose_manifest_says_so(
    host: FakeServingHost, *, capabilities: Capabilities, hears: bool
) -> None:
    sender = FakeServedPlugin(id="a", host=host)
    listener = FakeServedPlugin(id="b", host=host, registrations=LISTENS, capabilities=capabilities)

    publish(sender, Fields({"topic": "news", "payload": {}}))

    assert bool(listener.told) is hears
