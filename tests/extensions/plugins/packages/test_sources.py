"""What people write as a plugin's source, and what is meant."""

from pathlib import Path

import pytest

from extensions.plugins.packages.errors import SourceError
from extensions.plugins.packages.sources import (
    FolderSource,
    GitSource,
    NpmSource,
    PypiSource,
    Source,
    read_source,
)


@pytest.mark.parametrize(
    ("text", "source", "name"),
    [
        ("npm:dice", NpmSource(package="dice"), "dice"),
        ("npm:@me/dice", NpmSource(package="@me/dice"), "dice"),
        ("npm:@me/dice@1.2.0-rc.1", NpmSource(package="@me/dice", version="1.2.0-rc.1"), "dice"),
        ("npm:dice@next", NpmSource(package="dice", version="next"), "dice"),
        ("pypi:papercup-dice", PypiSource(package="papercup-dice"), "papercup-dice"),
        ("pypi:Dice@1!2.0", PypiSource(package="Dice", version="1!2.0"), "Dice"),
        (
            "git:example.org/me/dice.git",
            GitSource(host="example.org", path="me/dice.git"),
            "dice",
        ),
        (
            "git:127.0.0.1:8443/dice@feature/x",
            GitSource(host="127.0.0.1:8443", path="dice", ref="feature/x"),
            "dice",
        ),
        ("path:/srv/dice", FolderSource(path=Path("/srv/dice")), "dice"),
    ],
)
def test_a_source_is_read_and_written_the_same(text: str, source: Source, name: str) -> None:
    assert read_source(text) == source
    assert str(source) == text
    assert source.name == name


def test_a_repository_is_reached_by_https_alone() -> None:
    assert GitSource(host="example.org", path="me/dice").url == "https://example.org/me/dice"


@pytest.mark.parametrize(
    "text",
    [
        "dice",  # what npm and PyPI have of that name is not meant
        "",
        ":dice",
        "ext::sh -c id",
        "git:ext::sh -c id",
        "git:file:///srv/dice",
        "git:https://example.org/me/dice",
        "git:ssh://example.org/me/dice",
        "git:git@example.org:me/dice",
        "git:-oProxyCommand=id/x",
        "git:example.org/--upload-pack=id",
        "git:example.org/-x/dice",
        "git:example.org/../dice",
        "git:example.org/me/.git",
        "git:example.org",
        "git:example.org/me/dice@-x",
        "git:example.org/me/dice@--upload-pack=id",
        "git:example.org/me/dice@a..b",
        "git:example.org/me/dice@a:b",
        "git:example.org/me/dice@+a",
        "git:example.org/me/dice@",
        "git:example.org/me/dice\n",
        "npm:../dice",
        "npm:@me/../dice",
        "npm:.dice",
        "npm:Dice",
        "npm:dice@^1.0",
        "npm:dice@https://evil.example/x.tgz",
        "npm:dice@file:/etc",
        "pypi:-r",
        "pypi:dice>=1",
        "pypi:dice @ https://evil.example/x.whl",
        "pypi:dice@",
        "path:dice",
        "path:/srv/\x1bdice",
        "https://example.org/dice.tgz",
        "npm:" + "a" * 2000,
    ],
)
def test_what_is_no_source_is_refused(text: str) -> None:
    with pytest.raises(SourceError):
        read_source(text)


@pytest.mark.parametrize(
    ("text", "mend"),
    [
        ("npm:x@^1.2", "one version is needed, or a tag, as in npm:x@1.2.3"),
        ("npm:@me/x@>=1 <2", "one version is needed, or a tag, as in npm:@me/x@1.2.3"),
        ("npm:x@", "one version is needed, or a tag, as in npm:x@1.2.3"),
        ("pypi:x>=1", "one version is needed, as in pypi:x@1.2.3"),
        ("pypi:x~=1.0,<2", "one version is needed, as in pypi:x@1.2.3"),
        ("pypi:x==1.2", "here it is written pypi:x@1.2"),
        ("pypi:x[fair]", "extras cannot be chosen, so it is written pypi:x"),
        ("git:example.org/me/x#main", "here it is written git:example.org/me/x@main"),
        ("git:https://example.org/me/x.git", "here it is written git:example.org/me/x.git"),
        ("git+https://example.org/me/x@v1", "here it is written git:example.org/me/x@v1"),
        ("https://github.com/me/x", "here it is written git:github.com/me/x"),
        ("https://github.com/me/x/", "here it is written git:github.com/me/x"),
        ("https://github.com/me/x/tree/main", "here it is written git:github.com/me/x@main"),
        ("git@github.com:me/x.git", "here it is written git:github.com/me/x.git"),
        ("ssh://git@github.com/me/x", "here it is written git:github.com/me/x"),
        ("github.com/me/x", "here it is written git:github.com/me/x"),
        ("github:me/x", "here it is written git:github.com/me/x"),
        ("gitlab:me/x#v1", "here it is written git:gitlab.com/me/x@v1"),
        ("https://www.npmjs.com/package/@me/x", "here it is written npm:@me/x"),
        ("https://pypi.org/project/x/", "here it is written pypi:x"),
        ("@me/x", "here it is written npm:@me/x"),
        ("@me/x@1.2.3", "here it is written npm:@me/x@1.2.3"),
        (
            "dice",
            "`papercup plugin search dice` looks for it; it is written npm:NAME or pypi:NAME",
        ),
    ],
)
def test_what_is_written_as_elsewhere_is_told_how_it_is_written_here(text: str, mend: str) -> None:
    with pytest.raises(SourceError) as caught:
        read_source(text)

    assert str(caught.value).endswith(f": {mend}")
    shown = mend.rsplit(maxsplit=1)[-1]
    assert "HOST" in shown or str(read_source(shown)) == shown


def test_what_nobody_can_make_out_is_told_which_schemes_there_are() -> None:
    with pytest.raises(SourceError) as caught:
        read_source("no such thing")

    assert str(caught.value) == (
        "'no such thing' is neither a folder nor a source such as"
        " npm:@scope/NAME, git:HOST/USER/REPO, pypi:NAME"
    )
