import struct

import pytest

from extensions.process.jail.seccomp import seccomp_filter

ALLOWED, KILLED, EPERM, ENOSYS = 0x7FFF0000, 0x80000000, 0x00050001, 0x00050026
X86_64, AARCH64 = 0xC000003E, 0xC00000B7
CLONE_NEWUSER, CLONE_NEWPID = 0x10000000, 0x20000000


def verdict(program: bytes, architecture: int, number: int, *arguments: int) -> int:
    """Run a filter as the kernel does, and return what it answers."""
    data = struct.pack("<IIQ6Q", number, architecture, 0, *arguments, *[0] * (6 - len(arguments)))
    instructions = list(struct.iter_unpack("<HBBI", program))
    accumulator = position = 0
    while True:
        code, if_true, if_false, value = instructions[position]
        position += 1
        match code:
            case 0x20:
                (accumulator,) = struct.unpack_from("<I", data, value)
            case 0x15:
                position += if_true if accumulator == value else if_false
            case 0x35:
                position += if_true if accumulator >= value else if_false
            case 0x45:
                position += if_true if accumulator & value else if_false
            case _:
                assert code == 0x06
                return int(value)


@pytest.fixture(params=["x86_64", "aarch64"])
def machine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def asked(machine: str, number: int, *arguments: int) -> int:
    program = seccomp_filter(machine)
    assert program is not None
    architecture = {"x86_64": X86_64, "aarch64": AARCH64}[machine]
    return verdict(program, architecture, number, *arguments)


def test_ordinary_calls_pass(machine: str) -> None:
    read, execve = {"x86_64": (0, 59), "aarch64": (63, 221)}[machine]

    assert [asked(machine, number) for number in (read, execve)] == [ALLOWED, ALLOWED]


def test_what_an_escape_needs_is_refused(machine: str) -> None:
    unshare, mount, ptrace, setns, bpf = {
        "x86_64": (272, 165, 101, 308, 321),
        "aarch64": (97, 40, 117, 268, 280),
    }[machine]

    assert [asked(machine, number) for number in (unshare, mount, ptrace, setns, bpf)] == [
        EPERM
    ] * 5


def test_a_process_may_be_cloned_but_not_into_a_user_namespace(machine: str) -> None:
    clone = {"x86_64": 56, "aarch64": 220}[machine]

    assert asked(machine, clone, 17) == ALLOWED
    assert asked(machine, clone, CLONE_NEWPID | 17) == ALLOWED
    assert asked(machine, clone, CLONE_NEWUSER | 17) == EPERM
    assert asked(machine, 435) == ENOSYS


def test_nothing_is_typed_into_a_terminal(machine: str) -> None:
    ioctl = {"x86_64": 16, "aarch64": 29}[machine]

    assert asked(machine, ioctl, 0, 0x5401) == ALLOWED
    assert asked(machine, ioctl, 0, 0x5412) == EPERM
    assert asked(machine, ioctl, 0, 0x541C) == EPERM


def test_the_calls_of_another_architecture_end_the_process(machine: str) -> None:
    program = seccomp_filter(machine)
    assert program is not None

    assert verdict(program, 0x40000003, 0) == KILLED


def test_the_second_table_of_x86_is_refused() -> None:
    assert asked("x86_64", 0x40000000 + 101) == EPERM


def test_there_is_no_filter_for_a_machine_that_is_not_known() -> None:
    assert seccomp_filter("riscv64") is None
