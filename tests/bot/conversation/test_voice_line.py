"""What is said on a voice line is answered on it; what is written there, too."""

from functools import partial

from bot.config import VoiceConfig
from bot.conversation.intake import NOT_TAKEN, TOO_MANY_WAIT
from bot.conversation.line_turns import _MOST_WAITING
from bot.conversation.transcript import SaidHow
from bot.conversation.voice_line import CANNOT_HEAR
from bot.speaker.sentences import CANCELLED
from bot.speaker.speaker import Failed, TextCame, ToolUsed, Warned
from tests.fakes.line_house import (
    LOUNGE,
    OTHER_USER,
    STRANGER,
    USER,
    Furniture,
    LineHouse,
    open_line_house,
)
from tests.fakes.waiting import until
from voice.events import Heard, LineState
from voice.line_report import FIRST_WORDS, LineReport, StageTimes
from voice.link import LinkReport


async def kept(house: LineHouse, number: int = 10) -> list[tuple[str, str, SaidHow]]:
    lines = await house.transcripts.newest(house.conversation.session.id, number)
    return [(line.name, line.text, line.how) for line in lines]


def has_asked(house: LineHouse, number: int) -> bool:
    return len(house.speaker.asked) == number


async def test_what_somebody_says_is_answered_aloud_and_not_in_writing() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        posted = list(house.posted)
        house.pipeline.hears(USER.id, "how are you")
        await house.is_asked("uwe (aloud): how are you")
        house.answers("I am ", "well.")
        await house.has_spoken("I am well.")
        await house.is_idle()

        assert house.pipeline.speeches[0].to == USER.id
        assert house.pipeline.working == [USER.id]
        assert house.pipeline.work_ends == 1
        assert house.posted == posted
        await until(lambda: "Papercup**: I am well." in house.status.text)
        assert "👤 **uwe**: how are you" in house.status.text
        assert await kept(house) == [
            ("uwe", "how are you", SaidHow.TO_BOT),
            ("Papercup", "I am well.", SaidHow.ANSWER),
        ]


async def test_what_is_said_before_a_tool_is_spoken_while_it_works() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        house.pipeline.hears(USER.id, "is it raining")
        await house.is_asked("uwe (aloud): is it raining")
        for event in (TextCame("Let me look."), ToolUsed("WebFetch")):
            house.speaker.events.put_nowait(event)
        await until(lambda: house.pipeline.speeches[0].text == "Let me look.\n\n")
        house.answers("It is.")
        await house.has_spoken("Let me look.\n\nIt is.")


async def test_what_is_written_on_a_line_is_answered_in_writing_and_aloud() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        ref = house.write("hello")
        await house.is_asked("uwe: hello")
        house.answers("Hi.")
        await house.has_spoken("Hi.")
        await house.is_idle()

        (answer,) = [m for m in house.options.messenger.messages if m.reply_to == ref]
        assert answer.text == "Hi."
        assert house.pipeline.speeches[0].to is None
        assert house.pipeline.working == [None]
        assert "Hi." not in house.status.text


async def test_an_answer_in_writing_does_not_wait_for_the_speech_before_it() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        house.pipeline.goes_on.clear()
        for number in range(4):
            house.write(f"text {number}")
            await until(partial(has_asked, house, number + 1))
            house.answers(f"Answer {number}.")
            await house.is_idle()

        assert house.posted[-4:] == [f"Answer {number}." for number in range(4)]
        assert [each.text for each in house.pipeline.speeches] == ["Answer 0.", "Answer 1."]


