"""The codes with which the commands about plugins end."""

from enum import IntEnum


class PluginExit(IntEnum):
    """How a command about plugins ended; the numbers are those of other hosts of plugins."""

    OK = 0
    NOT_FOUND = 1
    """There is no such plugin, or something else went wrong."""
    INVALID = 2
    """A manifest has to be mended."""
    CHECK_FAILED = 9
    """A plugin does not start."""
