"""Skills and prompts that plugins bring along, as texts. Pure."""

import re
from dataclasses import dataclass

LONGEST_PROMPT_CHARACTERS = 20_000
"""Of what a prompt says once its arguments stand in it; a longer one is cut."""

_FENCE = "---"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_FIELD = re.compile(r"(?P<key>name|description|argument-hint):[ \t]*(?P<value>.*)")
_BLOCK = re.compile(r"[|>][+-]?\d?\s*")
_LONGEST_NAME = 64
_LONGEST_DESCRIPTION = 1000
# What `claude` would run in a shell before the model has read a word.
_SHELL_LINE = re.compile(r"!(?=`)")
_SHELL_BLOCK = re.compile(r"^(?P<fence>[ \t]*(?:`{3,}|~{3,}))!", re.MULTILINE)
_PLACE = re.compile(r"\$(?:(?P<all>ARGUMENTS\b|@)|(?P<number>[1-9])(?!\d))")


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """Something that Claude can read up on when it needs it."""

    plugin_id: str
    name: str

    @property
    def full_name(self) -> str:
        """By which Claude knows it."""
        return f"{self.plugin_id}:{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptCommand:
    """A prompt that people call by its name."""

    plugin_id: str
    name: str
    description: str
    template: str
    """What is said in the person's stead; `$ARGUMENTS` in it stands for what they wrote."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A text with some fields before it."""

    name: str | None
    description: str
    body: str


def read_document(text: str) -> Document:
    """Return what a skill or a prompt says, and what it says of itself before that."""
    text = text.replace("\r\n", "\n").removeprefix("\ufeff")
    lines = text.split("\n")
    fields: dict[str, str] = {}
    body = lines
    if lines[0].rstrip() == _FENCE and _FENCE in [line.rstrip() for line in lines[1:]]:
        end = [line.rstrip() for line in lines].index(_FENCE, 1)
        fields, body = _fields(lines[1:end]), lines[end + 1 :]
    name = fields.get("name")
    return Document(
        name=name if name is not None and is_resource_name(name) else None,
        description=fields.get("description", "")[:_LONGEST_DESCRIPTION],
        body="\n".join(body).strip(),
    )


def is_resource_name(name: str) -> bool:
    """Say whether a skill or a prompt may be called so."""
    return len(name) <= _LONGEST_NAME and _NAME.fullmatch(name) is not None


def skill_text(document: Document, *, name: str) -> str:
    """Return a skill as `claude` reads it: nothing in it is run, and it grants no tools.

    Args:
        document: What it says.
        name: What it is called.
    """
    description = " ".join(document.description.split()) or name
    quoted = description.replace("\\", "\\\\").replace('"', '\\"')
    head = f'{_FENCE}\nname: {name}\ndescription: "{quoted}"\n{_FENCE}\n\n'
    body = _SHELL_BLOCK.sub(r"\g<fence> !", document.body)
    return f"{head}{_SHELL_LINE.sub('! ', body)}\n"


def filled_prompt(template: str, arguments: str) -> str:
    """Return what a prompt says when it was called with these arguments.

    `$ARGUMENTS` and `$@` stand for all of them, `$1` to `$9` for the words; where the prompt has
    no place for them, they stand below it.
    """
    words = arguments.split()

    def fill(found: re.Match[str]) -> str:
        if found["all"]:
            return arguments
        number = int(found["number"])
        return words[number - 1] if number <= len(words) else ""

    filled, places = _PLACE.subn(fill, template)
    if not places and arguments:
        filled = f"{filled}\n\n{arguments}"
    return filled.strip()[:LONGEST_PROMPT_CHARACTERS]


def with_skill(skill: Skill, wish: str) -> str:
    """Return what is said when somebody wants a skill to be used."""
    return f"Use the skill `{skill.full_name}` for this.\n\n{wish}".strip()


def _fields(lines: list[str]) -> dict[str, str]:
    """Return the few fields that count; a value may go on in the lines below it."""
    fields: dict[str, str] = {}
    key = None
    for line in lines:
        if found := _FIELD.fullmatch(line):
            key = found["key"]
            value = found["value"].strip()
            fields[key] = "" if _BLOCK.fullmatch(value) else _unquoted(value)
        elif key is not None and line[:1] in {" ", "\t"}:
            fields[key] = f"{fields[key]} {line.strip()}".strip()
        else:
            key = None
    return fields


def _unquoted(value: str) -> str:
    is_quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if is_quoted else value
