"""The uses of Claude's own tools that have begun and not ended yet."""

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from extensions.callers import Caller
from extensions.server.hook_values import ToolUse

_MOST = 1024


@dataclass(frozen=True, slots=True)
class OpenTool:
    """One of them."""

    use: ToolUse
    """Without its arguments."""
    began_at: float
    """On the loop's clock, in seconds."""


class OpenTools:
    """Keeps them until they end; of those that nobody ends, the oldest go first."""

    def __init__(self, *, most: int = _MOST) -> None:
        self._most = most
        self._open: OrderedDict[tuple[Caller, str], OpenTool] = OrderedDict()

    def __len__(self) -> int:
        return len(self._open)

    def begin(self, caller: Caller, use: ToolUse, *, at: float) -> None:
        """Take note of one that has begun."""
        # Its arguments come again with what it gives back; meanwhile they could be any amount.
        self._open[caller, use.call_id] = OpenTool(replace(use, arguments={}), at)
        if len(self._open) > self._most:
            self._open.popitem(last=False)

    def end(self, caller: Caller, call_id: str) -> OpenTool | None:
        """Return one that has ended; `None` if that is known, or it was never noted."""
        return self._open.pop((caller, call_id), None)

    def end_all(self, caller: Caller, call_ids: Iterable[str]) -> list[OpenTool]:
        """Return those among these that have not ended yet; now they have."""
        ended = (self.end(caller, call_id) for call_id in call_ids)
        return [tool for tool in ended if tool is not None]
