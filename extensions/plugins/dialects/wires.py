"""Which wire format belongs to which dialect. Pure."""

from collections.abc import Callable, Mapping

from extensions.plugins.dialects.dialect import Wire
from extensions.plugins.dialects.sep import SepWire
from extensions.plugins.dialects.stdio import StdioWire
from extensions.plugins.manifest import Dialect

_WIRES: Mapping[Dialect, Callable[[], Wire]] = {Dialect.STDIO: StdioWire, Dialect.SEP: SepWire}


def wire_of(dialect: Dialect) -> Wire:
    """Return what speaks a dialect, for one program."""
    return _WIRES[dialect]()
