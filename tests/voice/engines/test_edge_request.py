import aiohttp
import pytest

from voice.engines.edge_request import reason_of


async def test_a_service_that_cannot_be_reached_is_told_in_words() -> None:
    async with aiohttp.ClientSession() as session:
        with pytest.raises(aiohttp.ClientConnectorError) as caught:
            # Nothing listens on port 1.
            await session.get("http://127.0.0.1:1/")
    assert reason_of(caught.value).startswith("127.0.0.1 cannot be reached (")
    assert "object" not in reason_of(caught.value)


def test_any_other_failure_is_told_as_it_is() -> None:
    assert reason_of(ValueError("no such voice")) == "no such voice"
    assert reason_of(KeyError()) == "KeyError"
