"""A plugin that is written with the SDK, and does a little of everything."""

import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from papercup_plugin import (
    AsyncContext,
    Block,
    CompletionRequest,
    Context,
    Credentials,
    Outcome,
    Plugin,
    RefusedError,
    ToolResult,
    block,
    render,
)

plugin = Plugin("sample", version="1.0.0")
plugin.flag("loud", default=False)
heard: list[Any] = []


@plugin.tool
def say(phrase: str, times: int = 1) -> ToolResult:
    """Say something.

    Args:
        phrase: What is said.
        times: How often.
    """
    return ToolResult(phrase * times, details={"times": times})


@plugin.tool
def printed() -> str:
    """Print, as do other programs that it starts."""
    print("not for the host")  # noqa: T201 - as authors do
    sys.stdout.write("nor this\n")
    os.write(1, b"nor that\n")
    subprocess.run([sys.executable, "-c", "print('nor those')"], check=True)
    return sys.stdin.read() or "nothing to read"


@plugin.tool
def close_output() -> None:
    """Close what it prints to, and print."""
    sys.stdout.close()
    print("never")  # noqa: T201 - as authors do


@plugin.tool
def fail(message: str) -> None:
    """Fail."""
    raise ValueError(message)


@plugin.tool
def ask(ctx: Context) -> str:
    """Ask people."""
    return f"{ctx.ui.confirm('Sure?')} {ctx.has_ui('confirm')}"


@plugin.tool
async def wait(ctx: AsyncContext) -> str:
    """Wait for people who do not answer."""
    ctx.progress(0.5, "waits")
    return str(await ctx.ui.input("Well?"))


@plugin.tool
def sleep(ctx: Context) -> str:
    """Sleep until nobody waits any more."""
    ctx.progress(0.1)
    woken = ctx.signal.wait(60)
    heard.append("cancelled" if woken else "slept")
    return "late"


@plugin.tool
def memory() -> list[Any]:
    """Tell what was heard."""
    return heard


@plugin.tool
def learn() -> None:
    """Offer one tool more."""
    plugin.tool(name="late", description="Late.")(lambda: "better late")


@plugin.command(complete=["keep", ("known", "what is known")])
def do(args: str, ctx: Context) -> str | None:
    """Do something."""
    match args.split():
        case ["keep", value]:
            ctx.kv.set("kept", {"value": value})
            return f"{ctx.kv.get('kept')['value']} {ctx.kv.list()}"
        case ["session"]:
            ctx.session.send_message("posted")
            ctx.session.send_user_message("said", "next_turn")
            ctx.session.append_entry({"n": 1})
            ctx.session.set_model("opus")
            return str(ctx.session.state())
        case ["exec"]:
            done = ctx.exec("git", ["status"])
            return f"{done.stdout} {done.exit_code}"
        case ["publish"]:
            ctx.bus.publish("news", {"n": 1})
        case ["choose"]:
            return str(ctx.set_active_tools(["say", "Bash"]))
        case ["known"]:
            return f"{ctx.cwd} {ctx.mode} {dict(ctx.flags)}"
        case ["show"]:
            counter.show(ctx)
        case _:
            raise RefusedError(f"not {args}")
    return None


@plugin.widget("counter")
def counter(ctx: Context) -> Block:
    return render.markdown(f"**{ctx.kv.get('count', 0)}**")


@counter.key("more", "One more")
def more(ctx: Context) -> None:
    ctx.kv.set("count", ctx.kv.get("count", 0) + 1)


@plugin.hook("tool_call")
def gate(event: dict[str, Any]) -> Outcome | None:
    return block("not that") if "rm" in str(event["arguments"]) else None


@plugin.hook("input")
async def shout(event: dict[str, Any]) -> dict[str, str]:
    return {"text": event["text"].upper()}


@plugin.on("turn_start")
def began(_event: dict[str, Any], ctx: Context) -> None:
    heard.append(f"{ctx.event} {ctx.session_id}")


@plugin.on("session_shutdown")
async def save(event: dict[str, Any], ctx: AsyncContext) -> None:
    await ctx.kv.set("ended", event["reason"])


@plugin.bus.on("news")
def news(payload: dict[str, Any]) -> None:
    heard.append(payload)


parrot = plugin.provider("parrot", models=["grey"])


@parrot.complete
def answer(request: CompletionRequest) -> Iterator[str]:
    yield "you said "
    yield str(request.messages[-1]["content"])


@parrot.oauth_login
def log_in(ctx: Context) -> Credentials:
    return Credentials(api_key=ctx.ui.input("Key?"), refresh_token="r1")


@parrot.oauth_refresh
def renew(refresh_token: str) -> Credentials:
    return Credentials(access_token=f"for {refresh_token}")


if __name__ == "__main__":
    plugin.run()
