"""What is known of plugins as plain text, numbers, lists and objects, for programs that ask."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from bot.cli.plugin_overview import FoundPlugin, Overview
from extensions.plugins.manifest import Diagnostic, Manifest
from extensions.plugins.tree_hash import TreeHash
from extensions.plugins.trust import Untrusted


def plain_overview(overview: Overview) -> dict[str, Any]:
    """Return it as plain text, numbers, lists and objects."""
    return {
        "enabled": overview.is_enabled,
        "running": overview.is_running,
        "roots": [
            {"path": str(each.path), "scope": each.scope.value, "found": each.path.is_dir()}
            for each in overview.roots
        ],
        "scanned": overview.report.scanned_folders,
        "disabled": overview.report.disabled_count,
        "plugins": [plain_plugin(each) for each in overview.plugins],
        "not_found": list(overview.not_found),
        "diagnostics": [plain_diagnostic(each) for each in overview.report.diagnostics],
        "note": overview.note,
    }


def plain_plugin(found: FoundPlugin) -> dict[str, Any]:
    """Return what is known of one plugin as plain text, numbers, lists and objects."""
    is_untrusted, origin = isinstance(found.verdict, Untrusted), found.looked.origin
    return {
        **plain_manifest(found.manifest),
        "scope": found.candidate.scope.value,
        "project": _path(found.candidate.project),
        "folder": str(found.candidate.folder),
        "manifest": str(found.candidate.manifest_path),
        "origin": None if origin is None else asdict(origin),
        "hash": found.tree.text if isinstance(found.tree, TreeHash) else None,
        "trusted": not is_untrusted,
        "missing": {"bins": list(found.missing.bins), "env": list(found.missing.env)},
        "obstacle": found.obstacle,
        "state": found.state,
        "running": None if found.running is None else dict(found.running),
    }


def plain_manifest(manifest: Manifest) -> dict[str, Any]:
    """Return a manifest as plain text, numbers, lists and objects."""
    declared, run = manifest.capabilities, manifest.run
    return {
        "id": manifest.id,
        "name": manifest.name,
        "version": manifest.version,
        "description": manifest.description,
        "dialect": manifest.dialect.value,
        "tier": manifest.tier.value,
        "priority": manifest.priority,
        "command": None if run is None else [run.command, *run.args],
        "capabilities": {
            "tools": _names(declared.tools),
            "hooks": _names(declared.hooks),
            "providers": _names(declared.providers),
            "events": sorted(declared.events),
            "commands": declared.commands,
            "ui": declared.ui,
            "exec": declared.exec,
            "kv": declared.kv,
            "bus": declared.bus,
            "session": declared.session,
        },
        "requires": {"bins": list(manifest.requires.bins), "env": list(manifest.requires.env)},
        "resources": {
            "skills": list(manifest.resources.skills),
            "prompts": list(manifest.resources.prompts),
            "themes": list(manifest.resources.themes),
        },
        "mcp_servers": sorted(manifest.mcp_servers),
        "unserved": list(manifest.unserved),
    }


def plain_diagnostic(diagnostic: Diagnostic) -> dict[str, str]:
    """Return a diagnostic as plain text."""
    return {
        "level": diagnostic.level.value,
        "path": diagnostic.path,
        "message": diagnostic.message,
    }


def _names(names: frozenset[str] | None) -> list[str] | bool:
    return True if names is None else sorted(names)


def _path(path: Path | None) -> str | None:
    return None if path is None else str(path)
