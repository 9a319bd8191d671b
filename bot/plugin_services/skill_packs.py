"""Skills and prompts in the folders of plugins: finds them, and copies skills for `claude`.

What `claude` is given is a copy of the skills alone. In the folder itself it would find more than
skills, such as hooks, and run it; and what is changed there later was trusted by nobody.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from bot.plugin_services.resource_texts import (
    PromptCommand,
    Skill,
    is_resource_name,
    read_document,
    skill_text,
)
from extensions.plugins.manifest import Resources

MOST_SKILLS = 50
MOST_PROMPTS = 50
MOST_FILES = 200
"""Beside the skills of one plugin."""
MOST_BYTES = 10 * 1024 * 1024
"""Of all files of one plugin's skills together."""
MOST_TEXT_BYTES = 256 * 1024
"""Of a skill itself, or a prompt."""

_SKILL_FILE = "SKILL.md"
_DIGEST_LENGTH = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Brought:
    """What a plugin brings along for Claude and for people."""

    skills: tuple[Skill, ...] = ()
    pack: Path | None = None
    """A folder with the skills, as `claude` takes it; `None` without any."""
    prompts: tuple[PromptCommand, ...] = ()
    remarks: tuple[str, ...] = ()
    """What is left out, and why: the ends of sentences."""


def bring(plugin_id: str, folder: Path, resources: Resources, packs: Path) -> Brought:
    """Return what a plugin brings along. It may block.

    Args:
        plugin_id: Its id.
        folder: Its own; absolute, without links.
        resources: What its manifest names.
        packs: Where copies of its skills are kept.

    Raises:
        OSError: If something cannot be read, or the copies cannot be written.
    """
    remarks: list[str] = []
    sources = _found_skills(folder, resources.skills, remarks)
    prompts = _found_prompts(plugin_id, folder, resources.prompts, remarks)
    pack = _packed(plugin_id, sources, packs, remarks) if sources else None
    return Brought(
        skills=tuple(Skill(plugin_id=plugin_id, name=name) for name in sources),
        pack=pack,
        prompts=tuple(prompts),
        remarks=tuple(remarks),
    )


def remove_other_packs(packs: Path, kept: Path | None) -> None:
    """Remove the copies of a plugin's skills that are not in use any more. It may block."""
    if not packs.is_dir():
        return
    for each in packs.iterdir():
        if each != kept:
            shutil.rmtree(each, ignore_errors=True)


def _found_skills(folder: Path, named: Sequence[str], remarks: list[str]) -> dict[str, Path]:
    """Return the files of the skills by their names."""
    found: dict[str, Path] = {}
    for path in _inside(folder, named, remarks):
        for file in _skill_files(path):
            name = file.parent.name if file.name == _SKILL_FILE else file.stem
            name = read_document(_text(file)).name or name
            if not is_resource_name(name):
                remarks.append(f"no skill may be called {name!r}")
            elif name in found:
                remarks.append(f"two of its skills are called {name!r}; the first one counts")
            elif len(found) >= MOST_SKILLS:
                remarks.append(f"it has more than {MOST_SKILLS} skills; the others are left out")
                return found
            else:
                found[name] = file
    return found


def _skill_files(path: Path) -> list[Path]:
    if path.is_file():
        return [path] if path.suffix == ".md" else []
    if (path / _SKILL_FILE).is_file():
        return [path / _SKILL_FILE]
    return [file for file in sorted(path.glob(f"*/{_SKILL_FILE}")) if _is_plain(file)]


