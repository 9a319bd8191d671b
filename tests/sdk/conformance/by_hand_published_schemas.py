"""Our models of the wire `sep`, held against the schemas that its authors published.

Those schemas are no part of this project, so this is not run with the other tests:

    PAPERCUP_SEP_SCHEMAS=FOLDER pytest -n 0 tests/sdk/conformance/by_hand_published_schemas.py
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from papercup_plugin.conformance import FRAMES, check
from papercup_plugin.conformance.samples import all_right, wrong

FOLDER = Path(os.environ["PAPERCUP_SEP_SCHEMAS"])

MODELS = {
    "request": ("envelope", "Request"),
    "notification": ("envelope", "Notification"),
    "success": ("envelope", "SuccessResponse"),
    "failure": ("envelope", "ErrorResponse"),
    "error": ("envelope", "Error"),
    "context": ("envelope", "Context"),
    "render block": ("initialize", "RenderBlock"),
    "registrations": ("initialize", "Registrations"),
    "tool": ("initialize", "ToolRegistration"),
    "provider": ("initialize", "ProviderRegistration"),
    "model": ("initialize", "ProviderModel"),
    "completion": ("command-complete", "Completion"),
    "hook outcome": ("hook", "HookOutcome"),
    "sep host initialize params": ("initialize", "Params"),
    "sep host initialize result": ("initialize", "Result"),
    "sep host ping params": ("ping", "Params"),
    "sep host ping result": ("ping", "Result"),
    "sep host shutdown params": ("shutdown", "Params"),
    "sep host shutdown result": ("shutdown", "Result"),
    "sep host event params": ("event", "Params"),
    "sep host hook params": ("hook", "Params"),
    "sep host hook result": ("hook", "HookOutcome"),
    "sep host tool/execute params": ("tool-execute", "Params"),
    "sep host tool/execute result": ("tool-execute", "Result"),
    "sep host command/execute params": ("command-execute", "Params"),
    "sep host command/execute result": ("command-execute", "Result"),
    "sep host command/complete params": ("command-complete", "Params"),
    "sep host command/complete result": ("command-complete", "Result"),
    "sep host provider/complete params": ("provider", "CompleteParams"),
    "sep host provider/complete result": ("provider", "CompleteResult"),
    "sep host provider/oauth_login params": ("provider", "OAuthParams"),
    "sep host provider/oauth_login result": ("provider", "Credentials"),
    "sep host provider/oauth_refresh params": ("provider", "OAuthParams"),
    "sep host provider/oauth_refresh result": ("provider", "Credentials"),
    "sep host $/cancel params": ("cancel", "Params"),
    "sep plugin $/cancel params": ("cancel", "Params"),
    "sep plugin ping params": ("ping", "Params"),
    "sep plugin ping result": ("ping", "Result"),
    "sep plugin log params": ("log", "Params"),
    "sep plugin registry/update params": ("registry-update", "Params"),
    "sep plugin tools/set_active params": ("tools-set-active", "Params"),
    "sep plugin tools/set_active result": ("tools-set-active", "Result"),
    "sep plugin tool/update params": ("tool-update", "Params"),
    "sep plugin provider/delta params": ("provider", "DeltaParams"),
    "sep plugin bus/publish params": ("bus-publish", "Params"),
    "sep plugin ui/request params": ("ui-request", "Params"),
    "sep plugin ui/request result": ("ui-request", "Result"),
    "sep plugin exec/run params": ("exec-run", "Params"),
    "sep plugin exec/run result": ("exec-run", "Result"),
    "sep plugin kv/get params": ("kv", "GetParams"),
    "sep plugin kv/get result": ("kv", "GetResult"),
    "sep plugin kv/set params": ("kv", "SetParams"),
    "sep plugin kv/set result": ("kv", "SetResult"),
    "sep plugin kv/delete params": ("kv", "DeleteParams"),
    "sep plugin kv/delete result": ("kv", "DeleteResult"),
    "sep plugin kv/list params": ("kv", "ListParams"),
    "sep plugin kv/list result": ("kv", "ListResult"),
    "sep plugin session/send_message params": ("session", "SendMessageParams"),
    "sep plugin session/send_message result": ("session", "SendMessageResult"),
    "sep plugin session/send_user_message params": ("session", "SendUserMessageParams"),
    "sep plugin session/send_user_message result": ("session", "SendUserMessageResult"),
    "sep plugin session/append_entry params": ("session", "AppendEntryParams"),
    "sep plugin session/append_entry result": ("session", "AppendEntryResult"),
    "sep plugin session/set_model params": ("session", "SetModelParams"),
    "sep plugin session/set_model result": ("session", "SetModelResult"),
    "sep plugin session/state params": ("session", "StateParams"),
    "sep plugin session/state result": ("session", "StateResult"),
}

OURS = {
    "sep plugin ui/request params": {"context"},
    "sep plugin registry/update params": {"shortcuts", "hooks", "message_renderers"},
}
"""Members that we have and they do not."""


def values(kind: str) -> Iterator[Any]:
    """Yield right and wrong values of a kind, and right ones without what is ours alone."""
    ours = OURS.get(kind, set())
    for value in (*all_right(FRAMES[kind]), *(value for _, value in wrong(FRAMES[kind]))):
        if isinstance(value, dict):
            yield {name: member for name, member in value.items() if name not in ours}
        else:
            yield value


@pytest.mark.parametrize("kind", MODELS)
def test_our_model_takes_and_refuses_what_the_published_schema_does(kind: str) -> None:
    file, name = MODELS[kind]
    whole = json.loads((FOLDER / f"{file}.schema.json").read_text())
    schema = {"$ref": f"#/$defs/{name}", "$defs": whole["$defs"]}
    validator = Draft202012Validator(schema)
    seen = list(values(kind))

    differing = [
        (value, [str(each) for each in check(kind, value)])
        for value in seen
        if bool(check(kind, value)) == validator.is_valid(value)
    ]

    assert len(seen) > 1
    assert differing == []


def test_no_model_of_ours_is_left_out() -> None:
    assert {kind for kind in FRAMES if not kind.startswith("stdio")} == set(MODELS)


def test_every_definition_of_theirs_is_held_against() -> None:
    theirs = {
        (path.name.removesuffix(".schema.json"), name)
        for path in FOLDER.glob("*.schema.json")
        for name in json.loads(path.read_text())["$defs"]
    }
    within = {"Id", "Context", "ProviderRegistration", "ToolRegistration", "CommandRegistration"}
    within |= {"ShortcutRegistration", "MessageRendererRegistration", "Completion"}
    left = {(file, name) for file, name in theirs - set(MODELS.values()) if name not in within}
    # Only stands for the one beside it.
    assert left == {("hook", "Result")}
