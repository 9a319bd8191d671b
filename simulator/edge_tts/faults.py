"""What may go wrong with the speech service."""

from enum import StrEnum


class Fault(StrEnum):
    """What one request meets with."""

    FORBIDDEN = "forbidden"
    """403, as for a wrong token, or a clock that is wrong."""
    UNAVAILABLE = "unavailable"
    """503."""
    NO_AUDIO = "no audio"
    """The answer begins and ends, with nothing in between."""
    CUT = "cut"
    """The connection is closed in the middle of the audio, as if that was its end."""
    STALL = "stall"
    """Nothing comes, not even an answer when the connection is closed."""
    STALL_HALFWAY = "stall halfway"
    """Nothing more comes after half of the audio."""
    SLOW = "slow"
    """The audio comes a second late."""
