"""What can go wrong with the engines that hear and speak. Pure."""


class EngineError(Exception):
    """An engine, or its model, cannot be used. Its text says what to do about it."""


class SpeechError(Exception):
    """A text could not be spoken, or not to its end."""