async def test_the_next_turn_tells_what_was_heard_of_an_answer_that_was_interrupted() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        house.pipeline.goes_on.clear()
        house.pipeline.hears(USER.id, "tell me a story")
        await house.is_asked("uwe (aloud): tell me a story")
        house.answers("Once upon a time there was a cup.")
        await until(lambda: "cup" in house.pipeline.speeches[0].text)
        house.pipeline.interrupt(USER.id, "Once upon a")
        await house.is_idle()
        house.options.clock.advance(3)
        house.pipeline.hears(USER.id, "a shorter one")
        await house.is_asked(
            "uwe (aloud): tell me a story",
            '[interrupted by uwe; of your last answer only this was heard: "Once upon a"]\n'
            "uwe (aloud): a shorter one",
        )

        assert "☕ **Papercup**: Once upon a *(interrupted)*" in house.status.text
        assert "cup." not in "".join(house.posted)
        assert (await kept(house))[1] == ("Papercup", "Once upon a …", SaidHow.ANSWER)


async def test_work_goes_on_when_its_speech_was_interrupted_and_what_comes_is_written() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        house.pipeline.hears(USER.id, "run the tests")
        await house.is_asked("uwe (aloud): run the tests")
        house.speaker.events.put_nowait(TextCame("I run them now."))
        await until(lambda: house.pipeline.speeches[0].text != "")
        house.pipeline.interrupt(USER.id, "I run")
        await until(lambda: house.pipeline.work_ends == 1)
        assert house.conversation.running_turn is not None
        house.answers(ToolUsed("Bash"), "All tests pass.")
        await house.is_idle()

        assert house.posted[-1] == "I run them now.\n\nAll tests pass."


async def test_who_says_to_cancel_it_ends_the_work() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        house.pipeline.hears(USER.id, "run the tests")
        await house.is_asked("uwe (aloud): run the tests")
        posted = list(house.posted)
        house.line.work_cancelled(USER.id)
        await until(lambda: CANCELLED in house.pipeline.said)
        await house.is_idle()
        assert house.posted == posted


async def test_cancel_ends_the_speech_of_an_answer_that_is_whole() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        house.pipeline.goes_on.clear()
        house.pipeline.hears(USER.id, "tell me a story")
        await house.is_asked("uwe (aloud): tell me a story")
        house.answers("Once upon a time.")
        await until(lambda: house.pipeline.speeches[0].text != "")
        assert await house.conversation.cancel()
        await house.is_idle()
        assert not await house.conversation.cancel()


async def test_what_people_say_among_themselves_is_told_with_the_next_turn_in_order() -> None:
    async with open_line_house() as house:
        await house.pick_up(USER, OTHER_USER, STRANGER)
        first = house.pipeline.overhears(OTHER_USER.id, "did you see the match")
        second = house.pipeline.overhears(STRANGER.id, "I did", is_of_other=True)
        house.pipeline.hears(USER.id, "Papercup, who won", overheard=(first, second))
        await house.is_asked(
            '[ute said, but not to you: "did you see the match"]\n'
            '[sven, who may not talk to you and asks nothing of you, said: "I did"]\n'
            "uwe (aloud): Papercup, who won"
        )
        assert "💬 **ute**: did you see the match" in house.status.text
        assert "🚷 **sven**: I did" in house.status.text
        assert {(name, how) for name, _, how in await kept(house)} == {
            ("ute", SaidHow.OVERHEARD),
            ("sven", SaidHow.BY_OTHER),
            ("uwe", SaidHow.TO_BOT),
        }


async def test_what_is_written_is_told_what_was_said_too() -> None:
    async with open_line_house() as house:
        await house.pick_up(USER, OTHER_USER)
        house.pipeline.overhears(OTHER_USER.id, "no")
        house.write("what did ute say")
        await house.is_asked('[ute said, but not to you: "no"]\nuwe: what did ute say')


async def test_who_goes_on_while_they_are_answered_is_answered_once() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        house.pipeline.hears(USER.id, "what is the capital")
        await house.is_asked("uwe (aloud): what is the capital")
        house.pipeline.hears(USER.id, "what is the capital of France", is_merged=True)
        await house.is_asked(
            "uwe (aloud): what is the capital",
            "[uwe had not finished: what comes now takes the place of what came before.]\n"
            "uwe (aloud): what is the capital of France",
        )
        house.answers("Paris.")
        await house.is_idle()

        assert [each.text for each in house.pipeline.speeches] == ["", "Paris."]
        assert house.posted[1:] == []
        assert await house.messages.cut_off() == frozenset()


