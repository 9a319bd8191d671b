"""Scripts: what decides what the model answers."""

from collections.abc import Awaitable, Callable

from simulator.messages_api.answers import Answer, Say
from simulator.messages_api.requests import ModelRequest

Script = Callable[[ModelRequest], Answer | Awaitable[Answer]]
"""Decides on the answer to a request; it may wait before it does."""


class ScriptOverError(Exception):
    """The model was asked more often than the script has answers."""

    def __init__(self, answers: int, question: str) -> None:
        super().__init__(answers, question)
        self.answers = answers
        self.question = question

    def __str__(self) -> str:
        return f"the script has {self.answers} answers, and was asked once more: {self.question!r}"


def scripted(*answers: Answer) -> Script:
    """Return a script that gives these answers, one for each request, in this order."""
    left = list(answers)

    def script(request: ModelRequest) -> Answer:
        if not left:
            raise ScriptOverError(len(answers), request.last_user_text)
        return left.pop(0)

    return script


def echo(request: ModelRequest) -> Answer:
    """Answer with the first line of what was said."""
    lines = request.last_user_text.splitlines()
    return Say(f"You said: {lines[0] if lines else ''}")
