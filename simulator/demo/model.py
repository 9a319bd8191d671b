"""What the model says in the demo.

It knows what to do, and nothing of how that ends: each sentence about a job is made from what the
tools gave back.
"""

import asyncio
from typing import Any

from simulator.messages_api import Answer, ModelRequest, Say, Use

FIBONACCI_TASK = (
    "Write a Python script fibonacci.py that prints the first 15 Fibonacci numbers, and run it."
)
REPORT_TASK = "Find report.docx and convert it to PDF."

FIBONACCI_SCRIPT = """\
first, second = 0, 1
for _ in range(15):
    print(first, end=" ")
    first, second = second, first + second
print()
"""

_SPAWN = "mcp__papercup__spawn_extension"
_CHECK = "mcp__papercup__check_extension"
_LIST = "mcp__papercup__list_extensions"
_REPORT = "mcp__papercup__report_progress"

_WORD_SECONDS = 0.03
_LONGEST_WAIT_SECONDS = 20.0


class DemoModel:
    """The model behind the speaker and the jobs. It is a script of `simulator.messages_api`."""

    def __init__(self, *, longest_wait_seconds: float = _LONGEST_WAIT_SECONDS) -> None:
        """Make one.

        Args:
            longest_wait_seconds: After which the Fibonacci job ends if nobody lets it.
        """
        self.may_finish = asyncio.Event()
        """Until it is set, the Fibonacci job has not thought of its last words."""
        self._longest_wait_seconds = longest_wait_seconds

    async def __call__(self, request: ModelRequest) -> Answer:
        """Answer as the speaker or as a job, as the tools that are offered tell."""
        if _SPAWN in request.tools:
            return _as_speaker(request)
        if "report.docx" in request.last_user_text:
            return Use("Glob", {"pattern": f"**/report{request.step}.docx"})
        return await self._write_fibonacci(request)

    async def _write_fibonacci(self, request: ModelRequest) -> Answer:
        match request.step:
            case 0:
                return Use(_REPORT, {"message": "Writing the script", "fraction": 0.3})
            case 1:
                return Use("Write", {"file_path": "fibonacci.py", "content": FIBONACCI_SCRIPT})
            case 2:
                return Use("Bash", {"command": "python3 fibonacci.py", "description": "Run it"})
            case _:
                try:
                    async with asyncio.timeout(self._longest_wait_seconds):
                        await self.may_finish.wait()
                except TimeoutError:
                    return Say("Nobody let me finish.")
                return Say(_what_the_tools_said(request))


def _what_the_tools_said(request: ModelRequest) -> str:
    """Word a job's end from the results that it got, whatever they are."""
    wrong = [result for result in request.tool_results if result.is_error]
    if wrong:
        return f"It did not work: {wrong[0].tool} said: {wrong[0].text.strip()}"
    *_, last = request.tool_results
    return f"`fibonacci.py` is written, and I ran it. It printed:\n{last.text.strip()}"


def _as_speaker(request: ModelRequest) -> Answer:
    said = request.last_user_text.lower()
    if "done yet" in said:
        return _about_the_newest_job(request)
    if "fibonacci" in said:
        return _start(request, FIBONACCI_TASK, "fibonacci")
    if "report" in said:
        return _start(request, REPORT_TASK, "report-to-pdf")
    return _slowly(
        "Divide any Fibonacci number by the one before it: the further you go, the nearer you"
        " come to the golden ratio, about 1.618."
    )


def _start(request: ModelRequest, task: str, name: str) -> Answer:
    job = _json_of_last_tool(request)
    if job is None:
        return Use(_SPAWN, {"task": task, "name": name}, text="I hand that to a job.")
    if "error" in job:
        return _slowly(f"That could not be started: {job['error']}")
    return _slowly(f"**{job['name']}** is {job['status']}; ask me about it whenever you like.")


def _about_the_newest_job(request: ModelRequest) -> Answer:
    answer = _json_of_last_tool(request)
    if answer is None:
        return Use(_LIST, {"limit": 1})
    if "status" not in answer:
        newest = _newest(answer)
        if newest is None:
            return _slowly("There is no job.")
        return Use(_CHECK, {"id": newest["id"]})
    name, status = answer["name"], answer["status"]
    if status == "completed":
        return _slowly(f"Yes: **{name}** is {status}. {answer['summary']}")
    if status in {"queued", "running"}:
        return _slowly(f"Not yet: **{name}** is {status}.")
    return _slowly(f"No: **{name}** is {status}. {answer['error']}")


def _newest(listed: dict[str, Any]) -> dict[str, Any] | None:
    jobs: list[dict[str, Any]] = listed.get("extensions") or []
    return jobs[0] if jobs else None


def _json_of_last_tool(request: ModelRequest) -> dict[str, Any] | None:
    answer: dict[str, Any] | None = request.last_tool_json
    return answer


def _slowly(text: str) -> Say:
    return Say(text, chunk_seconds=_WORD_SECONDS)
