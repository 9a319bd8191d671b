"""What a probe in a jail must find, and what it must not. Pure."""

from collections.abc import Mapping
from typing import Any

MUST_WORK = (
    "reach_mcp",
    "reach_api",
    "write_folder",
    "write_home",
    "write_tmp",
    "run_programs",
)
"""The attempts that must succeed, or a job could not work there."""

MUST_FAIL = (
    "reach_other_port",
    "reach_abstract_socket",
    "reach_path_socket",
    "read_secret",
    "read_through_link",
    "read_passwords",
    "write_outside",
    "write_system",
    "write_root",
    "signal_host_process",
    "read_host_environment",
    "make_user_namespace",
    "mount",
)
"""The attempts that must not succeed, or it is no jail."""

_ONLY_WITH_A_FILTER = frozenset({"make_user_namespace"})
_OWN_NAMESPACES = ("ipc", "mnt", "net", "pid", "uts")
_FILTERED = "2"


def weaknesses(
    findings: Mapping[str, Any], *, host_namespaces: Mapping[str, str], is_filtered: bool
) -> list[str]:
    """Return what is wrong with a jail in which `findings` were made, in a few words each."""
    attempts: dict[str, str] = findings["attempts"]
    must_fail = [name for name in MUST_FAIL if is_filtered or name not in _ONLY_WITH_A_FILTER]
    shared = [
        name for name in _OWN_NAMESPACES if findings["namespaces"][name] == host_namespaces[name]
    ]
    wrong = [f"{name} failed ({attempts[name]})" for name in MUST_WORK if attempts[name] != "done"]
    wrong += [f"{name} succeeded" for name in must_fail if attempts[name] == "done"]
    wrong += [f"the {name} namespace is shared" for name in shared]
    if findings["interfaces"] != ["lo"]:
        wrong.append("there is a network")
    if findings["first_environment"]:
        wrong.append("the environment of bubblewrap can be read")
    if int(findings["capabilities"], 16):
        wrong.append("there are capabilities")
    if findings["no_new_privileges"] != "1":
        wrong.append("privileges can be gained")
    if is_filtered and findings["seccomp"] != _FILTERED:
        wrong.append("system calls are not filtered")
    return wrong
