"""The numbers of the voice gateway, version 8. Pure."""

from enum import IntEnum


class Op(IntEnum):
    """What a message of the voice gateway is about."""

    IDENTIFY = 0
    SELECT_PROTOCOL = 1
    READY = 2
    HEARTBEAT = 3
    SESSION_DESCRIPTION = 4
    SPEAKING = 5
    HEARTBEAT_ACK = 6
    RESUME = 7
    HELLO = 8
    RESUMED = 9
    CLIENTS_CONNECT = 11
    VIDEO = 12
    """Sent by clients that could show something, too."""
    CLIENT_DISCONNECT = 13
    CLIENT_FLAGS = 18
    """Not documented; sent for each user who comes."""
    CLIENT_PLATFORM = 20
    """Not documented; sent for each user who comes."""
    DAVE_PREPARE_TRANSITION = 21
    DAVE_EXECUTE_TRANSITION = 22
    DAVE_TRANSITION_READY = 23
    DAVE_PREPARE_EPOCH = 24
    MLS_EXTERNAL_SENDER = 25
    MLS_KEY_PACKAGE = 26
    MLS_PROPOSALS = 27
    MLS_COMMIT_WELCOME = 28
    MLS_ANNOUNCE_COMMIT = 29
    MLS_WELCOME = 30
    MLS_INVALID_COMMIT_WELCOME = 31


class CloseCode(IntEnum):
    """Why a voice connection is closed."""

    UNKNOWN_OPCODE = 4001
    FAILED_TO_DECODE = 4002
    NOT_AUTHENTICATED = 4003
    AUTHENTICATION_FAILED = 4004
    ALREADY_AUTHENTICATED = 4005
    SESSION_NO_LONGER_VALID = 4006
    SESSION_TIMEOUT = 4009
    UNKNOWN_PROTOCOL = 4012
    DISCONNECTED = 4014
    SERVER_CRASHED = 4015
    UNKNOWN_ENCRYPTION_MODE = 4016
    ENCRYPTION_REQUIRED = 4017
