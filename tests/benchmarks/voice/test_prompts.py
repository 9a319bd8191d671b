from benchmarks.voice.prompts import texts_in

LISTING = """; Core Asterisk Sounds in English

activated: Activated.
auth-incorrect: Password incorrect.  Please enter your password again.
beep: [this is a simple beep tone]
confbridge-lock-out: ...to lock or unlock the conference bridge.
at-tone: At the sound of the tone, the time will be exactly...
conf-thereare: There are currently
conf-onlyperson: You are the only person in this conference.
"""


def test_prompts_that_are_whole_sentences_of_some_words_are_taken() -> None:
    assert texts_in(LISTING) == {
        "auth-incorrect": "Password incorrect.  Please enter your password again.",
        "conf-onlyperson": "You are the only person in this conference.",
    }
