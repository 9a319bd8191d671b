from extensions.hooks import NOWHERE, Occasion
from extensions.plugins.contexts import Contexts, ContextTier, Current, Stale, WrongTier

HERE = Occasion(session_id="5e55", person_id=7)


def test_a_context_tells_on_whose_behalf_something_is_asked() -> None:
    contexts = Contexts()

    context = contexts.mint(ContextTier.COMMAND, HERE, secret="a")

    assert context["tier"] == "command"
    assert contexts.resolve(context["token"], needs=ContextTier.COMMAND) == Current(HERE)
    assert contexts.resolve(context["token"], needs=ContextTier.EVENT) == Current(HERE)


def test_what_was_told_permits_less_than_what_was_asked() -> None:
    contexts = Contexts()

    token = contexts.mint(ContextTier.EVENT, HERE, secret="a")["token"]

    assert contexts.resolve(token, needs=ContextTier.EVENT) == Current(HERE)
    assert contexts.resolve(token, needs=ContextTier.COMMAND) == WrongTier()


def test_what_an_earlier_process_was_given_is_stale() -> None:
    contexts = Contexts()
    contexts.begin_epoch(1)
    old = contexts.mint(ContextTier.COMMAND, HERE, secret="a")["token"]

    contexts.begin_epoch(2)
    new = contexts.mint(ContextTier.COMMAND, HERE, secret="a")["token"]

    assert contexts.resolve(old, needs=ContextTier.COMMAND) == Stale()
    assert contexts.resolve(new, needs=ContextTier.COMMAND) == Current(HERE)


def test_a_token_that_was_never_given_is_stale() -> None:
    contexts = Contexts()
    contexts.mint(ContextTier.COMMAND, NOWHERE, secret="a")

    for guess in ("", "0.", "0.b", "command"):
        assert contexts.resolve(guess, needs=ContextTier.EVENT) == Stale()


def test_only_the_newest_contexts_are_known() -> None:
    contexts = Contexts(most=2)

    tokens = [contexts.mint(ContextTier.EVENT, HERE, secret=each)["token"] for each in "abc"]

    found = [contexts.resolve(token, needs=ContextTier.EVENT) for token in tokens]
    assert found == [Stale(), Current(HERE), Current(HERE)]
