"""Widgets with keys, and models that a plugin gives access to, in process."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from papercup_plugin import (
    AsyncContext,
    Block,
    Completion,
    CompletionRequest,
    Context,
    Credentials,
    Model,
    Plugin,
    ToolCall,
    models,
    render,
)
from papercup_plugin.testing import AnswerError, create_test_host


@pytest.fixture
def plugin() -> Plugin:
    return Plugin("many", version="1")


def drawn(text: str, *keys: dict[str, str]) -> dict[str, Any]:
    body = {"kind": "markdown", "text": text}
    widget = {"kind": "widget", "widget_id": "list", "body": body, "keybindings": [*keys]}
    return {"kind": "set_widget", "widget": widget}


def test_a_widget_is_drawn_and_drawn_anew_when_a_key_was_pressed(plugin: Plugin) -> None:
    @plugin.widget("list")
    def shopping(ctx: Context) -> Block:
        return render.markdown(" ".join(ctx.kv.get("items", [])) or "nothing")

    @shopping.key("clear", "Clear")
    def clear(ctx: Context) -> None:
        ctx.kv.set("items", [])

    @plugin.command
    def show(ctx: Context) -> None:
        shopping.show(ctx)

    with create_test_host(plugin, kv={"items": ["milk", "tea"]}) as host:
        host.run_command("show")
        host.press_key("clear", widget_id="list")
        host.press_key("clear", widget_id="another")
        host.press_key("unknown", widget_id="list")

    key = {"key": "clear", "description": "Clear"}
    assert host.ui_requests == [drawn("milk tea", key), drawn("nothing", key)]


@pytest.mark.parametrize("is_async", [False, True])
def test_an_async_function_shows_a_widget_however_that_is_drawn(
    plugin: Plugin, *, is_async: bool
) -> None:
    def draw(ctx: Context) -> Block:
        return render.markdown(str(ctx.kv.get("n")))

    async def draw_async(ctx: AsyncContext) -> Block:
        return render.markdown(str(await ctx.kv.get("n")))

    widget = plugin.widget("list")(draw_async if is_async else draw)

    @plugin.command
    async def show(ctx: AsyncContext) -> None:
        await widget.show(ctx)

    with create_test_host(plugin, kv={"n": 7}) as host:
        host.run_command("show")

    assert host.ui_requests == [drawn("7")]


def test_a_widget_may_have_other_keys_each_time(plugin: Plugin) -> None:
    pressed: list[str] = []

    @plugin.widget("list")
    def shopping() -> Block:
        return render.widget("list", render.markdown("x"), ["buy milk"])

    @shopping.on_key
    def any_key(key: str, ctx: Context) -> None:
        pressed.append(f"{ctx.event} {key}")

    with create_test_host(plugin) as host:
        # Some hosts do not say of which widget it is.
        host.press_key("buy milk")

    assert pressed == ["widget/key buy milk"]
    assert host.ui_requests == [drawn("x", {"key": "buy milk"})]


def test_a_provider_answers_with_a_text(plugin: Plugin) -> None:
    acme = plugin.provider(
        "acme", models=["grey", Model("red", "Red")], base_url="https://acme", api_key_env="KEY"
    )

    @acme.complete
    def answer(request: CompletionRequest, ctx: Context) -> str:
        return f"{request.model} {len(request.messages)} {request.thinking} {ctx.cancelled}"

    with create_test_host(plugin) as host:
        answered = host.complete("acme", "grey", [{"role": "user"}], thinking="high")

    assert answered.completion == Completion("grey 1 high False", finish_reason="stop")
    assert answered.deltas == ()
    assert host.registrations["providers"] == [
        {
            "name": "acme",
            "base_url": "https://acme",
            "api_key_env": "KEY",
            "models": [{"id": "grey"}, {"id": "red", "display_name": "Red"}],
        }
    ]


def test_a_generator_answers_in_pieces(plugin: Plugin) -> None:
    acme = plugin.provider("acme")

    @acme.complete
    def answer(_request: CompletionRequest) -> Iterator[str | dict[str, Any] | Completion]:
        yield models.reasoning("hm")
        yield "Hel"
        yield "lo"
        yield models.tool_call_start(0, "t1", "roll")
        yield models.tool_call_arguments(0, "{}")
        yield models.usage(total_tokens=3)
        yield Completion(tool_calls=[ToolCall("t1", "roll", {})], usage={"total_tokens": 3})

    with create_test_host(plugin) as host:
        streamed = host.complete("acme", "grey")
        whole = host.complete("acme", "grey", stream=False)

    assert streamed.completion == Completion(
        "Hello",
        tool_calls=(ToolCall("t1", "roll", {}),),
        finish_reason="tool_calls",
        usage={"total_tokens": 3},
    )
    assert [each["type"] for each in streamed.deltas] == [
        *("Reasoning", "Delta", "Delta", "ToolCallStart", "ToolCallArgumentsDelta", "Usage")
    ]
    assert streamed.deltas[1] == {"type": "Delta", "content": "Hel"}
    assert (whole.completion, whole.deltas) == (streamed.completion, ())


def test_an_async_generator_answers_in_pieces(plugin: Plugin) -> None:
    acme = plugin.provider("acme")

    @acme.complete
    async def answer(request: CompletionRequest, ctx: AsyncContext) -> AsyncIterator[str]:
        yield str(await ctx.kv.get("greeting"))
        yield request.model

    with create_test_host(plugin, kv={"greeting": "hi "}) as host:
        answered = host.complete("acme", "grey")

    assert answered.completion.content == "hi grey"
    assert len(answered.deltas) == 2


def test_somebody_logs_in_to_a_provider(plugin: Plugin) -> None:
    acme = plugin.provider("acme")

    @acme.oauth_login
    def log_in(ctx: Context) -> Credentials:
        return Credentials(api_key=ctx.ui.input("Your key?"))

    @acme.oauth_refresh
    async def refresh(refresh_token: str) -> dict[str, Any]:
        return {"access_token": f"new {refresh_token}", "expires_at": 7}

    with create_test_host(plugin, ui=["secret"]) as host:
        granted = host.oauth_login("acme")
        renewed = host.oauth_refresh("acme", "old")

    assert granted == Credentials(api_key="secret")
    assert renewed == Credentials(access_token="new old", expires_at=7)
    assert host.registrations["providers"] == [{"name": "acme", "oauth": True, "models": []}]


def test_a_provider_that_cannot_do_it_says_so(plugin: Plugin) -> None:
    acme = plugin.provider("acme")
    reasons: list[str] = []

    with create_test_host(plugin) as host:
        for ask in (
            lambda: host.complete("acme", "grey"),
            lambda: host.oauth_login("acme"),
            lambda: host.oauth_refresh("acme", "x"),
            lambda: host.complete("other", "grey"),
        ):
            with pytest.raises(AnswerError) as caught:
                ask()
            reasons.append(caught.value.message)

    assert acme.name == "acme"
    assert reasons == [
        "the provider 'acme' cannot answer yet",
        "nobody can log in to 'acme'",
        "the credentials of 'acme' cannot be renewed",
        "there is no provider 'other'",
    ]


def test_a_provider_that_answers_nothing_is_an_error(plugin: Plugin) -> None:
    acme = plugin.provider("acme")
    silent: Any = lambda _request: None  # noqa: E731 - of a type that it should not have
    acme.complete(silent)

    with create_test_host(plugin) as host, pytest.raises(AnswerError, match="a text or a Comple"):
        host.complete("acme", "grey")
