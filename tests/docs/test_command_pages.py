"""The pages of the commands show what people see, and miss nothing."""

import re
from difflib import unified_diff
from pathlib import Path

import pytest

from bot.access import Action
from bot.commands.spec import CommandKind, CommandSpec
from bot.commands.table import COMMANDS
from tests.docs.pages import page
from tests.docs.scenes.pages import belongs_to, page_path, picture_path, transcript_on
from tests.docs.scenes.performance import PERFORMANCES, SCENES, perform
from tests.docs.scenes.picture import WIDTH_PIXELS

DESCRIBED = (
    *("pickup", "hangup", "cancel", "status", "new", "resume", "sessions", "rename", "say", "bind"),
    *(
        "unbind",
        "model",
        "effort",
        "mcp",
        "permissions",
        "notify",
        "streaming",
        "backend",
        "models",
    ),
    *("reactivity", "budget", "announce", "refresh-roster"),
)
"""The commands of the description that Papercup began with."""
WHO = {
    Action.TALK: "Everyone who may talk to it",
    Action.SPAWN: "Everyone who may talk to it",
    Action.CHANGE_SESSION: "Whoever opened the session, admins of its server, and the owners",
    Action.BIND: "Admins and the owners",
    Action.ADMINISTER: "Admins and the owners",
}
HIGHEST_PICTURE_PIXELS = 1850

_SECTION = re.compile(r"^### (.+)\n((?:(?!^##).*\n)*)", re.MULTILINE)
_OPTION = re.compile(r"^- `([\w-]+)`: ((?:.+\n)(?:^ .+\n)*)", re.MULTILINE)

each_group = pytest.mark.parametrize("group", SCENES)
each_command = pytest.mark.parametrize("spec", COMMANDS, ids=lambda spec: spec.name)


def text_of(group: str) -> str:
    return page_path(group).read_text(encoding="utf-8")


def sections() -> dict[str, list[tuple[str, str]]]:
    """Return what stands below each heading about a command, with the group of its page."""
    found: dict[str, list[tuple[str, str]]] = {}
    for group in SCENES:
        for title, body in _SECTION.findall(text_of(group)):
            found.setdefault(title.removeprefix("/"), []).append((group, body))
    return found


def heading_of(spec: CommandSpec) -> str:
    return f"/{spec.name}" if spec.kind is CommandKind.SLASH else spec.name


# Each performance is a bot or two; it takes a quarter of this on a machine that is not busy.
@pytest.mark.timeout(150)
@pytest.mark.parametrize("groups", PERFORMANCES, ids="-".join)
async def test_the_transcripts_on_the_pages_are_what_people_see(
    groups: tuple[str, ...], tmp_path: Path
) -> None:
    stages = await perform(groups, tmp_path)
    changes = [
        line
        for group, stage in stages.items()
        for line in unified_diff(
            transcript_on(text_of(group), group).splitlines(),
            stage.transcript().splitlines(),
            fromfile=f"docs/commands/{group}.md",
            tofile="what people see",
            lineterm="",
        )
    ]
    uncalled = {
        (group, name)
        for name, places in sections().items()
        for group, _ in places
        if group in stages and name not in stages[group].called
    }
    assert not changes, "bring the pages up to date with `just pages`:\n" + "\n".join(changes)
    assert uncalled == set()


@each_command
def test_every_command_stands_on_one_page_with_its_options_and_who_may_call_it(
    spec: CommandSpec,
) -> None:
    ((group, body),) = sections()[spec.name]
    assert f"### {heading_of(spec)}\n" in text_of(group)
    options = dict(_OPTION.findall(body))
    assert list(options) == [option.name for option in spec.options]
    for option in spec.options:
        named = re.findall(r"`([^`]+)`", options[option.name])
        assert set(option.choices) <= set(named)
    assert WHO[spec.action] in " ".join(body.split())


def test_the_pages_name_no_command_that_there_is_not() -> None:
    assert set(sections()) == {spec.name for spec in COMMANDS}


def test_every_scene_is_played() -> None:
    assert [group for groups in PERFORMANCES for group in groups] == list(SCENES)


@each_group
def test_every_page_has_its_picture_which_was_drawn_with_its_transcript(group: str) -> None:
    picture = picture_path(group).read_bytes()
    assert f"](../images/commands/{group}.png)" in text_of(group)
    assert belongs_to(picture, transcript_on(text_of(group), group)), "`just pages` draws it anew"
    width, height = (int.from_bytes(picture[at : at + 4], "big") for at in (16, 20))
    assert width == WIDTH_PIXELS
    assert height <= HIGHEST_PICTURE_PIXELS


def test_the_index_names_every_page_and_every_command() -> None:
    index = page("docs/commands/README.md")
    assert {f"{group}.md" for group in SCENES} <= set(re.findall(r"\]\(([\w.]+)\)", index.text))
    rows = "\n".join(line for line in index.text.splitlines() if line.startswith("| ["))
    for spec in COMMANDS:
        mark = "`" if spec.kind is CommandKind.SLASH else "*"
        assert f"{mark}{heading_of(spec)}{mark}" in rows


def test_the_index_says_of_every_command_of_the_description_whether_it_is_there() -> None:
    text = page("docs/commands/README.md").text
    rows = re.findall(r"^\| `/([\w-]+)` \| (✅|later) \| (.*)\|$", text, re.MULTILINE)
    ours = {spec.name.split()[0] for spec in COMMANDS}
    assert tuple(name for name, *_ in rows) == DESCRIBED
    assert {name for name, state, _ in rows if state == "✅"} == ours & set(DESCRIBED)
    assert all(remark.strip() for _, state, remark in rows if state == "later")
