"""What `/voice doctor` says."""

import pytest

from bot.conversation.line_doctor import NOT_THERE, HearingTest, doctor_text, is_right
from voice.line_report import TRANSCRIBED, LineReport, StageTimes
from voice.link import LinkReport

GOOD = LinkReport(
    is_connected=True,
    is_encrypted=True,
    transport_mode="aead_xchacha20_poly1305_rtpsize",
    latency_seconds=0.0312,
    counts={"received": 500},
)


def test_it_says_what_was_heard_and_how_everything_is_doing() -> None:
    report = LineReport(
        link=GOOD,
        engines={"speech to text": "sherpa-onnx", "voice": "hibari heart"},
        stages={
            "end of turn": StageTimes(
                count=1, newest_seconds=0.02, p50_seconds=0.02, p95_seconds=0.02
            ),
            TRANSCRIBED: StageTimes(
                count=9, newest_seconds=0.4, p50_seconds=0.41, p95_seconds=1.01
            ),
        },
        hearing_counts={
            "packets": 500,
            "late": 0,
            "lost": 2,
            "concealed": 2,
            "utterances": 9,
            "noises": 1,
        },
    )
    assert doctor_text(report, HearingTest(heard="1, 2, 3.", seconds=12)).splitlines() == [
        "✅ I can hear you: “1, 2, 3.”",
        (
            "🔌 connected · end-to-end encrypted (DAVE) · `aead_xchacha20_poly1305_rtpsize`"
            " · latency 31 ms"
        ),
        "📦 packets: 500 received, 2 lost, 2 concealed",
        "👂 heard: 9 with words, 1 without",
        "⚙️ speech to text: `sherpa-onnx` · voice: `hibari heart`",
        "⏱️ end of turn: 20 ms",
        "⏱️ end of speech → transcript: 400 ms (of 9: half within 410 ms, 95 % within 1.0 s)",
    ]


@pytest.mark.parametrize(
    ("link", "counts", "troubles", "mend"),
    [
        (GOOD, {}, (), "Something arrives, but no words: is the right microphone chosen"),
        (GOOD, {}, ("The model broke.",), "Something arrives, but cannot be understood"),
        (LinkReport(is_connected=True, is_encrypted=True), {}, (), "Nothing arrives: is your mic"),
        (LinkReport(is_connected=False, is_encrypted=False), {}, (), "Wait until the connection"),
    ],
)
def test_it_says_what_to_mend_if_nothing_was_heard(
    link: LinkReport, counts: dict[str, int], troubles: tuple[str, ...], mend: str
) -> None:
    report = LineReport(link=link, hearing_counts=counts, troubles=troubles)
    lines = doctor_text(report, HearingTest(heard=None, seconds=12)).splitlines()
    assert lines[0] == "❌ I heard nothing of you within 12 seconds."
    assert lines[-1].startswith(f"🔧 {mend}")
    assert all(f"⚠️ {trouble}" in lines for trouble in troubles)


@pytest.mark.parametrize(
    ("link", "sentence"),
    [
        (
            LinkReport(is_connected=True, is_encrypted=False, rejoins=2),
            "The connection is not encrypted from end to end; on a stage that is normal.",
        ),
        (
            LinkReport(is_connected=True, is_encrypted=True, counts={"received": 90, "lost": 10}),
            "10 of 100 packets got lost: somebody's network is poor.",
        ),
        (
            LinkReport(is_connected=True, is_encrypted=True, counts={"undecryptable": 3}),
            "3 packets could not be decrypted; if they get more, call me anew.",
        ),
    ],
)
def test_it_says_what_the_figures_tell(link: LinkReport, sentence: str) -> None:
    text = doctor_text(LineReport(link=link), NOT_THERE)
    assert text.startswith(f"🎧 {NOT_THERE}\n")
    assert f"⚠️ {sentence}" in text.splitlines()


@pytest.mark.parametrize(
    ("heard", "right"),
    [
        ("One, two, three.", True),
        ("Say: one two three", True),
        ("1 2 3", True),
        ("123", True),
        ("Won to free", False),
        ("", False),
        ("one two three four", False),
    ],
)
def test_it_knows_what_was_to_be_said(heard: str, *, right: bool) -> None:
    assert is_right(heard) is right


def test_what_was_understood_otherwise_is_shown_as_it_was_written() -> None:
    text = doctor_text(LineReport(link=GOOD), HearingTest(heard="*won* to free", seconds=12))
    assert text.startswith("⚠️ I can hear you, but I understood: “\\*won\\* to free”")
