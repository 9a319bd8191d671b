"""What npm is not let at: all that would have it ask anything but a registry."""

from typing import Any

import pytest

from extensions.plugins.packages.node_locks import lock_faults, package_faults

REGISTRY = "http://registry.example:4873"
PINNED = {
    "version": "1.0.0",
    "resolved": "https://r.example/chance.tgz",
    "integrity": "sha512-x",
}


def _lock(packages: dict[str, Any], version: int = 3) -> dict[str, Any]:
    root = {"name": "dice", "dependencies": {"chance": "^1.0.0"}}
    return {"lockfileVersion": version, "packages": {"": root, **packages}}


def _faults(packages: dict[str, Any]) -> list[str]:
    return list(lock_faults(_lock(packages), REGISTRY))


def test_what_is_pinned_is_taken_also_from_a_registry_that_is_not_encrypted() -> None:
    own = {**PINNED, "resolved": f"{REGISTRY}/chance.tgz"}
    bundler = {**PINNED, "bundleDependencies": ["odd"]}
    within = {"version": "2.0.0-rc.1", "inBundle": True}

    assert _faults({"node_modules/chance": PINNED, "node_modules/fair": own}) == []
    assert _faults({"node_modules/b": bundler, "node_modules/b/node_modules/@x/odd": within}) == []


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"resolved": "git+ssh://git@example.org/x.git"}, "does not come from a registry"),
        ({"resolved": "file:../x"}, "does not come from a registry"),
        ({"resolved": "http://["}, "does not come from a registry"),
        ({"resolved": None}, "does not come from a registry"),
        ({"resolved": "http://evil.example/x.tgz"}, "comes from http://evil.example/x.tgz, which"),
        ({"resolved": f"{REGISTRY}0/x.tgz"}, "which is not encrypted"),
        ({"link": True}, "is a link"),
        ({"integrity": "sha1-x"}, "a sha512 is missing"),
        ({"integrity": None}, "a sha512 is missing"),
        ({"dependencies": {"odd": "git+https://x.example/odd"}}, "depends on odd of git+https"),
    ],
)
# Who made the lock file can also say that any package comes within another one.
@pytest.mark.parametrize("in_bundle", [False, True])
def test_what_a_lock_file_must_not_name_is_refused(
    more: dict[str, Any], why: str, *, in_bundle: bool
) -> None:
    (fault,) = _faults({"node_modules/chance": {**PINNED, "inBundle": in_bundle, **more}})

    assert fault.startswith("node_modules/chance ")
    assert why in fault


@pytest.mark.parametrize("version", ["1.0.0", "https://evil.example/x.tgz", "file:/etc", None])
def test_what_comes_within_nothing_has_to_be_pinned(version: str | None) -> None:
    claimed = {"version": version, "inBundle": True}
    within = {
        "node_modules/a": {**PINNED, "bundleDependencies": None},
        "node_modules/a/node_modules/b": claimed,
    }

    assert _faults({"node_modules/b": claimed}) == [
        "node_modules/b does not come from a registry",
    ]
    assert _faults(within) == ["node_modules/a/node_modules/b does not come from a registry"]


def test_what_comes_within_another_has_a_version_and_nothing_else() -> None:
    bundler = {**PINNED, "bundleDependencies": ["b"]}
    claimed = {"version": "https://evil.example/x.tgz", "inBundle": True}

    assert _faults({"node_modules/a": bundler, "node_modules/a/node_modules/b": claimed}) == [
        "node_modules/a/node_modules/b does not come from a registry",
    ]


@pytest.mark.parametrize("name", ["../x", "victim", "node_modules/../../x", "/node_modules/x"])
def test_what_would_stand_elsewhere_is_refused(name: str) -> None:
    assert _faults({name: PINNED}) == [f"{name} stands outside of node_modules"]


@pytest.mark.parametrize("lock", [{}, {"lockfileVersion": 1}, {"lockfileVersion": 3}])
def test_a_lock_file_that_says_too_little_is_refused(lock: dict[str, Any]) -> None:
    assert list(lock_faults(lock, REGISTRY)) == ["its lockfileVersion has to be 2 or more"]


@pytest.mark.parametrize(
    "spec",
    ["^1.0.0", "", "*", ">=1.2.3 <2 || ~3.0", "1.x", "latest", "npm:@me/odd@^1", "npm:odd"],
)
def test_versions_and_tags_of_a_registry_are_taken(spec: str) -> None:
    package = {
        "dependencies": {"chance": spec},
        "devDependencies": {"chance": spec},
        "overrides": {"chance": spec, "odd": {".": "1.0.0", "even": "$chance"}},
    }

    assert list(package_faults(package)) == []


@pytest.mark.parametrize(
    "spec",
    [
        "git+https://evil.example/x.git",
        "git@evil.example:me/x",
        "github:me/x",
        "me/x",
        "https://evil.example/x.tgz",
        "file:../x",
        "../x",
        "./x",
        "..",
        "/x",
        "~/x",
        "x.tgz",
        "x.TAR",
        "link:../x",
        "workspace:*",
        "npm:me/x",
        "npm:x@https://evil.example/x.tgz",
        "1.0.0\n",
        7,
        {},
        None,
    ],
)
@pytest.mark.parametrize("key", ["dependencies", "optionalDependencies", "devDependencies"])
def test_what_no_registry_has_is_refused_by_its_name(key: str, spec: object) -> None:
    (fault,) = package_faults({key: {"chance": spec}})

    assert fault.startswith("depends on chance of ")


@pytest.mark.parametrize("value", ["git+https://evil.example/x", "../x", ["1"], 7, "$"])
def test_what_is_said_instead_of_versions_is_looked_at_too(value: object) -> None:
    (fault,) = package_faults({"overrides": {"a": {"b@1": {"c": value}}}})

    assert fault.startswith("overrides name ")
    assert list(package_faults({"overrides": value}))


def test_folders_that_npm_would_go_to_are_refused() -> None:
    assert list(package_faults({"workspaces": ["../../*"]})) == [
        "it has workspaces, and npm would go to their folders"
    ]
