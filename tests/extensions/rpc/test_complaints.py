from extensions.rpc.complaints import Complaints


def test_lines_are_given_as_they_become_whole() -> None:
    complaints = Complaints(1000, now=0)

    assert complaints.feed(b"one\r\ntw", now=0) == ["one"]
    assert complaints.feed(b"o\n\n \nthree", now=0) == ["two"]
    assert [complaints.rest(), complaints.rest()] == [["three"], []]


def test_what_is_no_text_is_shown_as_far_as_it_is() -> None:
    assert Complaints(1000, now=0).feed(b"a\xff\n", now=0) == ["a\ufffd"]


def test_a_long_line_is_cut_into_several() -> None:
    complaints = Complaints(1_000_000, now=0)

    assert [len(line) for line in complaints.feed(b"x" * 20_000 + b"\n", now=0)] == [
        8192,
        8192,
        3616,
    ]
    assert [len(line) for line in complaints.feed(b"x" * 10_000, now=0)] == [8192, 1808]


def test_no_more_than_so_much_is_kept_in_any_minute() -> None:
    complaints = Complaints(1000, now=0)
    kept = [
        len(line) for second in range(600) for line in complaints.feed(b"x" * 99, now=second / 10)
    ]

    assert sum(kept) <= 1000
    assert complaints.dropped_bytes == 600 * 99 - sum(kept)
