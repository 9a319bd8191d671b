import pytest

from extensions.plugins.versions import precedence


def test_versions_are_ordered_as_semver_says() -> None:
    written = "1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11"
    versions = [*written.split(), "1.0.0-rc.1", "1.0.0", "1.0.1", "1.10.0", "2.0.0"]
    found = [precedence(version) for version in versions]

    assert None not in found
    assert sorted(found, key=lambda one: one or ((0, 0, 0), True, ())) == found


def test_what_it_was_built_from_orders_nothing() -> None:
    assert precedence("1.0.0+a") == precedence("1.0.0+b")


@pytest.mark.parametrize(
    "text",
    ["", "1", "1.0", "01.0.0", "1.0.0-", "1.0.0-01", "v1.0.0", "1.0.0\n", "1." * 200, "\u0661.0.0"],
)
def test_what_is_no_version_is_none(text: str) -> None:
    assert precedence(text) is None
