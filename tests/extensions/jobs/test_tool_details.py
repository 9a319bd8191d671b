import pytest

from extensions.jobs.tool_details import tool_detail, written_path


@pytest.mark.parametrize(
    ("name", "arguments", "detail"),
    [
        ("Read", {"file_path": "/data/extensions/8d08ba4f/src/notes.txt"}, "notes.txt"),
        ("Write", {"file_path": "hello.txt", "content": "hi"}, "hello.txt"),
        ("NotebookEdit", {"notebook_path": "a/b.ipynb"}, "b.ipynb"),
        ("Glob", {"pattern": "**/*.py"}, "**/*.py"),
        ("Grep", {"pattern": "def \n main"}, "def main"),
        ("Bash", {"command": "python3 hello.py --key hush"}, "python3"),
        ("Bash", {"command": "TOKEN=hush KEY='a b' curl x"}, "curl"),
        ("Bash", {"command": "TOKEN=hush"}, ""),
        ("Bash", {"command": "  "}, ""),
        ("Bash", {"command": "A=1 " * 1_000_000 + "curl"}, ""),
        ("Bash", {"command": 7}, ""),
        ("Write", {}, ""),
        ("mcp__files__read", {"path": "x"}, ""),
        ("Glob", {"pattern": "x" * 500}, "x" * 100),
    ],
)
def test_a_call_is_told_in_a_word_or_two(
    name: str, arguments: dict[str, object], detail: str
) -> None:
    assert tool_detail(name, arguments) == detail


def test_only_what_writes_names_a_file_that_is_written() -> None:
    assert written_path("Edit", {"file_path": "src/a.py"}) == "src/a.py"
    assert written_path("Read", {"file_path": "src/a.py"}) is None
    assert written_path("Write", {"file_path": 7}) is None
