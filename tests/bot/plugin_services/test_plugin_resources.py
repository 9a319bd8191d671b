import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bot.plugin_services.plugin_resources import (
    PluginResources,
    ResourceParts,
    RunningPlugin,
    keeping_resources,
)
from extensions.claude.skills import SkillShelf
from extensions.plugins.manifest import (
    Candidate,
    Dialect,
    Manifest,
    Resources,
    RunSpec,
    Scope,
)
from tests.fakes.waiting import until


def candidate(folder: Path, name: str = "dice", **resources: tuple[str, ...]) -> Candidate:
    """Return a plugin with a skill and a prompt in its folder."""
    root = folder / name
    (root / "skills/odds").mkdir(parents=True, exist_ok=True)
    (root / "skills/odds/SKILL.md").write_text("Multiply.")
    (root / "review.md").write_text("Review it.")
    return Candidate(
        manifest=Manifest(
            id=name,
            dialect=Dialect.SEP,
            version="1.0.0",
            name=name,
            run=RunSpec(command="true"),
            resources=Resources(**resources),
        ),
        folder=root.resolve(),
        manifest_path=root / "extension.toml",
        scope=Scope.USER,
        root_index=0,
    )


@dataclass
class Around:
    """What the resources depend on."""

    folder: Path
    running: list[RunningPlugin] = field(default_factory=list)
    shelf: SkillShelf = field(default_factory=SkillShelf)
    is_trusted: bool = True
    asked: int = 0
    told: int = 0

    async def trusted(self, _candidate: Candidate) -> bool:
        self.asked += 1
        return self.is_trusted

    def tell(self) -> None:
        self.told += 1

    @asynccontextmanager
    async def resources(self) -> AsyncGenerator[PluginResources]:
        parts = ResourceParts(
            running=lambda: self.running,
            is_trusted=self.trusted,
            folder=self.folder / "data",
            shelf=self.shelf,
        )
        async with asyncio.timeout(20), keeping_resources(parts) as resources:
            resources.changed = self.tell
            resources.look()
            yield resources


async def test_the_skills_and_prompts_of_running_plugins_are_there_until_they_end(
    tmp_path: Path,
) -> None:
    found = candidate(tmp_path, skills=("skills",), prompts=("review.md",))
    around = Around(tmp_path, running=[RunningPlugin(candidate=found, epoch=1)])
    async with around.resources() as resources:
        await until(lambda: around.told == 1)
        assert [skill.full_name for skill in resources.skills] == ["dice:odds"]
        assert [prompt.name for prompt in resources.prompts] == ["review"]
        (pack,) = around.shelf.folders
        assert (pack / "skills/odds/SKILL.md").is_file()
        assert pack.is_relative_to(tmp_path / "data" / "dice" / "skills")
        around.running = []
        resources.look()
        await until(lambda: around.told == 2)
        assert (resources.skills, around.shelf.folders) == ((), ())


async def test_a_plugin_that_was_reloaded_is_read_anew_and_what_is_in_use_stays(
    tmp_path: Path,
) -> None:
    found = candidate(tmp_path, skills=("skills",))
    around = Around(tmp_path, running=[RunningPlugin(candidate=found, epoch=1)])
    async with around.resources() as resources:
        await until(lambda: around.told == 1)
        (first,) = around.shelf.folders
        (found.folder / "skills/odds/SKILL.md").write_text("Divide.")
        around.running = [RunningPlugin(candidate=found, epoch=2)]
        resources.look()
        await until(lambda: around.told == 2)
        (second,) = around.shelf.folders
    assert "Divide." in (second / "skills/odds/SKILL.md").read_text()
    assert first.is_dir()


async def test_what_an_earlier_bot_copied_is_removed(tmp_path: Path) -> None:
    left = tmp_path / "data/dice/skills/0000"
    left.mkdir(parents=True)
    found = candidate(tmp_path, skills=("skills",))
    around = Around(tmp_path, running=[RunningPlugin(candidate=found, epoch=1)])
    async with around.resources():
        await until(lambda: around.told == 1)
    assert not left.exists()


async def test_what_is_not_what_was_trusted_is_not_given_to_claude(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    found = candidate(tmp_path, skills=("skills",))
    around = Around(tmp_path, running=[RunningPlugin(candidate=found, epoch=1)], is_trusted=False)
    async with around.resources() as resources:
        await until(lambda: "plugin dice: its folder has changed" in caplog.text)
        assert (resources.skills, around.shelf.folders) == ((), ())


async def test_a_plugin_that_cannot_be_read_keeps_no_other_from_being_read(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    bad = candidate(tmp_path, "bad", skills=("skills",))
    (tmp_path / "data").mkdir()
    (tmp_path / "data/bad").write_text("a file where its folder should be")
    good = candidate(tmp_path, skills=("skills",))
    plain = candidate(tmp_path, "plain")
    around = Around(
        tmp_path,
        running=[RunningPlugin(candidate=each, epoch=1) for each in (bad, good, plain)],
    )
    async with around.resources() as resources:
        await until(lambda: around.told == 1)
        assert [skill.plugin_id for skill in resources.skills] == ["dice"]
    assert "plugin bad: its skills cannot be read" in caplog.text
    assert around.asked == 1
