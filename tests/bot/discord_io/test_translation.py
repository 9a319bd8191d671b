import pytest

from bot.discord_io.translation import without_mentions

BOT = 42


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<@42> hello", "hello"),
        ("<@!42>hello", "hello"),
        ("hello <@42> there", "hello there"),
        ("hello <@42>", "hello"),
        ("<@42>\n```py\n    x\n```", "```py\n    x\n```"),
        ("<@&7> hello", "hello"),
        ("<@42>", ""),
        ("<@43> <@&8> and <#42>", "<@43> <@&8> and <#42>"),
    ],
)
def test_mentions_of_the_bot_are_removed_and_no_others(text: str, left: str) -> None:
    assert without_mentions(text, BOT, frozenset({7})) == left
