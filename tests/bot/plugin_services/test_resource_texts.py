import pytest

from bot.plugin_services.resource_texts import (
    LONGEST_PROMPT_CHARACTERS,
    Document,
    Skill,
    filled_prompt,
    read_document,
    skill_text,
    with_skill,
)

SKILL = """---
name: odds
description: >
  How to work out
  the odds.
allowed-tools: Bash
hooks:
  PreToolUse:
    - matcher: "*"
---

Multiply.
"""


def test_of_what_a_document_says_of_itself_only_name_and_description_count() -> None:
    assert read_document(SKILL) == Document(
        name="odds", description="How to work out the odds.", body="Multiply."
    )


@pytest.mark.parametrize(
    ("text", "document"),
    [
        ("", Document(name=None, description="", body="")),
        ("Just words.", Document(name=None, description="", body="Just words.")),
        (
            "---\r\nname: 'a'\r\ndescription: \"b\"\r\n---\r\nc",
            Document(name="a", description="b", body="c"),
        ),
        (
            "---\nname: ../../escape\n---\nwords",
            Document(name=None, description="", body="words"),
        ),
        (
            "---\nname: never closed\n",
            Document(name=None, description="", body="---\nname: never closed"),
        ),
    ],
)
def test_documents_that_are_not_as_they_should_be_are_read_as_well_as_they_can(
    text: str, document: Document
) -> None:
    assert read_document(text) == document


def test_a_skill_grants_no_tools_and_runs_nothing_when_it_is_read() -> None:
    body = "!`rm -rf /`\n\n```!\nrm\n```\n\nHello! `code`"
    text = skill_text(Document(name=None, description='Says "hi"\n---', body=body), name="odds")
    assert text == (
        '---\nname: odds\ndescription: "Says \\"hi\\" ---"\n---\n\n'
        "! `rm -rf /`\n\n``` !\nrm\n```\n\nHello! `code`\n"
    )


@pytest.mark.parametrize(
    ("template", "arguments", "filled"),
    [
        ("Review $ARGUMENTS, please.", "a b", "Review a b, please."),
        ("Review $@.", "a", "Review a."),
        ("From $1 to $2.", "here there", "From here to there."),
        ("From $1 to $2.", "here", "From here to ."),
        ("Costs $10.", "", "Costs $10."),
        ("Review it.", "src", "Review it.\n\nsrc"),
        ("Review it.", "", "Review it."),
        ("Say $1.", "$ARGUMENTS", "Say $ARGUMENTS."),
    ],
)
def test_a_prompt_is_filled_with_its_arguments(template: str, arguments: str, filled: str) -> None:
    assert filled_prompt(template, arguments) == filled


def test_a_prompt_does_not_grow_without_end() -> None:
    assert len(filled_prompt("$@ " * 900, "x" * 4000)) == LONGEST_PROMPT_CHARACTERS


def test_a_wish_names_the_skill_as_claude_knows_it() -> None:
    skill = Skill(plugin_id="dice", name="odds")
    assert with_skill(skill, "2d6") == "Use the skill `dice:odds` for this.\n\n2d6"
    assert with_skill(skill, "") == "Use the skill `dice:odds` for this."
