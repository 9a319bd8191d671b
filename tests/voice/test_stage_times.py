from voice.line_report import STAGES, TRANSCRIBED, StageTimes
from voice.stage_times import StageLog


def test_a_stage_that_never_came_has_no_times() -> None:
    assert StageLog().report() == dict.fromkeys(STAGES, StageTimes())


def test_of_each_stage_the_newest_time_and_two_percentiles_are_told() -> None:
    log = StageLog()
    for hundredths in range(1, 101):
        log.took(TRANSCRIBED, hundredths / 100)
    log.took(TRANSCRIBED, -1.0)  # a clock's odd moment is no time at all

    times = log.report()[TRANSCRIBED]
    assert times.count == 100, "only the newest are remembered"
    assert times.newest_seconds == 0.0
    assert (times.p50_seconds, times.p95_seconds) == (0.505, 0.95)
