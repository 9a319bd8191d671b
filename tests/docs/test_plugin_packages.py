"""The page on installing plugins says what the code does."""

from bot.cli.package_ground import PackageExit
from extensions.plugins.packages import copying, entries, environments, node_packages, searching
from extensions.plugins.packages.environments import FOLDER_NAME, REQUIREMENTS_NAME
from extensions.plugins.packages.packages_file import FILE_NAME
from tests.docs.pages import page, rows_of

PAGE = page("docs/plugins/packages.md")


def test_every_exit_code_is_explained() -> None:
    rows = rows_of(PAGE.section("Options and exit codes"))
    assert [int(cells[0]) for cells in rows if cells[0].isdigit()] == [
        each.value for each in PackageExit
    ]


def test_how_much_is_taken_is_said() -> None:
    text = " ".join(PAGE.text.split())
    mebibytes = entries.MOST_BYTES // (1024 * 1024)
    fine = entries.ALWAYS_FINE_BYTES // (1024 * 1024)
    assert f"more than {entries.MOST_ENTRIES:,} entries, more than {mebibytes} MiB" in text
    assert f"archives of more than {fine} MiB that are a hundred times as large" in text
    assert entries.MOST_GROWTH == 100
    assert f"what stands more than {entries.MOST_DEPTH} folders deep" in text
    assert f"(npm {node_packages.LEAST_NPM} or newer)" in text


def test_how_large_an_environment_may_be_is_said() -> None:
    gigabytes = environments.MOST_BYTES // 1_000_000_000
    most = f"up to {environments.MOST_FILES:,} files and {gigabytes} GB"
    assert most in " ".join(PAGE.text.split())


def test_what_stays_behind_and_what_is_written_is_named() -> None:
    left = copying.LEFT_BEHIND | copying.LEFT_BEHIND_EVERYWHERE
    written = {FILE_NAME, REQUIREMENTS_NAME, f"{FOLDER_NAME}/", *searching.KEYWORDS}
    assert left | written <= set(PAGE.codes)
