"""What the operator said of plugins, as it is kept."""

from dataclasses import replace
from pathlib import Path

from extensions.plugins.manifest import Scope
from extensions.plugins.trust import TrustFacts
from extensions.plugins.trust_store import TrustStore
from tests.extensions.plugins.test_trust import DICE, LATER, RECORD
from tests.fakes.inline_database import InlineDatabase

TOLD = replace(
    RECORD, capabilities=("offer models tools", "keep values"), packages="sha256:" + "c" * 64
)


async def test_what_was_said_of_a_plugin_is_known_of_it_alone() -> None:
    store = TrustStore(InlineDatabase())
    await store.keep(TOLD)
    elsewhere = replace(DICE, folder=Path("/tmp/dice"))
    of_a_project = replace(DICE, scope=Scope.PROJECT)

    assert await store.facts(DICE, configured_hash="sha256:x") == TrustFacts(
        record=TOLD, configured_hash="sha256:x"
    )
    for other in (elsewhere, of_a_project):
        assert await store.facts(other, configured_hash=None) == TrustFacts()


async def test_what_is_said_last_counts_and_may_be_a_refusal() -> None:
    store = TrustStore(InlineDatabase())
    refused = replace(TOLD, hash=LATER.text, grant=None)
    await store.keep(TOLD)
    await store.keep(refused)

    assert await store.records() == [refused]


async def test_what_was_said_of_an_id_is_forgotten_wherever_that_is() -> None:
    store = TrustStore(InlineDatabase())
    coin = replace(TOLD, folder=Path("/tmp/coin"), plugin_id="coin")
    for record in (TOLD, replace(TOLD, scope=Scope.SMOOTH), coin):
        await store.keep(record)

    assert await store.forget("dice") == 2
    assert await store.forget("dice") == 0
    assert await store.records() == [coin]


async def test_projects_are_trusted_by_their_folders() -> None:
    store = TrustStore(InlineDatabase())
    shop, shed = Path("/work/shop"), Path("/work/shed")

    assert await store.trust_project(shop, at=2.0)
    assert not await store.trust_project(shop, at=3.0)
    assert await store.trust_project(shed, at=4.0)
    assert await store.projects() == {shed: 4.0, shop: 2.0}
    facts = await store.facts(DICE, configured_hash=None)
    assert facts.trusted_projects == {shop, shed}
    assert await store.untrust_project(shop)
    assert not await store.untrust_project(shop)
    assert await store.projects() == {shed: 4.0}
