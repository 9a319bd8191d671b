"""What is read from docstrings."""

from papercup_plugin.docstrings import Doc, read_docstring

GOOGLE = """Roll dice.

    The outcome is left to chance:
      - really.

    Args:
        sides (int): How many sides.
            Usual: six.
        *count: How many dice.

        note: What for,
            in words.

    Returns:
        How it came out: a text.

    Use it often.
    """

SPHINX = """Roll dice.

:param sides: How many sides,
    say six.
:param int count: How many dice.
:returns: How it came out.
"""


def test_sections_of_googles_style_are_told_from_the_text() -> None:
    assert read_docstring(GOOGLE) == Doc(
        "Roll dice.\n\nThe outcome is left to chance:\n  - really.\n\nUse it often.",
        {
            "sides": "How many sides. Usual: six.",
            "count": "How many dice.",
            "note": "What for, in words.",
        },
    )


def test_fields_are_told_from_the_text() -> None:
    assert read_docstring(SPHINX) == Doc(
        "Roll dice.", {"sides": "How many sides, say six.", "count": "How many dice."}
    )


def test_a_text_without_sections_is_kept_whole() -> None:
    assert read_docstring("One: two.\n\n    Note: three.") == Doc("One: two.\n\nNote: three.", {})


def test_no_docstring_says_nothing() -> None:
    assert read_docstring(None) == read_docstring("  ") == Doc("", {})
