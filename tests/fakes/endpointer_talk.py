"""A person who talks by a script, and models that answer what an endpointer asks them."""

from dataclasses import dataclass, field

from voice.endpointer import Endpointer, EndpointerOptions
from voice.endpointer_steps import EndpointerStep, Judge, Withdraw, WriteDown
from voice.events import Utterance, UtteranceEnded
from voice.said import FRAME_SECONDS


@dataclass(frozen=True)
class Answer:
    """What the models make of some audio."""

    text: str | None = "Run the tests."
    over: float | None = 1.0
    text_after: float = 0.05
    over_after: float = 0.06


@dataclass
class Talk:
    """An endpointer, and models that answer it after some time, one answer for each question."""

    answers: list[Answer] = field(default_factory=lambda: [Answer()])
    options: EndpointerOptions = field(default_factory=EndpointerOptions)
    now: float = 0.0
    steps: list[EndpointerStep] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.endpointer = Endpointer(1, self.options)
        self._due: list[tuple[float, int, str]] = []
        self._asked: dict[int, Answer] = {}

    def hear(self, script: str) -> "Talk":
        """Take frames: `#` is voice, `.` is none, and a space is one for which nothing is sent."""
        for character in script:
            self._wait_until(self.now + FRAME_SECONDS)
            if character == " ":
                self.take(self.endpointer.fell_silent(self.now))
            else:
                self.take(self.endpointer.frame(is_voice=character == "#", at=self.now))
        return self

    def wait(self, seconds: float) -> "Talk":
        """Let time pass in which nothing is sent."""
        self.take(self.endpointer.fell_silent(self.now))
        self._wait_until(self.now + seconds)
        return self

    @property
    def utterances(self) -> list[Utterance]:
        return [step.utterance for step in self.steps if isinstance(step, UtteranceEnded)]

    def of(self, *kinds: type) -> list[EndpointerStep]:
        return [step for step in self.steps if isinstance(step, kinds)]

    def _wait_until(self, at: float) -> None:
        while (next_at := self._next_at()) is not None and next_at <= at:
            self.now = max(self.now, next_at)
            due, self._due = self._due, []
            self._due = [one for one in due if one[0] > self.now]
            for _, number, what in (one for one in due if one[0] <= self.now):
                self.take(self._answer(number, what))
            self.take(self.endpointer.passed(self.now))
        self.now = at

    def _next_at(self) -> float | None:
        times = [one[0] for one in self._due]
        if self.endpointer.next_at is not None:
            times.append(self.endpointer.next_at)
        return min(times, default=None)

    def _answer(self, number: int, what: str) -> list[EndpointerStep]:
        answer = self._asked[number]
        if what == "text":
            return self.endpointer.written(
                number, answer.text, seconds=answer.text_after, at=self.now
            )
        return self.endpointer.judged(number, answer.over, seconds=answer.over_after, at=self.now)

    def take(self, steps: list[EndpointerStep]) -> None:
        """Do what the endpointer wants done."""
        self.steps += steps
        for step in steps:
            if isinstance(step, Judge | WriteDown):
                answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
                self._asked[step.number] = answer
                self._due.append((self.now + answer.text_after, step.number, "text"))
                if isinstance(step, Judge):
                    self._due.append((self.now + answer.over_after, step.number, "over"))
            if isinstance(step, Withdraw):
                self._due = [one for one in self._due if one[1] != step.number]
