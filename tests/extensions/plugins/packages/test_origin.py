"""Where a plugin came from is known as far as what stands beside it can be believed."""

from pathlib import Path

import pytest

from extensions.plugins.manifest import Candidate, Dialect, Manifest, Scope
from extensions.plugins.packages.origin import Origin, origin_of
from extensions.plugins.packages.packages_file import FILE_NAME, Package, Packages
from extensions.plugins.packages.packages_store import write_packages
from extensions.plugins.tree_hash import BadTree, TreeHash

HASH = TreeHash("sha256:" + "a" * 64)
OTHER = TreeHash("sha256:" + "b" * 64)


def found(root: Path, scope: Scope = Scope.USER, name: str = "dice") -> Candidate:
    return Candidate(
        manifest=Manifest(id="dice", dialect=Dialect.SEP, version="1", name="dice"),
        folder=root / name,
        manifest_path=root / name / "extension.toml",
        scope=scope,
        root_index=0,
    )


def keep(root: Path, resolved: str = "npm:@me/dice@1.0.0", hash_: str | None = HASH.text) -> None:
    package = Package(
        id="dice",
        version="1",
        source="path:/dice",
        resolved=resolved,
        hash=hash_,
        at="2026-01-01T00:00:00+00:00",
    )
    write_packages(root, Packages(by_id={"dice": package}))


def test_what_was_installed_for_this_user_is_known(tmp_path: Path) -> None:
    keep(tmp_path)

    origin = origin_of(found(tmp_path), HASH)

    assert origin == Origin(resolved="npm:@me/dice@1.0.0", is_unchanged=True, is_known=True)
    assert origin.proven == "npm:@me/dice@1.0.0"


@pytest.mark.parametrize("tree", [OTHER, BadTree(path="x", reason="is a pipe")])
def test_what_was_changed_since_is_not_what_came_from_there(
    tmp_path: Path, tree: TreeHash | BadTree
) -> None:
    keep(tmp_path)

    origin = origin_of(found(tmp_path), tree)

    assert origin == Origin(resolved="npm:@me/dice@1.0.0", is_unchanged=False, is_known=True)
    assert origin.proven is None


def test_what_a_project_says_is_not_known(tmp_path: Path) -> None:
    keep(tmp_path)

    origin = origin_of(found(tmp_path, Scope.PROJECT), HASH)

    assert origin == Origin(resolved="npm:@me/dice@1.0.0", is_unchanged=True, is_known=False)
    assert origin.proven is None


def test_nothing_is_known_of_what_was_not_installed(tmp_path: Path) -> None:
    before = origin_of(found(tmp_path), HASH)
    keep(tmp_path, hash_=None)
    linked = origin_of(found(tmp_path), HASH)
    keep(tmp_path, resolved="npm:dice\x1b[2J")
    drawing = origin_of(found(tmp_path), HASH)
    keep(tmp_path)
    other = [
        origin_of(found(tmp_path, name="copy"), HASH),
        origin_of(found(tmp_path, Scope.SMOOTH), HASH),
    ]
    (tmp_path / FILE_NAME).write_text("nonsense")
    broken = origin_of(found(tmp_path), HASH)

    assert [before, linked, drawing, *other, broken] == [None] * 6