async def test_who_goes_on_while_they_wait_is_answered_once() -> None:
    async with open_line_house() as house:
        await house.pick_up(USER, OTHER_USER)
        house.pipeline.hears(OTHER_USER.id, "how are you")
        await house.is_asked("ute (aloud): how are you")
        house.pipeline.hears(USER.id, "what is the capital")
        await until(lambda: house.conversation.waiting_turns == 1)
        house.pipeline.hears(USER.id, "what is the capital of France", is_merged=True)
        house.answers("Well.")
        await house.is_asked(
            "ute (aloud): how are you", "uwe (aloud): what is the capital of France"
        )
        house.answers("Paris.")
        await house.is_idle()
        assert await house.messages.cut_off() == frozenset()


async def test_who_goes_on_after_they_were_answered_is_answered_again() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        house.pipeline.hears(USER.id, "hello")
        await house.is_asked("uwe (aloud): hello")
        house.answers("Hi.")
        await house.is_idle()
        house.pipeline.hears(USER.id, "hello there", is_merged=True)
        await house.is_asked("uwe (aloud): hello", "uwe (aloud): hello there")


async def test_what_somebody_says_several_times_in_a_row_is_answered_together() -> None:
    async with open_line_house() as house:
        await house.pick_up(USER, OTHER_USER)
        house.pipeline.hears(OTHER_USER.id, "hello")
        await house.is_asked("ute (aloud): hello")
        house.pipeline.hears(USER.id, "one")
        house.pipeline.hears(USER.id, "two")
        await until(lambda: house.conversation.waiting_turns == 2)
        house.write("three")
        house.answers("Hi.")
        await house.is_asked("ute (aloud): hello", "uwe (aloud): one\n\ntwo")
        house.answers("Both.")
        await house.is_asked("ute (aloud): hello", "uwe (aloud): one\n\ntwo", "uwe: three")
        assert not house.options.messenger.reactions or all(
            ref.message_id > 0 for ref, _ in house.options.messenger.reactions
        )


async def test_code_is_written_besides() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        house.pipeline.hears(USER.id, "how do I build it")
        await house.is_asked("uwe (aloud): how do I build it")
        house.answers("Like this:\n```sh\nmake\n```")
        await house.is_idle()
        message = house.options.messenger.messages[-1]
        assert message.text == "Like this:\n```sh\nmake\n```"
        assert message.reply_to is None
        assert len(message.nonce) <= 25


async def test_what_nobody_could_hear_is_written() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        house.pipeline.hears(USER.id, "hello")
        house.door.links[LOUNGE.guild_id or 0].listeners.clear()
        await house.is_asked("uwe (aloud): hello")
        house.answers("Hi.")
        await house.is_idle()
        assert house.posted[-1] == "Hi."
        house.write("and now")
        await until(lambda: len(house.speaker.asked) == 2)
        assert house.speaker.asked[-1] == (
            '[of your last answer only this was heard: "Hi."; it stands in the chat]\nuwe: and now'
        )


async def test_an_answer_is_written_if_it_cannot_be_spoken() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        house.pipeline.is_broken = True
        house.pipeline.hears(USER.id, "hello")
        await house.is_asked("uwe (aloud): hello")
        house.answers("Hi.")
        await house.is_idle()
        assert house.posted[-1] == "Hi."


async def test_a_failure_is_spoken_and_a_warning_is_written() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        house.pipeline.hears(USER.id, "hello")
        await house.is_asked("uwe (aloud): hello")
        house.speaker.events.put_nowait(Warned("A server did not answer."))
        house.speaker.events.put_nowait(Failed("I could not start."))
        await house.has_spoken("I could not start.")
        await house.is_idle()
        assert "A server did not answer." in house.posted[-1]


