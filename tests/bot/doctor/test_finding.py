from bot.doctor.finding import (
    Finding,
    Grade,
    fail,
    is_healthy,
    ok,
    plain_findings,
    rows_of,
    summary_of,
    warn,
)

FINE = ok("Python", "3.11.7")
POOR = warn("Disk", "0.9 GB free", "Make room.")
VAGUE = warn("API key", "it cannot be reached")
BAD = fail("Jail", "none works", "Allow user namespaces.")


def test_only_a_failure_is_not_healthy() -> None:
    assert is_healthy([])
    assert is_healthy([FINE, POOR, VAGUE])
    assert not is_healthy([FINE, BAD])


def test_each_finding_is_a_row_with_its_mend_below_what_is_so() -> None:
    assert rows_of([FINE, POOR, VAGUE, BAD]) == [
        ("OK", "Python", "3.11.7"),
        ("WARN", "Disk", "0.9 GB free\n→ Make room."),
        ("WARN", "API key", "it cannot be reached"),
        ("FAIL", "Jail", "none works\n→ Allow user namespaces."),
    ]


def test_the_summary_counts_what_failed_and_what_could_be_better() -> None:
    assert summary_of([FINE]) == "No check of 1 failed."
    assert summary_of([FINE, POOR, VAGUE]) == "No check of 3 failed; 2 could be better."
    assert summary_of([FINE, BAD]) == "1 of 2 checks failed."
    assert summary_of([BAD, POOR]) == "1 of 2 checks failed; 1 could be better."


def test_findings_are_told_as_plain_data() -> None:
    assert plain_findings([FINE, BAD]) == {
        "ok": False,
        "findings": [
            {"check": "Python", "grade": "OK", "text": "3.11.7", "mend": None},
            {
                "check": "Jail",
                "grade": "FAIL",
                "text": "none works",
                "mend": "Allow user namespaces.",
            },
        ],
    }


def test_a_failure_always_says_how_it_is_mended() -> None:
    assert Finding(check="c", grade=Grade.FAIL, text="t", mend="m") == fail("c", "t", "m")
