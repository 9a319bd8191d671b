import json

from simulator.demo.report import Report, SpokenWords


def test_without_speech_the_report_holds_checks_messages_and_times() -> None:
    report = Report()
    report.check("it works", "yes", "seen")
    report.time("start", 0.25)

    assert json.loads(report.as_json()) == {
        "checks": [{"name": "it works", "ok": True, "detail": "seen"}],
        "messages": [],
        "timings_ms": {"start": 250.0},
    }


def test_of_two_reports_nothing_is_lost_and_one_failure_is_enough() -> None:
    text, voice = Report(), Report(wavs={"Alice": "alice.wav"})
    text.check("text works", ok=True, detail="")
    text.time("start", 1)
    voice.check("voice works", ok=False, detail="")
    voice.time("voice_start", 2)
    voice.spoken.append(
        SpokenWords(author="Papercup", meant="Hi.", heard="High", at_seconds=5.0, seconds=0.4)
    )

    both = text.with_all_of(voice)

    assert (text.ok, both.ok) == (True, False)
    told = json.loads(both.as_json())
    assert [check["name"] for check in told["checks"]] == ["text works", "voice works"]
    assert told["timings_ms"] == {"start": 1000.0, "voice_start": 2000.0}
    assert told["wavs"] == {"Alice": "alice.wav"}
    assert told["spoken"] == [
        {"author": "Papercup", "meant": "Hi.", "heard": "High", "at_seconds": 5.0, "seconds": 0.4}
    ]
