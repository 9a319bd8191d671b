"""Which of several plugins with one id is loaded. Pure.

What nobody trusts takes the place of none that is trusted: it would put out what that one guards.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from extensions.plugins.manifest import Candidate, Diagnostic, DiscoveryReport, Level, Scope
from extensions.plugins.selection import duplicate_of
from extensions.plugins.trust import Trusted, Verdict

Place: TypeAlias = tuple[Scope, Path]
"""Where a plugin was found; what the operator said of it is kept by that."""


def place_of(candidate: Candidate) -> Place:
    """Return where a plugin was found."""
    return candidate.scope, candidate.folder


def rivals_in(report: DiscoveryReport) -> tuple[Candidate, ...]:
    """Return those that share their id with others, the first of each id before the others."""
    ids = {each.id for each in report.shadowed}
    return (*(each for each in report.candidates if each.id in ids), *report.shadowed)


def chosen(report: DiscoveryReport, verdicts: Mapping[Place, Verdict]) -> DiscoveryReport:
    """Return what counts once it is known what is trusted.

    Of each id that is the first that is trusted, else the first that was before it changed, else
    the first.

    Args:
        report: What was found.
        verdicts: Whether each of `rivals_in` it is trusted.
    """
    kept = {each.id: each for each in report.candidates}
    notes = set(report.diagnostics)
    for each in report.shadowed:
        holder = kept.get(each.id)
        rank = 0 if holder is None else _rank(holder, verdicts)
        if _rank(each, verdicts) <= rank:
            continue
        kept[each.id] = each
        if holder is not None and holder.folder != each.folder:
            notes.discard(duplicate_of(each, holder))
            notes.add(_replaced(holder, each))
    return replace(
        report,
        candidates=tuple(sorted(kept.values(), key=lambda one: (one.root_index, one.id))),
        diagnostics=tuple(sorted(notes)),
    )


def _rank(candidate: Candidate, verdicts: Mapping[Place, Verdict]) -> int:
    verdict = verdicts[place_of(candidate)]
    if isinstance(verdict, Trusted):
        return 2
    return 1 if verdict.has_lapsed else 0


def _replaced(first: Candidate, kept: Candidate) -> Diagnostic:
    message = (
        f"duplicate plugin id `{first.id}`; it is not trusted,"
        f" so another is kept ({kept.manifest_path})"
    )
    return Diagnostic(path=str(first.manifest_path), message=message, level=Level.WARN)
