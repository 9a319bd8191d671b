from papercup_plugin import ExecResult
from papercup_plugin.testing.services import HostServices


def test_a_program_may_be_run_without_arguments() -> None:
    services = HostServices(
        ui=(),
        kv={},
        runs=lambda argv: ExecResult(" ".join(argv), "", 0),
        session_state={},
        refused=frozenset(),
    )
    context = {"token": "1", "tier": "command"}
    answer = services.served("exec/run", {"command": "date", "context": context})
    assert answer == {"stdout": "date", "stderr": "", "exit_code": 0}
    assert services.exec_calls == [["date"]]
