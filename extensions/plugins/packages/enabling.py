"""Says which plugins are to be loaded, besides what the configuration says."""

from pathlib import Path

from extensions.plugins.naming import is_valid_id
from extensions.plugins.packages.errors import BadIdError
from extensions.plugins.packages.packages_store import read_packages, write_packages
from extensions.plugins.packages.workshop import open_workshop


def set_enabled(plugin_id: str, root: Path, *, is_enabled: bool) -> bool:
    """Have a plugin loaded or not, wherever it is found, and return whether that is new.

    Args:
        plugin_id: The plugin's id.
        root: Where plugins are installed, beside which that is kept.
        is_enabled: Whether it is to be loaded.

    Raises:
        BadIdError: If no plugin may be called that.
        PackagesFileError, PlacingError: If it cannot be written.
    """
    if not is_valid_id(plugin_id):
        raise BadIdError(f"{plugin_id!a} is no plugin's id")
    with open_workshop(root):
        packages = read_packages(root)
        changed = packages.enabling(plugin_id, is_enabled=is_enabled)
        if changed != packages:
            write_packages(root, changed)
    return changed != packages
