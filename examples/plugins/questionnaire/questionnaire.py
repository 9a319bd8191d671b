#!/usr/bin/env python3
"""Has models ask people several questions in a row: a tool with nested parameters, with the SDK."""

from dataclasses import dataclass, field
from typing import Annotated

from papercup_plugin import Context, Field, Plugin, RefusedError, ToolResult

plugin = Plugin("questionnaire", version="1.0.0")

OTHER = "✎ Something else"


@dataclass(frozen=True, kw_only=True)
class Question:
    """One question."""

    prompt: Annotated[str, Field("The whole question.", min_length=1)]
    label: Annotated[str, "One or two words for it; its number if there are none."] = ""
    options: Annotated[list[str], Field("What can be chosen.", max_length=20)] = field(
        default_factory=list[str]
    )
    allow_other: Annotated[bool, "Whether people may write an answer of their own."] = True


@plugin.tool
def questionnaire(
    questions: Annotated[list[Question], Field(min_length=1, max_length=10)], ctx: Context
) -> ToolResult:
    """Ask people one or several questions, one after the other.

    Use it to find out what they want before much is done.
    """
    if not ctx.has_ui("select"):
        raise RefusedError("nobody can be asked here")
    answers: dict[str, str] = {}
    for number, question in enumerate(questions, 1):
        answer = answer_to(question, f"{number}/{len(questions)}", ctx)
        if answer is None:
            said = "They answered no further; do not ask again, but go on with what you know."
            return ToolResult("\n".join([*lines(answers), said]), details={"cancelled": True})
        answers[question.label or f"Question {number}"] = answer
    return ToolResult("\n".join(lines(answers)), details={"answers": answers})


def answer_to(question: Question, number: str, ctx: Context) -> str | None:
    """Return what people chose or wrote; `None` if they did neither."""
    prompt = f"{number} {question.prompt}"
    others = [OTHER] if question.allow_other else []
    chosen = ctx.ui.select(prompt, [*question.options, *others]) if question.options else OTHER
    if chosen != OTHER:
        return chosen
    return ctx.ui.input(prompt)


def lines(answers: dict[str, str]) -> list[str]:
    """Return the answers as the model reads them."""
    return [f"{label}: {answer}" for label, answer in answers.items()]


if __name__ == "__main__":
    plugin.run()
