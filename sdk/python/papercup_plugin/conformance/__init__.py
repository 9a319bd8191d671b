"""Says whether a plugin keeps to the protocol: in either dialect, written in any language.

    python3 -m papercup_plugin.conformance PATH

The program is run as hosts run it. All that both say is described in `frames`, as data.
"""

from papercup_plugin.conformance.findings import (
    CheckResult,
    Finding,
    Level,
    Outcome,
    TestReport,
    as_json,
)
from papercup_plugin.conformance.frames import FRAMES, check
from papercup_plugin.conformance.kinds import Complaint
from papercup_plugin.conformance.layout import as_text
from papercup_plugin.conformance.printing import Printer
from papercup_plugin.conformance.runner import CHECKS, USUAL_SECONDS, Audience, conform
from papercup_plugin.conformance.subject import ManifestError, Subject, read_subject

__all__ = [
    "CHECKS",
    "FRAMES",
    "USUAL_SECONDS",
    "Audience",
    "CheckResult",
    "Complaint",
    "Finding",
    "Level",
    "ManifestError",
    "Outcome",
    "Printer",
    "Subject",
    "TestReport",
    "as_json",
    "as_text",
    "check",
    "conform",
    "read_subject",
]
