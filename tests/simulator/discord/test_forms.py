from typing import Any

import pytest

from simulator.discord.errors import ApiError
from simulator.discord.forms import check_modal

TEXT: dict[str, Any] = {"type": 4, "custom_id": "why", "style": 1}
LABELLED: dict[str, Any] = {"type": 18, "label": "Why", "component": TEXT}
OLD: dict[str, Any] = {"type": 1, "components": [{**TEXT, "label": "Why"}]}


def form(*components: dict[str, Any], **others: Any) -> dict[str, Any]:
    return {"title": "A form", "custom_id": "f", "components": list(components)} | others


@pytest.mark.parametrize(
    "good",
    [
        form(LABELLED),
        form(OLD),
        form({"type": 10, "content": "Please"}, LABELLED),
        form({**LABELLED, "component": {**TEXT, "min_length": 0, "max_length": 4000}}),
    ],
)
def test_a_form_that_discord_takes_is_taken(good: dict[str, Any]) -> None:
    check_modal(good)


@pytest.mark.parametrize(
    ("bad", "path"),
    [
        (form(), ["components"]),
        (form(*[LABELLED] * 6), ["components"]),
        (form(LABELLED, LABELLED), None),
        (form(LABELLED, title="t" * 46), ["title"]),
        (form(LABELLED, title=""), ["title"]),
        (form(LABELLED, custom_id="c" * 101), ["custom_id"]),
        (form(TEXT), ["components", "0", "type"]),
        (form({**LABELLED, "label": "l" * 46}), ["components", "0", "label"]),
        (form({**LABELLED, "description": "d" * 101}), ["components", "0", "description"]),
        (form({**LABELLED, "component": {"type": 2}}), ["components", "0", "component", "type"]),
        (form({"type": 1, "components": [TEXT]}), ["components", "0", "components", "0", "label"]),
        (form({"type": 1, "components": []}), ["components", "0", "components"]),
    ],
)
def test_a_form_that_discord_refuses_is_refused(
    bad: dict[str, Any], path: list[str] | None
) -> None:
    with pytest.raises(ApiError) as refused:
        check_modal(bad)
    found: Any = refused.value.errors
    for part in ["components"] if path is None else ["data", *path]:
        found = found[part]
    assert found["_errors"]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"style": 3}, "style"),
        ({"custom_id": ""}, "custom_id"),
        ({"placeholder": "p" * 101}, "placeholder"),
        ({"min_length": 4001}, "min_length"),
        ({"max_length": 4001}, "max_length"),
        ({"min_length": 5, "max_length": 4}, "max_length"),
        ({"max_length": 3, "value": "four"}, "value"),
    ],
)
def test_a_text_that_could_not_be_filled_in_is_refused(change: dict[str, Any], field: str) -> None:
    with pytest.raises(ApiError) as refused:
        check_modal(form({**LABELLED, "component": {**TEXT, **change}}))
    assert refused.value.errors is not None
    assert field in refused.value.errors["data"]["components"]["0"]["component"]
