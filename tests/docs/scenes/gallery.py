"""Plays what people see of each example plugin, with a bot that has that one alone."""

import json
import shutil
from pathlib import Path

from extensions.plugins.tree_hash import TreeHash, hash_tree
from papercup_plugin.templates import vendor
from tests.docs.pages import ROOT
from tests.docs.scenes.gallery_plays import PLAYS
from tests.docs.scenes.gallery_scene import TRIGGER, GalleryScene
from tests.docs.scenes.model import SceneModel
from tests.docs.scenes.stage import Stage
from tests.fakes.house import open_house

EXAMPLES = ROOT / "examples" / "plugins"
GALLERY = ROOT / "docs" / "plugins" / "gallery.md"
PICTURES = ROOT / "docs" / "images" / "plugins"


def shown_plugins(name: str) -> tuple[str, ...]:
    """Return the examples that a picture shows."""
    return PLAYS[name].plugins or (name,)


def picture_path(name: str) -> Path:
    """Return where a picture is."""
    return PICTURES / f"{name}.png"


async def gallery_page(name: str, folder: Path) -> str:
    """Play it, and return what the picture shows, as an HTML page.

    Args:
        name: Of the picture.
        folder: Where everything is kept; empty.
    """
    settings = _trusted({each: folder / "plugins" / each for each in shown_plugins(name)})
    if name == "file_trigger":
        settings[f"plugins__entries__{name}__flags__file"] = json.dumps(str(folder / TRIGGER))
    model = SceneModel()
    async with open_house(folder, model) as house:
        scene = GalleryScene(Stage(house, model, "general"), folder)
        settings["discord__allowed_user_ids"] = json.dumps([scene.kai.id])
        async with house.bot(**settings):
            with scene.stage.beside_the_picture():
                await scene.calls("pickup")
            await PLAYS[name].play(scene)
        return scene.page()


def _trusted(copies: dict[str, Path]) -> dict[str, str]:
    """Copy examples, the SDK beside them, and return the settings that trust them."""
    trusted: list[str] = []
    for name, copy in copies.items():
        shutil.copytree(EXAMPLES / name, copy, ignore=shutil.ignore_patterns("__pycache__"))
        vendor(copy)
        tree = hash_tree(copy)
        assert isinstance(tree, TreeHash)
        trusted.append(f"{name} = {json.dumps(tree.text)}")
    return {
        "plugins__search_paths": json.dumps(sorted({str(each.parent) for each in copies.values()})),
        "plugins__trusted": f"{{ {', '.join(trusted)} }}",
    }