async def test_an_answer_without_words_is_no_answer() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        posted = list(house.posted)
        house.pipeline.hears(USER.id, "hm")
        await house.is_asked("uwe (aloud): hm")
        house.answers()
        await house.is_idle()
        assert house.posted == posted


async def test_who_may_not_talk_starts_nothing_even_if_a_turn_came_of_it() -> None:
    async with open_line_house() as house:
        await house.pick_up(USER, STRANGER)
        assert not house.line.participant(STRANGER.id).may_talk
        assert not house.line.participant(999).may_talk
        house.pipeline.hears(STRANGER.id, "delete everything")
        house.pipeline.hears(USER.id, "hello")
        await house.is_asked("uwe (aloud): hello")


async def test_the_last_words_of_somebody_who_leaves_are_answered() -> None:
    async with open_line_house() as house:
        await house.pick_up(USER, OTHER_USER)
        house.door.exits(LOUNGE, OTHER_USER)
        house.pipeline.hears(OTHER_USER.id, "remember the milk")
        await house.is_asked("ute (aloud): remember the milk")


async def test_too_much_at_once_is_not_answered_and_that_is_said() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        for number in range(2 * _MOST_WAITING):
            house.pipeline.hears(USER.id, f"number {number}")
        await until(lambda: TOO_MANY_WAIT in house.pipeline.said)


async def test_what_cannot_be_taken_down_is_not_answered_and_that_is_said() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        await house.options.database.run(lambda c: c.execute("DROP TABLE messages"))
        house.pipeline.hears(USER.id, "hello")
        await until(lambda: NOT_TAKEN in house.pipeline.said)
        assert house.speaker.asked == []


async def test_nothing_is_kept_of_what_is_said_if_that_is_wished() -> None:
    async with open_line_house(Furniture(config=VoiceConfig(transcript_days=0))) as house:
        await house.pick_up()
        session_id = house.conversation.session.id
        house.pipeline.hears(USER.id, "my secret")
        await house.is_asked("uwe (aloud): my secret")
        house.answers("It is safe.")
        await house.is_idle()
        assert "my secret" in house.status.text
        assert any("written down, but not kept" in text for text in house.posted)
        await house.call("hangup")
        assert "my secret" not in house.status.text
        assert await house.transcripts.newest(session_id, 9) == []
        rows = await house.options.database.run(
            lambda c: c.execute("SELECT text, answer FROM messages").fetchall()
        )
        assert [tuple(row) for row in rows] == [("", None)]


async def test_the_status_message_shows_what_the_line_does() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        name = house.conversation.session.name
        for state, person_id, words in (
            (LineState.HEARING, USER.id, f"☎️ **{name}** · 🗨️ hearing uwe"),
            (LineState.THINKING, USER.id, f"☎️ **{name}** · 🤔 thinking"),
            (LineState.SPEAKING, None, f"☎️ **{name}** · 🔊 speaking"),
            (LineState.LISTENING, None, f"☎️ **{name}** · 👂 listening"),
        ):
            house.pipeline.is_in(state, person_id)
            assert house.status.text.splitlines()[0] == words


async def test_the_status_message_shows_how_long_the_stages_of_a_turn_took() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        house.pipeline.line_report = LineReport(
            link=LinkReport(is_connected=True, is_encrypted=True),
            stages={FIRST_WORDS: StageTimes(count=1, newest_seconds=0.62)},
        )
        house.pipeline.hears(USER.id, "hello")
        await house.is_asked("uwe (aloud): hello")
        house.answers("Hi.")
        await house.is_idle()
        assert "-# transcript → first words 620 ms" in house.status.text


async def test_a_line_that_cannot_hear_says_so_once_instead_of_staying_deaf() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        trouble = "The model is missing: `papercup voice install tiny` gets it."
        house.pipeline.line_report = LineReport(
            link=LinkReport(is_connected=True, is_encrypted=True), troubles=(trouble,)
        )
        house.pipeline.is_in(LineState.DEAF)
        house.pipeline.is_in(LineState.DEAF)
        await until(lambda: CANNOT_HEAR in house.pipeline.said)
        assert house.pipeline.said.count(CANNOT_HEAR) == 1
        assert [text for text in house.posted if trouble in text] == [f"⚠️ {trouble}"]
        assert "🙉 cannot hear" in house.status.text


