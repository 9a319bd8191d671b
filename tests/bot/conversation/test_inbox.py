import errno
import os
import stat
from pathlib import Path

import pytest

from bot.conversation.inbox import Inbox


def sizes(session: Path) -> dict[str, int]:
    files = (path for path in session.rglob("*") if path.is_file())
    return {str(path.relative_to(session)): path.stat().st_size for path in files}


def test_a_file_is_its_owners_alone_and_is_found_again(tmp_path: Path) -> None:
    inbox = Inbox(tmp_path / "5e55", 7)
    inbox.write("a.txt", b"hello")

    path = tmp_path / "5e55" / inbox.path_of("a.txt")
    assert path.read_bytes() == b"hello"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert {stat.S_IMODE(folder.stat().st_mode) for folder in list(path.parents)[:3]} == {0o700}
    assert inbox.read("a.txt", 5) == b"hello"
    assert sizes(tmp_path / "5e55") == {"inbox/7/a.txt": 5}


def test_a_file_that_is_missing_or_not_whole_is_not_found(tmp_path: Path) -> None:
    inbox = Inbox(tmp_path, 7)
    inbox.write("a.txt", b"hel")

    assert inbox.read("a.txt", 5) is None
    assert inbox.read("b.txt", 5) is None


def test_what_an_interrupted_write_left_is_replaced(tmp_path: Path) -> None:
    inbox = Inbox(tmp_path, 7)
    inbox.write("a.txt", b"hel")
    (tmp_path / "inbox" / "7" / ".a.txt.part").write_bytes(b"x")
    inbox.write("a.txt", b"hello")

    assert sizes(tmp_path) == {"inbox/7/a.txt": 5}


@pytest.mark.parametrize("linked", ["inbox", "inbox/7"])
def test_no_folder_is_a_link_to_elsewhere(tmp_path: Path, linked: str) -> None:
    session, elsewhere = tmp_path / "session", tmp_path / "elsewhere"
    elsewhere.mkdir()
    (session / linked).parent.mkdir(parents=True)
    (session / linked).symlink_to(elsewhere)

    with pytest.raises(OSError, match=os.strerror(errno.ENOTDIR)):
        Inbox(session, 7).write("a.txt", b"hello")
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("linked", ["a.txt", ".a.txt.part"])
def test_no_link_is_followed_to_a_file_elsewhere(tmp_path: Path, linked: str) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(b"hello")
    inbox = Inbox(tmp_path / "session", 7)
    inbox.write("other.txt", b"")
    folder = tmp_path / "session" / "inbox" / "7"
    (folder / linked).symlink_to(secret)

    assert inbox.read("a.txt", 5) is None
    inbox.write("a.txt", b"mine")
    assert secret.read_bytes() == b"hello"
    assert not (folder / "a.txt").is_symlink()


def test_a_pipe_in_the_place_of_a_file_holds_nobody_up(tmp_path: Path) -> None:
    inbox = Inbox(tmp_path, 7)
    inbox.write("other.txt", b"")
    os.mkfifo(tmp_path / "inbox" / "7" / "a.txt")

    assert inbox.read("a.txt", 0) is None


def test_the_oldest_goes_when_there_is_too_much(tmp_path: Path) -> None:
    for message_id in (9, 10, 8):
        Inbox(tmp_path, message_id).write("a.txt", b"x" * 100)
    (tmp_path / "inbox" / "notes").mkdir()

    Inbox(tmp_path, 11).make_room(150, most_bytes=300)

    assert sizes(tmp_path) == {"inbox/10/a.txt": 100}
    assert (tmp_path / "inbox" / "notes").is_dir()


def test_a_message_whose_files_are_fetched_again_keeps_them(tmp_path: Path) -> None:
    Inbox(tmp_path, 8).write("a.txt", b"x" * 100)
    Inbox(tmp_path, 8).make_room(300, most_bytes=300)

    assert sizes(tmp_path) == {"inbox/8/a.txt": 100}


def test_what_links_lead_to_is_not_removed(tmp_path: Path) -> None:
    session, elsewhere = tmp_path / "session", tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "precious").write_text("x")
    Inbox(session, 8).write("a.txt", b"x" * 100)
    (session / "inbox" / "8" / "link").symlink_to(elsewhere)
    Inbox(session, 9).make_room(300, most_bytes=300)

    assert (elsewhere / "precious").exists()
    assert sizes(session) == {}
