"""The example plugins keep to the protocol."""

from dataclasses import replace

import pytest

from papercup_plugin.conformance import CHECKS, Level, TestReport, conform, read_subject
from tests.fakes.example_plugins import FOLDER, NAMES, environment

THOROUGH = {"dice", "echo"}
"""For which large messages are looked at, too: others read as they do, a shell slowly."""
KEPT_SIMPLE = {"todo": {"cancelling"}}
"""What hosts would like better otherwise, and takes long."""


async def probed(name: str) -> TestReport:
    left_out = KEPT_SIMPLE.get(name, set()) | (set() if name in THOROUGH else {"large-frames"})
    only = {check.name for check in CHECKS} - left_out
    subject = replace(read_subject(FOLDER / name), env=environment())
    return await conform(subject, only=only, timeout_seconds=20)


@pytest.mark.parametrize("name", NAMES)
async def test_each_passes_the_kit(name: str) -> None:
    report = await probed(name)

    findings = [finding for result in report.results for finding in result.findings]
    assert [each for each in findings if each.level is not Level.SKIP] == []
