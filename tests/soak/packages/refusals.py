"""What must not be installed, and what must not be run while something is."""

from pathlib import Path

from tests.fakes.package_archives import plugin_files
from tests.soak.findings import Findings
from tests.soak.packages.desk import Desk
from tests.soak.packages.hostile import Hostile, archives, with_scripts, with_setup

_REFUSED = 2


async def offer_archives(desk: Desk, findings: Findings) -> int:
    """Have each hostile archive installed, and return how many there were."""
    count = 0
    for hostile in archives():
        count += 1
        source = _offer(desk, hostile)
        printed = await desk.call("install", source)
        is_named = printed.code == _REFUSED and hostile.named in printed.err
        seen = None if is_named else f"code {printed.code}: {printed.end}"
        what = "with the name of the entry" if hostile.is_named else "before any entry is read"
        findings.check(f"S13: refused, {what}", hostile.title, seen)
        left = [*desk.left, *(str(each) for each in desk.folder.rglob("evil"))]
        findings.check(
            "S13: nothing of it is left", hostile.title, ", ".join(left) if left else None
        )
    return count


def _offer(desk: Desk, hostile: Hostile) -> str:
    body = hostile.make()
    if hostile.is_wheel:
        desk.registries.add_pypi("hostile", {"hostile-1.0-py3-none-any.whl": body})
        return "pypi:hostile"
    desk.registries.add_npm("hostile", {"1.0.0": body})
    return "npm:hostile"


async def offer_scripts(desk: Desk, findings: Findings) -> None:
    """Install what has scripts that want to be run on it."""
    mark = str(desk.marker)
    desk.registries.add_npm("scripted", {"1.0.0": with_scripts(mark)})
    desk.registries.add_pypi("scripted", {"scripted-1.0.0.tar.gz": with_setup(mark)})
    for source in ("npm:scripted", "pypi:scripted"):
        printed = await desk.call("install", source)
        ran = "it was run" if desk.marker.exists() else None
        seen = ran if printed.code == 0 else f"code {printed.code}: {printed.end}"
        findings.check("S13: scripts that come along are not run", source, seen)
        await desk.call("remove", "dice", "--yes")


async def name_bad_repositories(desk: Desk, findings: Findings) -> None:
    """Have sources of git installed that must not be."""
    host, mark = desk.git.host, desk.marker
    desk.git.commit("dice", plugin_files())
    for text in (
        f"git:ext::sh -c touch% {mark}",
        f"ext::sh -c touch% {mark}",
        f"git:file://{desk.git.folder}/dice",
        f"git:ssh://{host}/dice",
        f"git:-oProxyCommand=touch {mark}/dice/x",
        f"git:{host}/dice@--upload-pack=touch {mark}",
        f"git:{host}/dice@-x",
        f"git:{host}/--upload-pack=touch",
    ):
        printed = await desk.call("install", text)
        is_refused = printed.code == _REFUSED and not desk.left and not mark.exists()
        seen = None if is_refused else f"code {printed.code}: {printed.end}"
        findings.check("S14: refused as a source, and nothing is run", text.split()[0], seen)
    for name, files, named in (
        ("submodule", {".gitmodules": b'[submodule "x"]\nurl = file:///etc\n'}, ".gitmodules"),
        ("lfs", {".gitattributes": b"*.bin filter=lfs diff=lfs\n"}, ".gitattributes"),
        ("link", {"out": Path("/etc/passwd")}, "out"),
    ):
        desk.git.commit(name, {**plugin_files(), **files})
        printed = await desk.call("install", f"git:{host}/{name}")
        is_named = printed.code == _REFUSED and named in printed.err and not desk.left
        seen = None if is_named else f"code {printed.code}: {printed.end}"
        findings.check("S14: a repository is refused, with the name of the entry", name, seen)


async def forget_the_scheme(desk: Desk, findings: Findings) -> None:
    """Name a plugin without its scheme, where both registries have a package of that name."""
    desk.registries.add_npm("dice", {"9.9.9": with_scripts(str(desk.marker))})
    desk.registries.add_pypi("dice", {"dice-9.9.9.tar.gz": with_setup(str(desk.marker))})
    for text in ("dice", "@me/dice", "dice@9.9.9"):
        printed = await desk.call("install", text)
        is_refused = printed.code == _REFUSED and "neither a folder nor a source" in printed.err
        seen = None if is_refused and not desk.left else f"code {printed.code}: {printed.end}"
        findings.check("S34: without its scheme nothing is looked for", text, seen)