def _found_prompts(
    plugin_id: str, folder: Path, named: Sequence[str], remarks: list[str]
) -> list[PromptCommand]:
    found: dict[str, PromptCommand] = {}
    for path in _inside(folder, named, remarks):
        files = [path] if path.is_file() else sorted(filter(_is_plain, path.glob("*.md")))
        for file in files:
            document = read_document(_text(file))
            name = document.name or file.stem
            if not is_resource_name(name) or not document.body:
                remarks.append(f"{file.name} is no prompt: it has no usable name, or says nothing")
            elif len(found) >= MOST_PROMPTS:
                remarks.append(f"it has more than {MOST_PROMPTS} prompts; the others are left out")
                return list(found.values())
            else:
                found.setdefault(
                    name,
                    PromptCommand(
                        plugin_id=plugin_id,
                        name=name,
                        description=document.description,
                        template=document.body,
                    ),
                )
    return list(found.values())


def _inside(folder: Path, named: Sequence[str], remarks: list[str]) -> Iterator[Path]:
    """Yield what is named and is in the plugin's folder."""
    for name in named:
        path = (folder / name).resolve()
        if not path.is_relative_to(folder):
            remarks.append(f"{name!r} leads out of its folder")
        elif not path.exists():
            remarks.append(f"{name!r} is not there")
        else:
            yield path


def _is_plain(file: Path) -> bool:
    return file.is_file() and not file.is_symlink() and not file.parent.is_symlink()


def _text(file: Path) -> str:
    with file.open("rb") as opened:
        return opened.read(MOST_TEXT_BYTES).decode(errors="replace")


def _packed(plugin_id: str, sources: dict[str, Path], packs: Path, remarks: list[str]) -> Path:
    """Copy skills, and return the folder that holds them; the same ones have the same folder."""
    making = packs / ".making"
    shutil.rmtree(making, ignore_errors=True)
    (making / ".claude-plugin").mkdir(parents=True)
    about = {"name": plugin_id, "version": "1.0.0", "description": f"Skills of {plugin_id}."}
    (making / ".claude-plugin" / "plugin.json").write_text(json.dumps(about), encoding="utf-8")
    room = _Room()
    for name, file in sources.items():
        to = making / "skills" / name
        to.mkdir(parents=True)
        if file.name == _SKILL_FILE:
            _copy_beside(file, to, room)
        text = skill_text(read_document(_text(file)), name=name)
        (to / _SKILL_FILE).write_text(text, encoding="utf-8")
    if room.is_full:
        remarks.append("its skills have too many or too large files; some are left out")
    pack = packs.resolve() / _digest(making)
    # What was made of the same before holds the same.
    if pack.exists():
        shutil.rmtree(making)
    else:
        making.rename(pack)
    return pack


@dataclass(slots=True)
class _Room:
    """How much may still be copied."""

    files: int = MOST_FILES
    size_bytes: int = MOST_BYTES
    is_full: bool = False

    def take(self, size_bytes: int) -> bool:
        """Say whether a file of that size may be copied."""
        if self.files < 1 or size_bytes > self.size_bytes:
            self.is_full = True
            return False
        self.files -= 1
        self.size_bytes -= size_bytes
        return True


def _copy_beside(file: Path, to: Path, room: _Room) -> None:
    """Copy what stands beside a skill; no links, and nothing that lies deeper than 5 folders."""
    deepest = len(file.parent.parts) + 5
    for folder, folders, names in os.walk(file.parent):
        folders[:] = sorted(folders) if len(Path(folder).parts) < deepest else []
        for source in (Path(folder, name) for name in sorted(names)):
            if source == file or source.is_symlink() or not source.is_file():
                continue
            if room.take(source.stat().st_size):
                target = to / source.relative_to(file.parent)
                target.parent.mkdir(parents=True, exist_ok=True)
                with suppress(FileNotFoundError):  # it may be gone by now
                    shutil.copyfile(source, target, follow_symlinks=False)


def _digest(folder: Path) -> str:
    """Return by what a folder is known again whose files have the same names and contents."""
    digest = hashlib.sha256()
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        content = file.read_bytes()
        digest.update(f"{file.relative_to(folder)}\0{len(content)}\0".encode("utf-8", "replace"))
        digest.update(content)
    return digest.hexdigest()[:_DIGEST_LENGTH]
