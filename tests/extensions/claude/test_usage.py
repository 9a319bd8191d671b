import pytest

from extensions.claude.usage import Usage, read_usage


def test_usages_are_added_one_by_one() -> None:
    first = Usage(input_tokens=1, output_tokens=2, cache_read_tokens=3, cache_write_tokens=4)
    second = Usage(input_tokens=10, output_tokens=20, cache_read_tokens=30, cache_write_tokens=40)

    both = first + second

    assert both == Usage(
        input_tokens=11, output_tokens=22, cache_read_tokens=33, cache_write_tokens=44
    )
    assert both.total_tokens == 110


def test_what_the_api_leaves_out_is_zero() -> None:
    usage = {"output_tokens": 5, "cache_read_input_tokens": None, "service_tier": "standard"}

    assert read_usage(usage) == Usage(output_tokens=5)


@pytest.mark.parametrize("count", ["7", -1, 1.5])
def test_what_is_no_count_is_refused(count: object) -> None:
    with pytest.raises(ValueError, match="not a count"):
        read_usage({"input_tokens": count})