async def test_a_line_that_can_never_hear_does_not_say_that_it_listens() -> None:
    async with open_line_house() as house:
        house.options.pipelines.is_deaf = True
        house.door.enters(LOUNGE, USER)
        told = await house.call("pickup")
        await until(lambda: CANNOT_HEAR in house.pipeline.said)
        assert told.endswith(
            "I cannot hear anybody at present, and its chat says why; write to me there."
        )
        assert house.pipeline.said == [CANNOT_HEAR]
        assert house.posted == ["⚠️ There is no model."]
        assert "voice, mode open · cannot hear" in await house.call("status", at=LOUNGE)


async def test_notices_are_spoken_on_the_line_of_their_session() -> None:
    async with open_line_house() as house:
        await house.pick_up(USER, OTHER_USER)
        session_id = house.conversation.session.id
        assert house.lines.session_in(LOUNGE) == session_id
        assert [person.id for person in house.lines.people(session_id)] == [7, 8]
        heard = await house.lines.announce(session_id, lambda: "Heads up.")
        house.lines.told(session_id, "[You have just said: Heads up.]")
        house.pipeline.hears(USER.id, "yes")
        await house.is_asked("[You have just said: Heads up.]\nuwe (aloud): yes")

        assert heard == Heard(text="Heads up.", is_whole=True)
        assert "📣 **Papercup**: Heads up." in house.status.text
        assert await house.lines.announce("another", lambda: "Heads up.") is None
        assert house.lines.people("another") == ()


async def test_nothing_is_spoken_of_an_answer_in_whose_place_another_comes() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        house.pipeline.goes_on.clear()
        house.pipeline.hears(USER.id, "what is the capital")
        await house.is_asked("uwe (aloud): what is the capital")
        house.speaker.events.put_nowait(TextCame("Of what? "))
        await until(lambda: house.pipeline.speeches[0].text != "")
        house.pipeline.hears(USER.id, "what is the capital of France", is_merged=True)
        await until(lambda: has_asked(house, 2))
        house.answers("Paris.")
        house.pipeline.goes_on.set()
        await house.has_spoken("Paris.")
        assert house.posted[1:] == []


async def test_who_goes_on_is_answered_what_they_said_before_that_too() -> None:
    async with open_line_house() as house:
        await house.pick_up(USER, OTHER_USER)
        house.pipeline.hears(OTHER_USER.id, "hello")
        await house.is_asked("ute (aloud): hello")
        house.pipeline.hears(USER.id, "one")
        house.pipeline.hears(USER.id, "two")
        await until(lambda: house.conversation.waiting_turns == 2)
        house.answers("Hi.")
        await until(lambda: has_asked(house, 2))
        house.pipeline.hears(USER.id, "two and a half", is_merged=True)
        await until(lambda: has_asked(house, 3))
        assert house.speaker.asked[-1].endswith("uwe (aloud): one\n\ntwo\n\ntwo and a half")
        house.answers("All.")
        await house.is_idle()
        assert await house.messages.cut_off() == frozenset()


async def test_who_takes_back_what_waits_leaves_the_answer_to_another_alone() -> None:
    async with open_line_house() as house:
        await house.pick_up(USER, OTHER_USER)
        house.pipeline.hears(OTHER_USER.id, "hello")
        await house.is_asked("ute (aloud): hello")
        house.pipeline.hears(USER.id, "what time is it")
        await until(lambda: house.conversation.waiting_turns == 1)
        house.line.work_cancelled(USER.id)
        await until(lambda: house.conversation.waiting_turns == 0)
        house.answers("Hi.")
        await house.has_spoken("Hi.")
        await house.is_idle()
        await house.is_asked("ute (aloud): hello")
        assert await house.messages.cut_off() == frozenset()
