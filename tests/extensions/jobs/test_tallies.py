import pytest

from extensions.claude.usage import Usage
from extensions.jobs.line_facts import AnswerUsage
from extensions.jobs.tallies import FileTally, TokenTally


def written(tally: FileTally, path: str) -> FileTally:
    return tally.begun("t1", path).ended("t1", is_error=False)


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/job/src/a.py", "src/a.py"),
        ("./src/../b.py", "b.py"),
        ("/job/../etc/passwd", "/etc/passwd"),
        ("/jobs/a.py", "/jobs/a.py"),
        ("x" * 5000, "x" * 1000),
    ],
)
def test_a_path_within_the_folder_is_relative_to_it(path: str, shown: str) -> None:
    assert written(FileTally(folder="/job/"), path).newest == shown


def test_one_file_is_counted_once_by_whichever_path_it_is_named() -> None:
    tally = written(written(FileTally(folder="/job"), "/job/a.py"), "a.py")

    assert tally.count == 1


def test_calls_that_never_returned_are_forgotten_at_the_end_of_a_turn() -> None:
    tally = FileTally().begun("t1", "a.py").all_ended().ended("t1", is_error=False)

    assert tally == FileTally()


def test_only_so_many_calls_are_remembered_that_have_not_returned() -> None:
    tally = FileTally()
    for number in range(300):
        tally = tally.begun(f"t{number}", f"{number}.txt")

    assert tally.ended("t0", is_error=False).count == 0
    assert tally.ended("t299", is_error=False).newest == "299.txt"
    assert len(repr(tally)) < 5000


def test_only_so_many_files_are_told_apart() -> None:
    tally = FileTally()
    for number in range(1200):
        tally = written(tally, f"{number}.txt")

    assert (tally.count, tally.newest) == (1000, "1199.txt")


def test_an_answer_that_is_told_twice_is_counted_once_and_the_turns_end_is_believed() -> None:
    began = Usage(input_tokens=100, output_tokens=1)
    whole = Usage(input_tokens=100, output_tokens=40)
    answer = AnswerUsage(answer_id="a", usage=began)
    tally = TokenTally().answered(answer).answered(answer)
    assert tally.total == began

    tally = tally.turn_ended(whole)
    assert tally.total == whole
    assert tally.answered(AnswerUsage(answer_id="b", usage=began)).total == whole + began


def test_a_turn_that_was_stopped_took_what_its_answers_took() -> None:
    began = Usage(input_tokens=100, output_tokens=1)
    tally = TokenTally().answered(AnswerUsage(answer_id="a", usage=began))

    assert tally.turn_ended(Usage()).total == began
