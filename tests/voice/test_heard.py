import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.heard import SpeechLog, written_part


def log_of(*chunks: tuple[str, str, int], with_words: bool = False) -> SpeechLog:
    """Return the log of chunks, each with how many packets carry it, all given to the link."""
    log, start = SpeechLog(), 0
    for written, spoken, packets in chunks:
        log.begin(written=written, spoken=spoken)
        if not spoken:
            continue
        if with_words:
            end = 0
            for word in spoken.split():
                end = spoken.index(word, end) + len(word)
                log.word(text_end=end, at_seconds=packets * 0.02 * end / len(spoken))
        log.handed(start=start, count=packets)
        start += packets
        log.complete()
    return log


def test_what_was_sent_to_its_end_is_heard_as_it_was_written() -> None:
    log = log_of(("It is **done**. ", "It is done.", 50), ("Want it?\n", "Want it?", 40))
    assert log.text(90) == "It is **done**. Want it?"


def test_nothing_is_heard_before_the_first_packet() -> None:
    log = log_of(("It is done. ", "It is done.", 50))
    assert log.text(0) == ""


def test_a_chunk_that_was_sent_in_part_is_cut_at_the_end_of_a_word() -> None:
    log = log_of(("One two three four. ", "One two three four.", 100), with_words=True)
    assert log.text(50) == "One two"
    assert log.text(99) == "One two three"
    assert log.text(100) == "One two three four."


def test_without_the_times_of_words_it_is_cut_by_the_share_of_the_audio() -> None:
    log = log_of(("One two three four. ", "One two three four.", 100))
    assert log.text(50) == "One two"


def test_silence_that_was_left_out_counts_as_passed() -> None:
    log = SpeechLog()
    log.begin(written="One two", spoken="One two")
    log.word(text_end=3, at_seconds=0.5)
    log.word(text_end=7, at_seconds=0.9)
    log.skipped(0.3)
    log.handed(start=0, count=30)
    assert log.text(5) == ""
    assert log.text(10) == "One"


def test_a_chunk_that_is_still_being_made_is_not_heard_to_its_end() -> None:
    log = SpeechLog()
    log.begin(
        written="One two three four five six seven", spoken="One two three four five six seven"
    )
    log.handed(start=0, count=50)
    assert log.text(50) == "One two three"
    assert not log.is_complete


def test_what_was_left_out_in_the_middle_was_not_heard() -> None:
    log = SpeechLog()
    log.begin(written="One two. ", spoken="One two.")
    log.word(text_end=3, at_seconds=0.2)
    log.handed(start=0, count=10)
    log.left_out()
    log.begin(written=" Three.", spoken="Three.")
    log.handed(start=10, count=10)
    log.complete()
    assert log.text(20) == "One Three."
    assert not log.is_complete


def test_packets_of_something_else_between_two_chunks_are_not_counted() -> None:
    log = SpeechLog()
    log.begin(written="One. ", spoken="One.")
    log.handed(start=10, count=10)
    log.complete()
    log.begin(written="Two.", spoken="Two.")
    log.handed(start=120, count=10)
    log.complete()
    assert log.text(119) == "One."
    assert log.end == 130


def test_what_is_not_spoken_is_heard_with_what_follows_it() -> None:
    log = log_of(
        ("```\ncode\n```\n", "", 0), ("Look at it. ", "Look at it.", 20), ("\n***\n", "", 0)
    )
    assert log.text(0) == ""
    assert log.text(20) == "```\ncode\n```\nLook at it. \n***"


def test_a_text_of_which_nothing_is_said_is_not_complete() -> None:
    assert not log_of(("***", "", 0)).is_complete
    assert log_of(("***", "", 0)).text(10) == ""


@pytest.mark.parametrize(
    ("spoken_end", "part"),
    [
        (len("It is"), "It is"),
        (len("It is three"), "It is 3"),
        (len("It is three kilometres"), "It is 3 km"),
        (len("It is three kilometres to"), "It is 3 km to"),
        (len("It is three kilometres to go"), "It is 3 km to **go"),
        (0, ""),
    ],
)
def test_words_that_are_said_otherwise_are_placed_between_their_neighbours(
    spoken_end: int, part: str
) -> None:
    assert (
        written_part("It is 3 km to **go**.", "It is three kilometres to go.", spoken_end) == part
    )


@given(st.text(max_size=60), st.text(max_size=60), st.integers(0, 60))
def test_a_part_is_always_the_beginning_of_the_text(written: str, spoken: str, end: int) -> None:
    part = written_part(written, spoken, end)
    assert written.startswith(part)


@given(st.lists(st.sampled_from(["one", "two", "three", "don't", "4.5"]), min_size=1, max_size=12))
def test_the_longer_the_more_is_heard(words: list[str]) -> None:
    text = " ".join(words)
    log = log_of((text, text, 100))
    heard = [log.text(sent) for sent in range(101)]
    assert heard == sorted(heard, key=len)
    assert heard[-1] == text
