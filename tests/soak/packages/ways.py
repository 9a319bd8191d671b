"""The whole way of a plugin from each kind of source."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.fakes.package_archives import tgz, wheel
from tests.soak.findings import Findings
from tests.soak.packages.desk import Desk, Printed

_EXAMPLE = Path(__file__).parents[3] / "examples" / "plugins" / "dice"
_OLD, _NEW = "1.0.0", "1.1.0"
_TOOL = "ext_dice_roll"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of source, and how a version comes to be offered there."""

    title: str
    source: Callable[[Desk], str]
    """What is installed."""
    publish: Callable[[Desk, str], None]
    is_link: bool = False


def dice(version: str) -> Mapping[str, bytes]:
    """Return the files of a plugin that runs, in a version."""
    return {
        each.name: each.read_bytes().replace(_OLD.encode(), version.encode())
        for each in sorted(_EXAMPLE.iterdir())
        if each.is_file()
    }


def _publish_folder(desk: Desk, version: str) -> None:
    folder = desk.home / "mine"
    folder.mkdir(exist_ok=True)
    for name, body in dice(version).items():
        (folder / name).write_bytes(body)


def _publish_npm(desk: Desk, version: str) -> None:
    desk.registries.add_npm("@me/dice", {version: tgz(dice(version))})


def _publish_wheel(desk: Desk, version: str) -> None:
    body = wheel("dice", version, {f"dicer/{name}": body for name, body in dice(version).items()})
    desk.registries.add_pypi("dice", {f"dice-{version}-py3-none-any.whl": body})


def _publish_sdist(desk: Desk, version: str) -> None:
    root = f"dice-{version}"
    desk.registries.add_pypi("dice", {f"{root}.tar.gz": tgz(dice(version), root=root)})


def _publish_commit(desk: Desk, version: str) -> None:
    desk.git.commit("dice", dice(version))


KINDS: Iterable[Kind] = (
    Kind(title="a folder", source=lambda _: "mine", publish=_publish_folder),
    Kind(
        title="a link",
        source=lambda desk: str(desk.home / "mine"),
        publish=_publish_folder,
        is_link=True,
    ),
    Kind(title="npm", source=lambda _: "npm:@me/dice", publish=_publish_npm),
    Kind(title="PyPI, a wheel", source=lambda _: "pypi:dice", publish=_publish_wheel),
    Kind(title="PyPI, its source", source=lambda _: "pypi:dice", publish=_publish_sdist),
    Kind(
        title="git over TLS",
        source=lambda desk: f"git:{desk.git.host}/dice",
        publish=_publish_commit,
    ),
)


async def go_the_way(desk: Desk, kind: Kind, findings: Findings) -> str:
    """Go through all of it, and return how long what took."""

    def check(what: str, seen: str | None) -> None:
        findings.check(what, kind.title, seen)

    kind.publish(desk, _OLD)
    options = ("--link",) if kind.is_link else ()
    installed = await desk.call("install", kind.source(desk), *options)
    check("it is installed", _unless(installed.code == 0, installed))
    check("before it is trusted, it does not run", await _runs_not(desk))
    trusted = await desk.call("trust", "dice", "--yes")
    check("trusted, its program runs", await _runs(desk, _OLD))
    kind.publish(desk, _NEW)
    updated = await desk.call("update", "dice")
    # What is linked is always as it is now.
    is_right = updated.code == 0 if not kind.is_link else updated.code != 0
    check("a new version is brought", _unless(is_right, updated))
    check("with that it is trusted no more, and does not run", await _runs_not(desk))
    await desk.call("trust", "dice", "--yes")
    check("trusted again, the new version runs", await _runs(desk, _NEW))
    removed = await desk.call("remove", "dice", "--yes")
    left = [*desk.left, *await _listed(desk)]
    is_gone = removed.code == 0 and not left
    check("removed, nothing of it is left", _unless(is_gone, removed, *left))
    steps = {"install": installed, "trust": trusted, "update": updated, "remove": removed}
    return ", ".join(f"{name} {each.seconds:.1f} s" for name, each in steps.items())


async def _runs(desk: Desk, version: str) -> str | None:
    """Return what is seen if it does not run in that version."""
    tried = await desk.call("doctor", "--runtime", "--json")
    listed = await _listed(desk)
    checks = [(each["outcome"], each["tools"]) for each in tried.json["checks"]]
    is_so = checks == [("ok", [_TOOL])] and listed == [f"dice {version}"]
    return None if is_so else f"{checks}, {listed}"


async def _runs_not(desk: Desk) -> str | None:
    """Return what is seen if it runs."""
    tried = await desk.call("doctor", "--runtime", "--json")
    outcomes = [each["outcome"] for each in tried.json["checks"]]
    return None if outcomes == ["skip"] else f"{outcomes}"


async def _listed(desk: Desk) -> list[str]:
    listed = await desk.call("list", "--json")
    return [f"{each['id']} {each['version']}" for each in listed.json["plugins"]]


def _unless(is_right: object, printed: Printed, *more: str) -> str | None:
    return None if is_right else f"code {printed.code}: {printed.end} {' '.join(more)}"
