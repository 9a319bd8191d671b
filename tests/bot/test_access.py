"""Every cell of the table, for everybody, wherever they are."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import pytest

from bot.access import (
    NO_AUTOMATONS,
    NOT_ON_THE_LIST,
    NOT_THIS_SERVER,
    NOT_THIS_USER,
    NOT_YOUR_RANK,
    NOT_YOURS,
    TABLE,
    Access,
    AccessPolicy,
    Action,
    Allowed,
    Belonging,
    Person,
    Place,
    Reach,
    Standing,
    authorize_process,
    policy_of,
)
from bot.config import DiscordConfig

SERVER, OTHER_SERVER = 10, 20
HERE = Place(guild_id=SERVER, channel_id=11)
ELSEWHERE = Place(guild_id=OTHER_SERVER, channel_id=21)
IN_PRIVATE = Place(guild_id=None, channel_id=31)
PLACES = {"here": HERE, "elsewhere": ELSEWHERE, "in private": IN_PRIVATE}

ADMINS, OPERATORS, USERS = 101, 102, 103
POLICY = AccessPolicy(
    owner_ids=frozenset({1}),
    allowed_user_ids=frozenset({5}),
    admin_role_ids=frozenset({ADMINS}),
    operator_role_ids=frozenset({OPERATORS}),
    user_role_ids=frozenset({USERS}),
)


def member(person_id: int, *role_ids: int) -> Person:
    """Return somebody who acts as a member of the server `HERE`."""
    roles = frozenset(role_ids)
    return Person(id=person_id, name=f"p{person_id}", guild_id=SERVER, role_ids=roles)


OWNER = member(1)
ADMIN = member(2, ADMINS, 999)
OPERATOR = member(3, OPERATORS)
USER = member(4, USERS)
LISTED = member(5)
STRANGER = member(6, 999)
BOT = replace(member(1, ADMINS), is_automatic=True)
PEOPLE = {
    "owner": OWNER,
    "admin": ADMIN,
    "operator": OPERATOR,
    "user": USER,
    "listed": LISTED,
    "stranger": STRANGER,
    "bot": BOT,
}

# Written out by hand, so that a change of the rules is seen here too.
STANDINGS = {
    ("owner", "here"): Standing.OWNER,
    ("owner", "elsewhere"): Standing.OWNER,
    ("owner", "in private"): Standing.OWNER,
    ("admin", "here"): Standing.ADMIN,
    ("admin", "elsewhere"): Standing.STRANGER,
    ("admin", "in private"): Standing.STRANGER,
    ("operator", "here"): Standing.OPERATOR,
    ("operator", "elsewhere"): Standing.STRANGER,
    ("operator", "in private"): Standing.STRANGER,
    ("user", "here"): Standing.USER,
    ("user", "elsewhere"): Standing.STRANGER,
    ("user", "in private"): Standing.STRANGER,
    ("listed", "here"): Standing.USER,
    ("listed", "elsewhere"): Standing.USER,
    ("listed", "in private"): Standing.USER,
    ("stranger", "here"): Standing.STRANGER,
    ("stranger", "elsewhere"): Standing.STRANGER,
    ("stranger", "in private"): Standing.STRANGER,
    ("bot", "here"): Standing.AUTOMATON,
    ("bot", "elsewhere"): Standing.AUTOMATON,
    ("bot", "in private"): Standing.AUTOMATON,
}
WHOSE: dict[str, Callable[[Person], Belonging | None]] = {
    "nobody's": lambda _: None,
    "own, of here": lambda person: Belonging(person_id=person.id, guild_id=SERVER),
    "own, of elsewhere": lambda person: Belonging(person_id=person.id, guild_id=OTHER_SERVER),
    "own, of private": lambda person: Belonging(person_id=person.id, guild_id=None),
    "another's, of here": lambda _: Belonging(person_id=77, guild_id=SERVER),
    "another's, of elsewhere": lambda _: Belonging(person_id=77, guild_id=OTHER_SERVER),
    "another's, of private": lambda _: Belonging(person_id=77, guild_id=None),
}
WITHIN_REACH = {
    Reach.ALL: frozenset(WHOSE),
    Reach.SERVER: frozenset({whose for whose in WHOSE if whose.startswith("own")})
    | {"another's, of here"},
    Reach.OWN: frozenset({whose for whose in WHOSE if whose.startswith("own")}),
    Reach.NONE: frozenset[str](),
}
"""Of what is asked for here."""


@pytest.mark.parametrize(("who", "where"), STANDINGS)
def test_everybody_is_what_the_rules_say(who: str, where: str) -> None:
    assert POLICY.standing_of(PEOPLE[who], PLACES[where]) is STANDINGS[who, where]


@pytest.mark.parametrize("whose", WHOSE)
@pytest.mark.parametrize("action", Action)
@pytest.mark.parametrize("who", PEOPLE)
def test_every_cell_of_the_table_is_in_force(who: str, action: Action, whose: str) -> None:
    person = PEOPLE[who]
    standing = STANDINGS[who, "here"]
    allowed = whose in WITHIN_REACH[TABLE[action][standing]]

    verdict = POLICY.authorize([person], action, HERE, about=WHOSE[whose](person))

    assert isinstance(verdict, Allowed) == allowed
    if standing is Standing.STRANGER:
        assert verdict == NOT_ON_THE_LIST
    elif standing is Standing.AUTOMATON:
        assert verdict == NO_AUTOMATONS
    elif not allowed:
        assert verdict in {NOT_YOURS, NOT_YOUR_RANK}


@pytest.mark.parametrize("whose", WHOSE)
@pytest.mark.parametrize("action", Action)
@pytest.mark.parametrize("where", ["elsewhere", "in private"])
@pytest.mark.parametrize("who", ["admin", "operator", "user"])
def test_a_role_is_worth_nothing_outside_its_server(
    who: str, where: str, action: Action, whose: str
) -> None:
    person = PEOPLE[who]
    about = WHOSE[whose](person)
    assert POLICY.authorize([person], action, PLACES[where], about=about) == NOT_ON_THE_LIST


def test_the_roles_of_another_server_do_not_make_its_things_ones_own() -> None:
    intruder = replace(OPERATOR, guild_id=OTHER_SERVER)
    of_here = Belonging(person_id=77, guild_id=SERVER)

    assert POLICY.authorize([intruder], Action.SEE_JOB, HERE, about=of_here) == NOT_ON_THE_LIST
    assert POLICY.authorize([intruder], Action.SEE_JOB, ELSEWHERE, about=of_here) == NOT_YOURS


@pytest.mark.parametrize("action", Action)
def test_no_action_and_no_standing_is_without_its_cell(action: Action) -> None:
    assert set(TABLE[action]) == set(Standing)
    assert TABLE[action][Standing.OWNER] is Reach.ALL
    assert TABLE[action][Standing.STRANGER] is Reach.NONE
    assert TABLE[action][Standing.AUTOMATON] is Reach.NONE


@pytest.mark.parametrize("action", Action)
def test_who_stands_lower_never_reaches_further(action: Action) -> None:
    order = [Reach.ALL, Reach.SERVER, Reach.OWN, Reach.NONE]
    reaches = [order.index(TABLE[action][standing]) for standing in Standing]
    assert reaches == sorted(reaches)


@pytest.mark.parametrize("whose", WHOSE)
@pytest.mark.parametrize("action", Action)
def test_together_people_may_do_what_each_of_them_may(action: Action, whose: str) -> None:
    def is_allowed(*people: Person) -> bool:
        about = WHOSE[whose](OWNER)
        return isinstance(POLICY.authorize(people, action, HERE, about=about), Allowed)

    for one, other in product(PEOPLE.values(), repeat=2):
        assert is_allowed(one, other) == (is_allowed(one) and is_allowed(other))


def test_nobody_at_all_may_do_nothing() -> None:
    assert POLICY.authorize([], Action.TALK, HERE) == NOT_ON_THE_LIST


@pytest.mark.parametrize("action", Action)
@pytest.mark.parametrize("who", [who for who in PEOPLE if who != "bot"])
def test_a_server_that_is_not_on_the_list_is_closed_to_everybody(who: str, action: Action) -> None:
    policy = replace(POLICY, guild_ids=frozenset({OTHER_SERVER}))
    about = Belonging(person_id=PEOPLE[who].id, guild_id=SERVER)

    assert policy.authorize([PEOPLE[who]], action, HERE, about=about) == NOT_THIS_SERVER
    assert isinstance(policy.authorize([OWNER], action, ELSEWHERE), Allowed)
    assert isinstance(policy.authorize([OWNER], action, IN_PRIVATE), Allowed)


def test_with_empty_lists_only_the_owner_is_answered() -> None:
    policy = AccessPolicy(owner_ids=frozenset({1}), allowed_user_ids=frozenset())

    assert policy.authorize([OWNER], Action.TALK, HERE) == Allowed()
    for person in (ADMIN, OPERATOR, USER, LISTED, STRANGER):
        assert policy.authorize([person], Action.TALK, HERE) == NOT_ON_THE_LIST


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


def test_the_policy_is_what_the_configuration_says() -> None:
    config = DiscordConfig(
        owner_ids=(1,),
        allowed_user_ids=(5,),
        admin_role_ids=(ADMINS,),
        operator_role_ids=(OPERATORS,),
        user_role_ids=(USERS,),
    )
    assert policy_of(config) == POLICY
    assert policy_of(replace(config, guild_ids=(7,))).guild_ids == {7}


@pytest.mark.parametrize(
    ("config", "others"),
    [
        (DiscordConfig(owner_ids=(1,), guild_ids=(2,)), False),
        (DiscordConfig(allowed_user_ids=(1,)), True),
        (DiscordConfig(admin_role_ids=(1,)), True),
        (DiscordConfig(operator_role_ids=(1,)), True),
        (DiscordConfig(user_role_ids=(1,)), True),
    ],
)
def test_it_is_known_whether_anybody_but_the_owner_is_let_in(
    config: DiscordConfig, *, others: bool
) -> None:
    assert config.lets_others_in is others


@pytest.mark.parametrize(
    ("user_id", "verdict"), [(1000, Allowed()), (0, Allowed()), (1001, NOT_THIS_USER)]
)
def test_a_process_of_the_machine_may_do_all_or_nothing(user_id: int, verdict: object) -> None:
    assert authorize_process(user_id, own_user_id=1000) == verdict
