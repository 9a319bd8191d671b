"""What holds on a line whatever people do."""

from collections import Counter

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fakes.voice_scene import IDS, VoiceScene
from voice.commands import (
    AnnounceNow,
    CancelWork,
    Overhear,
    PauseSpeech,
    ResumeSpeech,
    SayFiller,
    SpeechKind,
    StopSpeech,
    TakeTurn,
)
from voice.events import EndReason, LineMode, LineState
from voice.turn_options import TurnOptions

STRANGER = "dan"
SAYINGS = (
    "yeah",
    "hmm",
    "um",
    "no",
    "what",
    "stop",
    "wait a second",
    "never mind",
    "Papercup",
    "Papercup, what is this?",
    "tell me more of it",
    "so how was your day",
    "Bob, look at this",
    "the capital of Australia",
    "cancel that job please",
)
SPEECHES = ("The capital of Australia is Canberra.", "Shall I go on?", "It is four o'clock now.")
SECONDS = st.floats(0.0, 6.0)
STEP = st.one_of(
    st.tuples(
        st.just("says"),
        st.sampled_from(sorted(IDS)),
        st.sampled_from(SAYINGS),
        SECONDS,
        st.sampled_from([0.0, 0.3, 0.9]),
        st.sampled_from([0.0, 0.2, 1.5]),
        st.sampled_from(list(EndReason)),
        st.booleans(),
    ),
    st.tuples(st.just("speaks"), st.sampled_from(["ann", "bob", None]), SECONDS),
    st.tuples(st.just("works"), st.sampled_from(["ann", "bob", None]), SECONDS),
    st.tuples(st.just("leaves"), st.sampled_from(["ann", "bob"])),
    st.tuples(st.just("cuts")),
    st.tuples(st.just("notices")),
    st.tuples(st.just("mode"), st.sampled_from(list(LineMode))),
    st.tuples(st.just("pushes"), st.sampled_from(["ann", "bob"])),
)


def play(steps: list[tuple[float, tuple[object, ...]]]) -> VoiceScene:
    options = TurnOptions(transcribe_others=True)
    scene = VoiceScene(*IDS, strangers=(STRANGER,), options=options)
    free_from: dict[str, float] = {}
    now = 0.0
    for number, (gap, step) in enumerate(steps):
        now += gap
        match step:
            case ("says", str(who), str(text), float(gap_before), commit, written, reason, nothing):
                at = max(now, free_from.get(who, 0.0)) + gap_before
                ended = scene.says(
                    who,
                    f"{text} {chr(0x391 + number)}" if number % 2 else text,
                    at,
                    commit_after=float(str(commit)),
                    written_after=float(str(written)),
                    reason=EndReason(str(reason)),
                    voice_only=bool(nothing) and number % 3 == 0,
                )
                free_from[who] = ended + float(str(commit)) + 0.05
            case ("speaks", to, float(seconds)):
                kind = SpeechKind.ANSWER if to else SpeechKind.NOTICE
                text = SPEECHES[number % len(SPEECHES)]
                name = str(to) if to else None
                scene.speaks(text, now, to=name, seconds=0.5 + seconds, kind=kind)
            case ("works", who, float(seconds)):
                scene.works(str(who) if who else None, now, now + seconds)
            case ("leaves", str(who)):
                scene.leaves(who, now)
            case ("cuts",):
                scene.cuts_speech(now)
            case ("notices",):
                scene.notices(now)
                scene.notices(now + 4.0, wait=False)
            case ("mode", mode):
                scene.mode(LineMode(str(mode)), now)
            case ("pushes", str(who)):
                scene.pushes(who, now)
            case _:
                raise AssertionError(step)
    scene.run(10_000.0)
    return scene


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.floats(0.0, 1.5), STEP), max_size=14))
def test_whatever_happens_the_line_stays_sane(
    steps: list[tuple[float, tuple[object, ...]]],
) -> None:
    scene = play(steps)
    commands = [command for _, command in scene.log]

    # Each pause is ended once, and nothing stays paused.
    is_paused = False
    for command in commands:
        match command:
            case PauseSpeech():
                assert not is_paused
                is_paused = True
            case ResumeSpeech():
                assert is_paused
                is_paused = False
            case StopSpeech():
                is_paused = False
            case _:
                pass
    assert not is_paused

    # Whoever may not talk to it changes nothing.
    stranger = IDS[STRANGER]
    for command in commands:
        if isinstance(command, StopSpeech | CancelWork):
            assert command.by != stranger
        if isinstance(command, TakeTurn):
            assert command.turn.utterance.person_id != stranger
        if isinstance(command, Overhear):
            assert command.remark.is_of_other == (command.remark.person_id == stranger)

    # Nothing that was said is told of twice, but to join it.
    told = Counter(
        (turn.utterance.person_id, turn.utterance.began_at, turn.is_merged)
        for turn in (command.turn for command in commands if isinstance(command, TakeTurn))
    )
    told.update(
        (command.remark.person_id, command.remark.at, False)
        for command in commands
        if isinstance(command, Overhear)
    )
    assert all(times == 1 for times in told.values())

    # It never talks over anybody by itself.
    for busy, command in scene.spoken_into:
        assert not (busy and isinstance(command, AnnounceNow | SayFiller))

    # In the end all is quiet, and nothing is waited for.
    assert scene.turns.next_at is None
    assert scene.turns.state == (LineState.LISTENING, None)
