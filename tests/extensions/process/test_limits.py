from extensions.process.limits import ProcessLimits


def test_only_core_dumps_are_limited_unless_told() -> None:
    assert ProcessLimits().by_name() == {"RLIMIT_CORE": 0}


def test_a_limit_has_the_systems_name() -> None:
    limits = ProcessLimits(open_files=1, core_bytes=None, file_bytes=2, data_bytes=3, cpu_seconds=4)

    assert limits.by_name() == {
        "RLIMIT_NOFILE": 1,
        "RLIMIT_FSIZE": 2,
        "RLIMIT_DATA": 3,
        "RLIMIT_CPU": 4,
    }
