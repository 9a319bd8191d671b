import pytest

from bot.access import (
    NO_AUTOMATONS,
    NOT_ON_THE_LIST,
    NOT_YOURS,
    Access,
    AccessPolicy,
    Action,
    Allowed,
    Person,
    Place,
    Verdict,
)

OWNER = Person(id=1, name="olga")
USER = Person(id=2, name="uwe")
STRANGER = Person(id=3, name="sven")
BOT = Person(id=1, name="olga", is_automatic=True)
HERE = Place(guild_id=10, channel_id=11)

POLICY = AccessPolicy(owner_ids=frozenset({1}), allowed_user_ids=frozenset({2}))


@pytest.mark.parametrize("action", list(Action))
@pytest.mark.parametrize(
    ("actors", "job_owner_id", "verdict"),
    [
        ([OWNER], 2, Allowed()),
        ([USER], 2, Allowed()),
        ([STRANGER], 3, NOT_ON_THE_LIST),
        ([BOT], 1, NO_AUTOMATONS),
        ([OWNER, STRANGER], 1, NOT_ON_THE_LIST),
        ([], 1, NOT_ON_THE_LIST),
    ],
)
def test_every_action_has_the_same_answer_for_one_who_owns_the_job(
    action: Action, actors: list[Person], job_owner_id: int, verdict: Verdict
) -> None:
    assert POLICY.authorize(actors, action, HERE, job_owner_id=job_owner_id) == verdict


@pytest.mark.parametrize("action", [Action.SEE_JOB, Action.CANCEL_JOB])
@pytest.mark.parametrize("job_owner_id", [1, 3, None])
def test_a_user_may_do_nothing_with_the_job_of_another(
    action: Action, job_owner_id: int | None
) -> None:
    assert POLICY.authorize([USER], action, HERE, job_owner_id=job_owner_id) == NOT_YOURS


def test_with_an_empty_list_only_the_owner_is_answered() -> None:
    policy = AccessPolicy(owner_ids=frozenset({1}), allowed_user_ids=frozenset())

    assert policy.authorize([OWNER], Action.TALK, HERE) == Allowed()
    assert policy.authorize([USER], Action.TALK, HERE) == NOT_ON_THE_LIST


def test_before_the_owner_is_known_nobody_is_let_in() -> None:
    access = Access(AccessPolicy(owner_ids=frozenset(), allowed_user_ids=frozenset()))

    assert access.authorize([OWNER], Action.TALK, HERE) == NOT_ON_THE_LIST


def test_the_owner_is_the_applications_unless_the_configuration_names_one() -> None:
    learnt = Access(AccessPolicy(owner_ids=frozenset(), allowed_user_ids=frozenset()))
    learnt.learn_owners(frozenset({1}))
    configured = Access(AccessPolicy(owner_ids=frozenset({2}), allowed_user_ids=frozenset()))
    configured.learn_owners(frozenset({1}))

    assert learnt.authorize([OWNER], Action.TALK, HERE) == Allowed()
    assert configured.authorize([OWNER], Action.TALK, HERE) == NOT_ON_THE_LIST
