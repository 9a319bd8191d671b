import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.discord_io.custom_id import action_of, custom_id_of
from bot.messenger import ButtonAction

verbs = st.from_regex(r"[a-z][a-z0-9_]{0,20}", fullmatch=True)


@given(st.builds(ButtonAction, verb=verbs, subject=st.text(min_size=1, max_size=70)))
def test_a_button_gives_its_action_back(action: ButtonAction) -> None:
    assert action_of(custom_id_of(action)) == action


@pytest.mark.parametrize(
    "foreign",
    [
        "",
        "pc1",
        "pc1:",
        "pc1:cancel",
        "pc1:cancel:",
        "pc2:a:b",
        "panel:ok",
        "pc1:Cancel:x",
        "x pc1:cancel:y",
        "pc1::x",
    ],
)
def test_a_foreign_button_has_no_action(foreign: str) -> None:
    assert action_of(foreign) is None


@pytest.mark.parametrize(
    "action",
    [
        ButtonAction(verb="cancel", subject="x" * 100),
        ButtonAction(verb="Cancel", subject="x"),
        ButtonAction(verb="a:b", subject="x"),
        ButtonAction(verb="cancel", subject=""),
    ],
)
def test_an_action_that_would_not_come_back_is_refused(action: ButtonAction) -> None:
    with pytest.raises(ValueError, match="no button can carry"):
        custom_id_of(action)
