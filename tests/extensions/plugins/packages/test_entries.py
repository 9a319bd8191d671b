"""Which files can be taken, and how many."""

import pytest

from extensions.plugins.packages.entries import Entries, EntryLimits
from extensions.plugins.packages.errors import BadPackageError


def test_folders_that_no_entry_names_count_as_well() -> None:
    entries = Entries(EntryLimits(entries=5))
    entries.take("a/b/c/file", is_folder=False)
    entries.take("a/b/other", is_folder=False)

    with pytest.raises(BadPackageError, match=r"^a/d/file is one entry too many: 5 are the most"):
        entries.take("a/d/file", is_folder=False)


@pytest.mark.parametrize(
    ("one", "other"),
    [("README", "readme"), ("\u03aa\u0301", "\u0390"), ("\u1e9e", "ss"), ("a/X/b", "a/x/c")],
)
def test_names_that_some_file_systems_take_for_one_are_refused(one: str, other: str) -> None:
    entries = Entries(EntryLimits())
    entries.take(one, is_folder=False)

    with pytest.raises(BadPackageError, match="by its spelling alone"):
        entries.take(other, is_folder=False)
