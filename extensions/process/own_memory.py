"""Keeps other programs of the same user from reading what this process holds."""

import ctypes
import logging
import os
import sys

_PR_SET_DUMPABLE = 4

logger = logging.getLogger(__name__)


def hide_own_memory() -> None:
    """Keep them from it: else each could read the secrets with which this process was started.

    Those that this process starts are not hidden. It also leaves no core file any more. Nothing
    keeps the superuser from it.
    """
    if sys.platform != "linux":
        return
    system = ctypes.CDLL(None, use_errno=True)
    if system.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        reason = os.strerror(ctypes.get_errno())
        logger.warning("other programs of this user can read what this one holds: %s", reason)
