"""A model that says one thing."""

import time

from simulator.messages_api import Answer, ModelRequest, Say


class PromptModel:
    """Says the same at once whenever it is asked, and remembers when that was."""

    def __init__(self) -> None:
        self.asked_at = 0.0
        """When it was last asked; monotonic."""

    def __call__(self, request: ModelRequest) -> Answer:
        """Answer; it is a script of `simulator.messages_api`."""
        del request
        self.asked_at = time.monotonic()
        return Say("Fine, thank you.")
