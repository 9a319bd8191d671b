"""Keeps the memory small that models take: by the C library, which would keep what they let go."""

import ctypes
from contextlib import suppress

# From glibc's malloc.h.
_MMAP_THRESHOLD = -3
_LARGE_BYTES = 1_000_000


def tidy_heap() -> None:
    """Give back what nothing uses any more, and large blocks from now on as soon as they are free.

    To be called when a model has been loaded: that leaves large gaps, 30 MB of Moonshine and 50 MB
    of hibari. Without the second, some busy lines would keep 50 MB more; with a smaller size of
    what is large, the models would take longer. Takes some milliseconds; does nothing where the C
    library is not glibc.
    """
    with suppress(OSError, AttributeError):
        library = ctypes.CDLL("libc.so.6")
        library.mallopt(_MMAP_THRESHOLD, _LARGE_BYTES)
        library.malloc_trim(0)
