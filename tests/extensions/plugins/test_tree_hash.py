"""What a plugin's folder hashes to."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from extensions.plugins.tree_hash import BadTree, TreeHash, TreeLimits, hash_tree, is_vouched_for


def make_tree(folder: Path) -> Path:
    (folder / "lib").mkdir(parents=True)
    (folder / "main.py").write_text("print(1)\n")
    (folder / "lib" / "a.py").write_text("x = 1\n")
    (folder / "lib" / "latest.py").symlink_to("a.py")
    return folder


def text_of(folder: Path) -> str:
    found = hash_tree(folder)
    assert isinstance(found, TreeHash)
    return found.text


def reason_of(folder: Path, limits: TreeLimits | None = None) -> str:
    found = hash_tree(folder, limits)
    assert isinstance(found, BadTree)
    return str(found)


def test_the_same_tree_has_the_same_hash_wherever_it_is(tmp_path: Path) -> None:
    one, other = make_tree(tmp_path / "one"), make_tree(tmp_path / "elsewhere" / "other")
    (other / ".git").mkdir()
    (other / ".git" / "index").write_text("git writes this when nothing has changed")

    assert text_of(one) == text_of(other)
    assert text_of(one).startswith("sha256:")
    assert len(text_of(one)) == len("sha256:") + 64


def change_content(tree: Path) -> None:
    (tree / "lib" / "a.py").write_text("x = 2\n")


def add_file(tree: Path) -> None:
    (tree / "lib" / "b.py").touch()


def add_folder(tree: Path) -> None:
    (tree / "empty").mkdir()


def rename_file(tree: Path) -> None:
    (tree / "main.py").rename(tree / "Main.py")


def make_executable(tree: Path) -> None:
    (tree / "main.py").chmod(0o755)


def lead_elsewhere(tree: Path) -> None:
    (tree / "lib" / "latest.py").unlink()
    (tree / "lib" / "latest.py").symlink_to("../main.py")


def replace_link(tree: Path) -> None:
    (tree / "lib" / "latest.py").unlink()
    (tree / "lib" / "latest.py").write_text("x = 1\n")


def move_into_folder(tree: Path) -> None:
    (tree / "main.py").rename(tree / "lib" / "main.py")


def hide_in_a_later_git(tree: Path) -> None:
    (tree / "lib" / ".git").mkdir()
    (tree / "lib" / ".git" / "payload").touch()


@pytest.mark.parametrize(
    "change",
    [
        change_content,
        add_file,
        add_folder,
        rename_file,
        make_executable,
        lead_elsewhere,
        replace_link,
        move_into_folder,
        hide_in_a_later_git,
    ],
)
def test_whatever_changes_in_the_tree_changes_its_hash(
    tmp_path: Path, change: Callable[[Path], None]
) -> None:
    tree = make_tree(tmp_path / "tree")
    before = text_of(tree)
    change(tree)

    assert text_of(tree) != before


def test_who_may_read_or_when_it_was_written_does_not_change_the_hash(tmp_path: Path) -> None:
    tree = make_tree(tmp_path / "tree")
    before = text_of(tree)
    (tree / "main.py").chmod(0o600)
    os.utime(tree / "main.py", (1, 1))

    assert text_of(tree) == before


@pytest.mark.parametrize(
    "target", ["/etc/passwd", "../secret", "lib/../../secret", "/nowhere/at/all", ".git/payload"]
)
def test_a_link_that_leads_out_of_the_tree_is_refused_by_name(tmp_path: Path, target: str) -> None:
    tree = make_tree(tmp_path / "tree")
    (tmp_path / "secret").touch()
    (tree / "link.py").symlink_to(target)

    assert reason_of(tree) == "link.py is a link that leads out of the plugin's folder"


def test_links_that_lead_in_a_circle_end(tmp_path: Path) -> None:
    tree = make_tree(tmp_path / "tree")
    (tree / "one").symlink_to("other")
    (tree / "other").symlink_to("one")
    (tree / "lib" / "up").symlink_to("..")

    assert text_of(tree)


def test_what_is_no_file_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    for kind in ("pipe", "socket"):
        tree = make_tree(tmp_path / kind)
        if kind == "pipe":
            os.mkfifo(tree / "odd")
        else:
            here = Path.cwd()
            os.chdir(tree)
            try:
                with socket.socket(socket.AF_UNIX) as unix:
                    unix.bind("odd")
            finally:
                os.chdir(here)

        assert reason_of(tree) == "odd is neither a file nor a folder nor a link"


def test_a_tree_that_is_too_large_is_refused_by_name(tmp_path: Path) -> None:
    tree = make_tree(tmp_path / "tree")
    (tree / "weights.bin").write_bytes(bytes(3_000_000))

    too_many = reason_of(tree, TreeLimits(files=3))
    assert too_many.endswith("is one file too many: 3 are the most")
    too_large = reason_of(tree, TreeLimits(bytes=2_000_000))
    assert too_large == "weights.bin makes the plugin larger than 2 MB"


def test_a_folder_that_is_not_there_is_said_to_be_unreadable(tmp_path: Path) -> None:
    assert reason_of(tmp_path / "gone") == ". cannot be read (No such file or directory)"


def test_a_name_that_would_break_a_line_is_shown_escaped(tmp_path: Path) -> None:
    tree = make_tree(tmp_path / "tree")
    (tree / "evil\n\x1b[2J").symlink_to("/etc/passwd")

    assert reason_of(tree).startswith("'evil\\n\\x1b[2J' is a link")


def test_names_that_are_no_text_count_too(tmp_path: Path) -> None:
    tree = make_tree(tmp_path / "tree")
    before = text_of(tree)
    (tree / os.fsdecode(b"\xff\xfe")).touch()

    assert text_of(tree) != before


def test_only_what_is_hashed_is_vouched_for(tmp_path: Path) -> None:
    tree = make_tree(tmp_path / "tree")
    (tree / ".git").mkdir()
    (tree / "out").symlink_to("/bin")

    assert is_vouched_for(tree / "lib" / "latest.py", tree)
    assert not is_vouched_for(tree / "out" / "sh", tree)
    assert not is_vouched_for(tree / ".." / "tree2", tree)
    assert not is_vouched_for(tree / ".git" / "payload", tree)
