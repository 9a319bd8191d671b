import pytest

from scripts.pin import pinned_versions, with_pins

EMPTY = """\
[tool.uv]
constraint-dependencies = [
]
build-constraint-dependencies = [
]

[tool.other]
"""
PINNED = """\
[tool.uv]
constraint-dependencies = [
  "a==1",
  "b==2 ; sys_platform == 'linux'",
]
build-constraint-dependencies = [
  "c==3",
]

[tool.other]
"""


def test_pins_are_written_into_an_empty_list_and_taken_out_again() -> None:
    written = with_pins(EMPTY, ["a==1", "b==2 ; sys_platform == 'linux'"], ["c==3"])
    assert written == PINNED
    assert with_pins(PINNED, [], []) == EMPTY


def test_other_pins_replace_those_that_were_there() -> None:
    written = with_pins(PINNED, ["d==4"], [])
    assert written == with_pins(EMPTY, ["d==4"], [])


def test_a_file_without_a_place_for_pins_is_refused() -> None:
    with pytest.raises(ValueError, match="constraint-dependencies"):
        with_pins("[project]\n", [], [])


def test_the_version_is_read_without_the_marker() -> None:
    pins = ["a-b==1.0", "c==2026.1 ; sys_platform == 'linux' and python_full_version >= '3.12'"]
    assert pinned_versions(pins) == {"a-b": "1.0", "c": "2026.1"}


@pytest.mark.parametrize("pin", ["a", "a>=1", "a==1 b", "A==1"])
def test_what_is_no_exact_version_is_refused(pin: str) -> None:
    with pytest.raises(ValueError, match="exact"):
        pinned_versions([pin])
