"""Which of the plugins that were found count. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from extensions.plugins.manifest import Candidate, Diagnostic, DiscoveryReport, Level

CONFIGURATION = "configuration"
"""The path of a diagnostic that is about no file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionOptions:
    """Which plugins the operator wants."""

    disabled: frozenset[str] = frozenset()
    allowlist: frozenset[str] = frozenset()
    """Empty: all."""


def select(
    found: Sequence[Candidate],
    diagnostics: Iterable[Diagnostic],
    options: SelectionOptions,
    *,
    scanned_folders: int,
) -> DiscoveryReport:
    """Return what counts, and what is amiss.

    What lies within another plugin is left out, then every second of an id, then what is
    disabled, then what is not on the list.
    """
    notes = list(diagnostics)
    kept = sorted(prune_nested(found), key=lambda one: (one.root_index, str(one.folder)))
    kept, later = _first_of_each(kept, notes)
    enabled = [one for one in kept if not _is_disabled(one, options)]
    shadowed = [one for one in later if not _is_disabled(one, options)]
    disabled_count = len(kept) - len(enabled)
    if options.allowlist:
        notes += _missing_of_allowlist(enabled, options)
        enabled = [one for one in enabled if one.id in options.allowlist]
        shadowed = [one for one in shadowed if one.id in options.allowlist]
    counting = {one.id for one in enabled}
    return DiscoveryReport(
        candidates=_in_order(enabled),
        diagnostics=tuple(sorted(set(notes))),
        scanned_folders=scanned_folders,
        disabled_count=disabled_count,
        shadowed=tuple(shadowed),
        left_out=_in_order(one for one in kept if one.id not in counting),
    )


def duplicate_of(candidate: Candidate, kept: Candidate) -> Diagnostic:
    """Return that a plugin is left out, as another with its id is kept."""
    message = f"duplicate plugin id `{candidate.id}`; keeping first ({kept.manifest_path})"
    return Diagnostic(path=str(candidate.manifest_path), message=message, level=Level.WARN)


def prune_nested(found: Sequence[Candidate]) -> list[Candidate]:
    """Return those that do not lie strictly within the folder of another."""
    folders = {str(one.folder) for one in found}
    return [one for one in found if not _is_within_any(str(one.folder), folders)]


def _is_within_any(folder: str, folders: set[str]) -> bool:
    # As text: making paths of all parents takes longer than all else together.
    while folder := folder.rpartition("/")[0]:
        if folder in folders:
            return True
    return False


def _first_of_each(
    found: Iterable[Candidate], notes: list[Diagnostic]
) -> tuple[list[Candidate], list[Candidate]]:
    """Return the first of each id, and the others."""
    first: dict[str, Candidate] = {}
    later: list[Candidate] = []
    for one in found:
        known = first.setdefault(one.id, one)
        if known is not one:
            later.append(one)
            if known.folder != one.folder:
                notes.append(duplicate_of(one, known))
    return list(first.values()), later


def _in_order(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    return tuple(sorted(candidates, key=lambda one: (one.root_index, one.id)))


def _is_disabled(candidate: Candidate, options: SelectionOptions) -> bool:
    return candidate.manifest.disabled or candidate.id in options.disabled


def _missing_of_allowlist(
    enabled: Iterable[Candidate], options: SelectionOptions
) -> list[Diagnostic]:
    missing = options.allowlist - {one.id for one in enabled}
    return [
        Diagnostic(
            path=CONFIGURATION,
            message=f"allowlist contains `{plugin_id}` but no plugin with that id was discovered",
            level=Level.WARN,
        )
        for plugin_id in missing
    ]
