"""The filter of system calls for a jail: what nothing inside needs and an escape would. Pure.

It is a classic BPF program over `struct seccomp_data {int nr; u32 arch; u64 ip; u64 args[6];}`,
as bubblewrap's `--seccomp` takes it.
"""

import struct
from dataclasses import dataclass

_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL_PROCESS, _FAIL_WITH = 0x7FFF0000, 0x80000000, 0x00050000
_EPERM, _ENOSYS = 1, 38
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT, _SECOND_ARGUMENT = 0, 4, 16, 24
_CLONE_NEWUSER = 0x10000000
_TERMINAL_INJECTION = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX: they type into the terminal that they are asked of."""

_SAME_EVERYWHERE = {
    "io_uring_setup": 425,
    "io_uring_enter": 426,
    "io_uring_register": 427,
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "fsconfig": 431,
    "fsmount": 432,
    "fspick": 433,
    "pidfd_getfd": 438,
    "mount_setattr": 442,
}
_CLONE3 = 435


@dataclass(frozen=True, slots=True, kw_only=True)
class _Machine:
    architecture: int
    clone: int
    ioctl: int
    has_second_table: bool
    """Whether numbers from 0x40000000 on reach the same calls again, as x32's do."""
    refused: dict[str, int]


_MACHINES = {
    "x86_64": _Machine(
        architecture=0xC000003E,
        clone=56,
        ioctl=16,
        has_second_table=True,
        refused=_SAME_EVERYWHERE
        | {
            "ptrace": 101,
            "pivot_root": 155,
            "chroot": 161,
            "mount": 165,
            "umount2": 166,
            "swapon": 167,
            "reboot": 169,
            "init_module": 175,
            "delete_module": 176,
            "kexec_load": 246,
            "add_key": 248,
            "request_key": 249,
            "keyctl": 250,
            "unshare": 272,
            "perf_event_open": 298,
            "name_to_handle_at": 303,
            "open_by_handle_at": 304,
            "setns": 308,
            "process_vm_readv": 310,
            "process_vm_writev": 311,
            "kcmp": 312,
            "finit_module": 313,
            "kexec_file_load": 320,
            "bpf": 321,
            "userfaultfd": 323,
        },
    ),
    "aarch64": _Machine(
        architecture=0xC00000B7,
        clone=220,
        ioctl=29,
        has_second_table=False,
        refused=_SAME_EVERYWHERE
        | {
            "umount2": 39,
            "mount": 40,
            "pivot_root": 41,
            "chroot": 51,
            "unshare": 97,
            "kexec_load": 104,
            "init_module": 105,
            "delete_module": 106,
            "ptrace": 117,
            "reboot": 142,
            "add_key": 217,
            "request_key": 218,
            "keyctl": 219,
            "swapon": 224,
            "perf_event_open": 241,
            "name_to_handle_at": 264,
            "open_by_handle_at": 265,
            "setns": 268,
            "process_vm_readv": 270,
            "process_vm_writev": 271,
            "kcmp": 272,
            "finit_module": 273,
            "bpf": 280,
            "userfaultfd": 282,
            "kexec_file_load": 294,
        },
    ),
}


def seccomp_filter(machine: str) -> bytes | None:
    """Return the filter for `machine`, as `platform.machine()` names it; `None` if none is known.

    What it refuses fails with EPERM, except `clone3`, whose arguments no filter can see: it fails
    with ENOSYS, upon which the C library uses `clone`.
    """
    known = _MACHINES.get(machine)
    return None if known is None else _assemble(known)


def _assemble(machine: _Machine) -> bytes:
    refuse = _operation(_RETURN, _FAIL_WITH | _EPERM)
    program = [
        _operation(_LOAD, _ARCHITECTURE),
        _operation(_JUMP_EQUAL, machine.architecture, if_true=1),
        _operation(_RETURN, _KILL_PROCESS),
        _operation(_LOAD, _NUMBER),
    ]
    if machine.has_second_table:
        program += [_operation(_JUMP_AT_LEAST, 0x40000000, if_false=1), refuse]
    for number in sorted(machine.refused.values()):
        program += [_operation(_JUMP_EQUAL, number, if_false=1), refuse]
    program += [
        _operation(_JUMP_EQUAL, _CLONE3, if_false=1),
        _operation(_RETURN, _FAIL_WITH | _ENOSYS),
        _operation(_JUMP_EQUAL, machine.clone, if_false=3),
        _operation(_LOAD, _FIRST_ARGUMENT),
        _operation(_JUMP_ANY_BIT, _CLONE_NEWUSER, if_false=1),
        refuse,
        _operation(_LOAD, _NUMBER),
        _operation(_JUMP_EQUAL, machine.ioctl, if_false=1 + 2 * len(_TERMINAL_INJECTION)),
        _operation(_LOAD, _SECOND_ARGUMENT),
    ]
    for request in _TERMINAL_INJECTION:
        program += [_operation(_JUMP_EQUAL, request, if_false=1), refuse]
    return b"".join([*program, _operation(_RETURN, _ALLOW)])


def _operation(code: int, value: int, *, if_true: int = 0, if_false: int = 0) -> bytes:
    """Return one instruction; a jump skips that many instructions."""
    return struct.pack("<HBBI", code, if_true, if_false, value)
