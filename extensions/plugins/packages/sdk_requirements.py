"""What the requirements of a plugin say of the SDK. Pure.

It comes with Papercup, and is never looked for on an index: whoever has its name there would else
have their package run.
"""

import re
from collections.abc import Iterable, Iterator
from email.parser import HeaderParser

from extensions.plugins.packages.entries import shown_name
from extensions.plugins.packages.errors import BadPackageError
from extensions.plugins.packages.python_versions import allows, normal_name

SDK_REQUIREMENT = "papercup-plugin"
"""What it is called among requirements."""
SDK_OVERRIDE = f"{SDK_REQUIREMENT} ; python_version < '0'"
"""Tells uv that nothing requires it, whatever says so."""
SDK_NOTE = f"# {SDK_REQUIREMENT} stands beside the plugin\n"
"""What is written among what is pinned in its place."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_EXTRAS = re.compile(r"\s*\[[^\]]*\]")
_OF_AN_EXTRA = re.compile(r"\bextra\b")


def names_sdk(requirement: str) -> bool:
    """Say whether a requirement is that of the SDK."""
    found = _NAME.match(requirement)
    return found is not None and normal_name(found[0]) == SDK_REQUIREMENT


def declared_in(metadata: str) -> Iterator[str]:
    """Yield what a wheel requires, of its `METADATA`, but for what only its extras do."""
    for each in HeaderParser().parsestr(metadata).get_all("Requires-Dist", []):
        requirement = " ".join(str(each).split())
        if _OF_AN_EXTRA.search(requirement.partition(";")[2]) is None:
            yield requirement


def check_sdk_versions(requirements: Iterable[str], version: str) -> None:
    """Make sure that the SDK of this Papercup is one that a plugin requires.

    Args:
        requirements: Those that name the SDK.
        version: The one that this Papercup has.

    Raises:
        BadPackageError: If it is not.
    """
    for requirement in requirements:
        if not allows(_versions(requirement), version):
            raise BadPackageError(
                f"it requires {shown_name(requirement)}, and this Papercup brings {version}:"
                " update Papercup, or install a version of the plugin that is made for"
                f" {version}"
            )


def _versions(requirement: str) -> str:
    wanted = _NAME.sub("", requirement.partition(";")[0], count=1)
    return _EXTRAS.sub("", wanted, count=1).strip().removeprefix("(").removesuffix(")")
