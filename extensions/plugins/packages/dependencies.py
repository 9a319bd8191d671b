"""Brings along what a plugin depends on: Node packages into its folder, Python ones beside it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePath

from extensions.plugins.packages.fetching import Fetched, FetchTerms
from extensions.plugins.packages.node_packages import (
    NodeTerms,
    check_lock,
    install_node_packages,
    missing_node_packages,
)
from extensions.plugins.packages.python_packages import (
    EnvironmentWish,
    PythonTerms,
    make_environment,
    pin_requirements,
)
from extensions.plugins.packages.python_requirements import wanted_requirements
from extensions.plugins.packages.sdk_requirements import names_sdk

_ITSELF = PurePath()


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependent:
    """A plugin that is being got ready."""

    id: str
    folder: Path
    """Where it stands at present."""
    root: Path
    """Where plugins go."""
    fetched: Fetched
    sdk_place: PurePath = _ITSELF
    """Where in its folder its Python looks for the SDK."""
    is_in_project: bool = False
    """Whether somebody else may have written what stands where plugins go."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependencies:
    """What a plugin depends on, and lacks."""

    node: tuple[str, ...] = ()
    """Node packages."""
    python: tuple[str, ...] = ()
    """Python packages, with their versions."""
    sdk: tuple[str, ...] = ()
    """What names the SDK, with its versions."""


def dependencies_of(plugin: Dependent, terms: FetchTerms) -> Dependencies:
    """Return what has to be brought along.

    Raises:
        BadPackageError: If it is not known which, or they cannot be.
    """
    node = missing_node_packages(plugin.folder)
    if node:
        check_lock(plugin.folder, node, terms.environment, registry=terms.endpoints.npm)
    fetched = plugin.fetched
    wanted = [*fetched.requirements] or wanted_requirements(plugin.folder)
    return Dependencies(
        node=tuple(node),
        python=tuple(each for each in wanted if not names_sdk(each)),
        sdk=tuple(each for each in (*wanted, *fetched.declared) if names_sdk(each)),
    )


def bring_along(
    plugin: Dependent,
    wanted: Dependencies,
    make: Callable[[str], Path],
    terms: FetchTerms,
    *,
    is_trial: bool = False,
) -> bool:
    """Install what a plugin depends on, and return whether it got another environment just now.

    Args:
        plugin: The plugin.
        wanted: What `dependencies_of` returned.
        make: Makes folders for what is only needed meanwhile.
        terms: How packages are had.
        is_trial: Whether nothing is made beside the plugin's folder.

    Raises:
        BadPackageError, FetchError: If that is not possible.
    """
    if wanted.node:
        node_terms = NodeTerms(
            registry=terms.endpoints.npm, home=make("npm"), environment=terms.environment
        )
        install_node_packages(plugin.folder, node_terms, terms.tell)
    if not wanted.python:
        return False
    python_terms = PythonTerms(
        index=terms.endpoints.pypi, home=make("uv"), environment=terms.environment
    )
    pin_requirements(
        plugin.folder,
        [*wanted.python],
        python_terms,
        terms.tell,
        own_integrity=plugin.fetched.integrity if plugin.fetched.requirements else None,
        requires_sdk=bool(wanted.sdk),
    )
    return not is_trial and make_environment(_environment(plugin, wanted), python_terms)


def _environment(plugin: Dependent, wanted: Dependencies) -> EnvironmentWish:
    return EnvironmentWish(
        root=plugin.root,
        plugin_id=plugin.id,
        folder=plugin.folder,
        sdk_place=plugin.sdk_place if wanted.sdk else None,
        is_anew=plugin.is_in_project,
    )
