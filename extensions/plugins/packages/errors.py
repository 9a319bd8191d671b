"""What can go wrong when plugins are installed, updated or removed. Nothing has changed then.

ExtensionsError
    PackageError               it cannot be done; never raised itself
        SourceError            what was named is no source
        FetchError             it cannot be had from there
        BadPackageError        what came from there cannot be taken
        UnknownPackageError    no plugin of that id is there
        BadIdError             that is no plugin's id
        TargetExistsError      something stands already where it would go
        IdTakenError           another plugin has that id
        PackagesFileError      what is kept of installed plugins cannot be read or written
        LocalChangesError      what is installed was changed, and that would be lost
        PlacingError           it cannot be put where it should go
"""

from pathlib import Path

from extensions.errors import ExtensionsError


class PackageError(ExtensionsError):
    """It cannot be done. Never raised itself."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
        """A sentence without a full stop."""

    def __str__(self) -> str:
        return self.reason


class SourceError(PackageError):
    """What was named is no source of a plugin."""


class FetchError(PackageError):
    """It cannot be had from its source."""


class BadPackageError(PackageError):
    """What came from its source cannot be taken."""


class UnknownPackageError(PackageError):
    """No plugin of that id is there."""


class BadIdError(PackageError):
    """That is no plugin's id."""


class TargetExistsError(PackageError):
    """Something stands already where it would go."""

    def __init__(self, plugin_id: str, path: Path, *, is_installed: bool) -> None:
        mend = (
            f"`papercup plugin update {plugin_id}` brings a newer one,"
            f" `papercup plugin remove {plugin_id}` takes it away"
            if is_installed
            else "it was put there by hand, and has to be taken away by hand"
        )
        super().__init__(f"{path} is there already: {mend}")


class IdTakenError(PackageError):
    """Another plugin has that id."""

    def __init__(self, plugin_id: str, path: Path) -> None:
        super().__init__(f"there is another plugin called {plugin_id}: {path}")


class PackagesFileError(PackageError):
    """What is kept of installed plugins cannot be read or written."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"{path} {why}")
        self.path = path
        self.why = why
        """The end of a sentence about it."""


class LocalChangesError(PackageError):
    """What is installed was changed in its place, and that would be lost."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} was changed since it was installed; with --yes that is lost")


class PlacingError(PackageError):
    """It cannot be put where it should go."""
