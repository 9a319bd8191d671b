import json
from pathlib import Path

from bot.plugin_services.resource_texts import PromptCommand, Skill
from bot.plugin_services.skill_packs import (
    MOST_FILES,
    MOST_SKILLS,
    Brought,
    bring,
    remove_other_packs,
)
from extensions.plugins.manifest import Resources


def plugin(folder: Path, files: dict[str, str]) -> Path:
    """Put a plugin up, and return its folder."""
    root = folder / "plugin"
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root.resolve()


def brought(folder: Path, root: Path, *, skills: tuple[str, ...] = (), **more: str) -> Brought:
    resources = Resources(skills=skills, prompts=tuple(more.values()))
    return bring("dice", root, resources, folder / "packs")


def files_of(pack: Path | None) -> dict[str, str]:
    assert pack is not None
    return {
        str(file.relative_to(pack)): file.read_text()
        for file in sorted(pack.rglob("*"))
        if file.is_file()
    }


def test_skills_are_copied_with_what_stands_beside_them_and_nothing_else(tmp_path: Path) -> None:
    root = plugin(
        tmp_path,
        {
            "skills/odds/SKILL.md": "---\ndescription: Odds.\n---\nMultiply.",
            "skills/odds/data/table.md": "1/36",
            "skills/README.md": "none",
            "extra/luck.md": "Be lucky.",
            "hooks/hooks.json": "{}",
            ".mcp.json": "{}",
        },
    )
    got = brought(tmp_path, root, skills=("skills", "extra/luck.md"))
    assert got.skills == (
        Skill(plugin_id="dice", name="odds"),
        Skill(plugin_id="dice", name="luck"),
    )
    assert got.remarks == ()
    found = files_of(got.pack)
    assert json.loads(found.pop(".claude-plugin/plugin.json"))["name"] == "dice"
    assert found == {
        "skills/odds/SKILL.md": '---\nname: odds\ndescription: "Odds."\n---\n\nMultiply.\n',
        "skills/odds/data/table.md": "1/36",
        "skills/luck/SKILL.md": '---\nname: luck\ndescription: "luck"\n---\n\nBe lucky.\n',
    }


def test_the_same_skills_have_the_same_folder_and_others_another(tmp_path: Path) -> None:
    root = plugin(tmp_path, {"odds/SKILL.md": "Multiply."})
    first = brought(tmp_path, root, skills=("odds",)).pack
    assert brought(tmp_path, root, skills=("odds",)).pack == first
    (root / "odds/SKILL.md").write_text("Divide.")
    second = brought(tmp_path, root, skills=("odds",)).pack
    assert second != first
    remove_other_packs(tmp_path / "packs", second)
    assert list((tmp_path / "packs").iterdir()) == [second]
    remove_other_packs(tmp_path / "nowhere", None)


def test_nothing_from_outside_of_the_folder_is_brought(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret/SKILL.md").write_text("secret")
    root = plugin(tmp_path, {"odds/SKILL.md": "Multiply.", "more/README.md": ""})
    (root / "linked").symlink_to(tmp_path / "secret")
    (root / "more/linked").symlink_to(tmp_path / "secret")
    (root / "odds/key").symlink_to(tmp_path / "secret/SKILL.md")
    got = brought(tmp_path, root, skills=("../secret", "linked", "more", "gone", "odds"))
    assert [skill.name for skill in got.skills] == ["odds"]
    assert got.remarks == (
        "'../secret' leads out of its folder",
        "'linked' leads out of its folder",
        "'gone' is not there",
    )
    assert "secret" not in "".join(files_of(got.pack).values())


def test_what_is_too_much_is_left_out_and_said(tmp_path: Path) -> None:
    skills = {f"skills/s{number:03}/SKILL.md": "x" for number in range(MOST_SKILLS + 1)}
    beside = {f"skills/s000/f{number:03}": "" for number in range(MOST_FILES + 1)}
    root = plugin(tmp_path, skills | beside)
    got = brought(tmp_path, root, skills=("skills",))
    assert len(got.skills) == MOST_SKILLS
    assert len(got.remarks) == 2
    assert sum("/f" in name for name in files_of(got.pack)) == MOST_FILES


def test_of_two_skills_of_one_name_the_first_counts_and_odd_names_do_not(tmp_path: Path) -> None:
    root = plugin(
        tmp_path,
        {"a/SKILL.md": "---\nname: one\n---\nA", "b/one.md": "B", "b/t wo.md": "C"},
    )
    got = brought(tmp_path, root, skills=("a", "b/one.md", "b/t wo.md"))
    assert [skill.name for skill in got.skills] == ["one"]
    assert len(got.remarks) == 2


def test_prompts_are_texts_with_names(tmp_path: Path) -> None:
    root = plugin(
        tmp_path,
        {
            "prompts/review.md": "---\ndescription: Reviews.\n---\nReview $ARGUMENTS.",
            "prompts/empty.md": "",
            "prompts/notes.txt": "none",
        },
    )
    got = brought(tmp_path, root, prompts="prompts")
    assert got.prompts == (
        PromptCommand(
            plugin_id="dice",
            name="review",
            description="Reviews.",
            template="Review $ARGUMENTS.",
        ),
    )
    assert got.pack is None
    assert len(got.remarks) == 1
