"""Where it runs. Pure."""

from bot.errors import UnsupportedPlatformError


def require_linux(platform: str) -> None:
    """Do nothing on Linux.

    Args:
        platform: `sys.platform`.

    Raises:
        UnsupportedPlatformError: Elsewhere.
    """
    if platform != "linux":
        raise UnsupportedPlatformError(platform)
