"""Holds what the simulated Discord answers against Discord's own description of its REST API."""

import json
import os
from collections.abc import Iterable
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from simulator.discord.journal import Happening, RequestAnswered

ROOT = Path(__file__).parents[2]
DEFAULT_PATH = ROOT.parent / "shared" / "spec" / "discord" / "openapi.json"
_URI = "urn:discord-openapi"
_JSON_SCHEMA = "content/application~1json/schema"
_MESSAGE_LENGTH = 300


class ApiDescription:
    """Discord's OpenAPI description."""

    def __init__(self, description: dict[str, Any]) -> None:
        self._description = _corrected(description)
        resource: Resource[Any] = DRAFT202012.create_resource(self._description)
        self._registry: Registry[Any] = Registry().with_resource(_URI, resource)
        self._validators: dict[str, Draft202012Validator] = {}

    def describes(self, method: str, template: str) -> bool:
        """Say whether there is such a route."""
        return method.lower() in self._description["paths"].get(template, {})

    def violations(self, journal: Iterable[Happening]) -> list[str]:
        """Return, a line each, where an answer is not as described.

        Faults that a test had asked for are not looked at.
        """
        requests = [entry for entry in journal if isinstance(entry, RequestAnswered)]
        found = [self._violation(request) for request in requests if not request.was_fault]
        return [line for line in found if line is not None]

    def _violation(self, request: RequestAnswered) -> str | None:
        name = f"{request.method} {request.path} -> {request.status}"
        if request.route is None or not self.describes(request.method, request.route):
            return f"{name}: there is no such route"
        pointer = self._response(request)
        if pointer is None:
            return f"{name}: that status is not described"
        has_body = "content" in self._at(pointer)
        if not has_body:
            return None if request.response_body is None else f"{name}: it must have no body"
        validator = self._validator(f"{pointer}/{_JSON_SCHEMA}")
        for error in validator.iter_errors(request.response_body):
            inner = _innermost(error)
            return f"{name}: at {inner.json_path}: {inner.message[:_MESSAGE_LENGTH]}"
        return None

    def _response(self, request: RequestAnswered) -> str | None:
        """Return where the response is described, as a JSON pointer."""
        assert request.route is not None
        path = request.route.replace("/", "~1")
        operation = f"/paths/{path}/{request.method.lower()}/responses"
        responses = self._at(operation)
        for key in (str(request.status), f"{request.status // 100}XX"):
            if key in responses:
                reference: str | None = responses[key].get("$ref")
                return f"{operation}/{key}" if reference is None else reference.lstrip("#")
        return None

    def _at(self, pointer: str) -> Any:
        value: Any = self._description
        for part in pointer.strip("/").split("/"):
            value = value[part.replace("~1", "/")]
        return value

    def _validator(self, pointer: str) -> Draft202012Validator:
        if pointer not in self._validators:
            reference = {"$ref": f"{_URI}#{quote(pointer, safe='/~@')}"}
            self._validators[pointer] = Draft202012Validator(reference, registry=self._registry)
        return self._validators[pointer]


def _innermost(error: ValidationError) -> ValidationError:
    """Return what went wrong deepest inside: of several ways to be right, that is the nearest."""
    while error.context:
        error = max(error.context, key=lambda one: len(one.absolute_path))
    return error


def _corrected(description: dict[str, Any]) -> dict[str, Any]:
    """Mend the one place where the description is known to be wrong."""
    corrected = deepcopy(description)
    # Discord names what is wrong with a field: {"code": "BASE_TYPE_MAX_LENGTH", ...}. So say its
    # own reference and every client's types; the description takes it for an error's number.
    errors = corrected["components"]["schemas"]["InnerErrors"]["properties"]["_errors"]
    errors["items"] = {
        "type": "object",
        "properties": {"code": {"type": "string"}, "message": {"type": "string"}},
        "required": ["code", "message"],
    }
    return corrected


def discord_description() -> ApiDescription:
    """Return the description, or skip the test that asks where there is none."""
    path = Path(os.environ.get("DISCORD_OPENAPI") or DEFAULT_PATH)
    if not path.is_file():
        pytest.skip(
            f"Discord's OpenAPI description is not at {path}: the simulator's answers are not"
            " held against it; DISCORD_OPENAPI says where it is"
        )
    return _read(path)


@cache
def _read(path: Path) -> ApiDescription:
    return ApiDescription(json.loads(path.read_text(encoding="utf-8")))
