"""Brings along what a plugin depends on: Node packages into its folder, Python ones beside it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from extensions.plugins.packages.fetching import Fetched, FetchTerms
from extensions.plugins.packages.node_packages import (
    NodeTerms,
    check_lock,
    install_node_packages,
    missing_node_packages,
)
from extensions.plugins.packages.python_packages import (
    PythonTerms,
    make_environment,
    pin_requirements,
    wanted_requirements,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependent:
    """A plugin that is being got ready."""

    id: str
    folder: Path
    """Where it stands at present."""
    root: Path
    """Where plugins go."""
    fetched: Fetched


def dependencies_of(plugin: Dependent, terms: FetchTerms) -> tuple[list[str], list[str]]:
    """Return the Node packages and the Python packages that have to be brought along.

    Raises:
        BadPackageError: If it is not known which, or they cannot be.
    """
    node = missing_node_packages(plugin.folder)
    if node:
        check_lock(plugin.folder, node, terms.environment)
    python = [*plugin.fetched.requirements] or wanted_requirements(plugin.folder)
    return node, python


def bring_along(
    plugin: Dependent,
    packages: tuple[list[str], list[str]],
    make: Callable[[str], Path],
    terms: FetchTerms,
) -> None:
    """Install what a plugin depends on.

    Args:
        plugin: The plugin.
        packages: What `dependencies_of` returned.
        make: Makes folders for what is only needed meanwhile.
        terms: How packages are had.

    Raises:
        BadPackageError, FetchError: If that is not possible.
    """
    node, python = packages
    if node:
        node_terms = NodeTerms(
            registry=terms.endpoints.npm, home=make("npm"), environment=terms.environment
        )
        install_node_packages(plugin.folder, node_terms, terms.tell)
    if python:
        python_terms = PythonTerms(
            index=terms.endpoints.pypi, home=make("uv"), environment=terms.environment
        )
        pin_requirements(plugin.folder, python, python_terms, terms.tell)
        make_environment(plugin.root, plugin.id, plugin.folder, python_terms)
