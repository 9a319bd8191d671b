"""What is said of the SDK among requirements."""

import pytest

from extensions.plugins.packages.errors import BadPackageError
from extensions.plugins.packages.sdk_requirements import (
    check_sdk_versions,
    declared_in,
    names_sdk,
)


@pytest.mark.parametrize(
    ("requirement", "is_it"),
    [
        ("papercup-plugin", True),
        ("Papercup_Plugin >= 1", True),
        ("papercup.plugin[x]==1 ; python_version > '3'", True),
        ("papercup-plugin@ https://example.org/x.whl", True),
        ("papercup-plugin-dice", False),
        ("papercup-plugins", False),
        ("chance", False),
        ("", False),
    ],
)
def test_the_sdk_is_known_among_requirements(requirement: str, is_it: bool) -> None:  # noqa: FBT001 - a table
    assert names_sdk(requirement) is is_it


def test_what_a_wheel_requires_is_read_without_what_only_extras_do() -> None:
    metadata = (
        "Metadata-Version: 2.1\nName: dice\nRequires-Dist: chance (>=1)\n"
        "requires-dist: papercup-plugin<2,>=0.1 ; python_version >= '3.11'\n"
        "Requires-Dist: helper; extra == 'fair'\n\nRequires-Dist: none\n"
    )

    assert list(declared_in(metadata)) == [
        "chance (>=1)",
        "papercup-plugin<2,>=0.1 ; python_version >= '3.11'",
    ]


@pytest.mark.parametrize(
    "requirement",
    [
        "papercup-plugin",
        "papercup-plugin[x] (>=0.1,<2) ; python_version > '3'",
        "papercup-plugin ~= 0.1 , != 0.2",
    ],
)
def test_a_range_that_allows_this_version_is_fine(requirement: str) -> None:
    check_sdk_versions([requirement], "0.1.3")


@pytest.mark.parametrize(
    "requirement",
    ["papercup-plugin==0.1.2", "papercup-plugin (>=1)", "papercup-plugin @ https://x.example/y"],
)
def test_a_range_that_does_not_is_refused_with_both_versions(requirement: str) -> None:
    with pytest.raises(BadPackageError) as caught:
        check_sdk_versions(["papercup-plugin", requirement], "0.1.3")

    assert str(caught.value).startswith(
        f"it requires {requirement}, and this Papercup brings 0.1.3: update Papercup, or"
    )
