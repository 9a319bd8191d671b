import asyncio
import base64
import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.discord_io.outgoing import outgoing_with_files
from bot.messenger import File, MessageContent
from bot.redaction import REDACTED, Redactor

SECRETS = st.text(min_size=8, max_size=100)
KEY = "sk-ant-api03-A+b/c=d e%f"


def test_a_secret_is_taken_out_wherever_it_stands() -> None:
    redactor = Redactor(["token-one", "token-two"])
    text = "token-one, (token-two) and xtoken-onex"
    assert redactor.redact(text) == "[redacted], ([redacted]) and x[redacted]x"


def test_a_secret_that_begins_with_another_one_goes_whole() -> None:
    assert Redactor(["token-", "token-and-more"]).redact("token-and-more") == REDACTED


def test_without_secrets_nothing_is_changed() -> None:
    assert Redactor().redact("text") == "text"
    assert Redactor(["", "t"]).redact("text") == "text"


def test_other_text_is_left_as_it_is() -> None:
    text = "the tokens of one answer: 512"
    assert Redactor([KEY]).redact(text) == text


@given(secret=SECRETS, before=st.text(max_size=5), after=st.text(max_size=5))
def test_no_url_encoded_form_is_left(secret: str, before: str, after: str) -> None:
    redactor = Redactor([secret])
    for quoted in (quote(secret, safe=""), quote(secret), quote_plus(secret)):
        redacted = redactor.redact(f"{before}?key={quoted}&{after}")
        assert REDACTED in redacted
        assert quoted not in redacted.replace(REDACTED, "") or len(quoted) < 8


@given(secret=st.binary(min_size=12, max_size=60), before=st.binary(max_size=5), after=st.binary())
def test_no_base64_of_it_is_left_wherever_it_is_cut(
    secret: bytes, before: bytes, after: bytes
) -> None:
    text = secret.hex()
    whole = before + text.encode() + after
    redactor = Redactor([text])
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        redacted = redactor.redact(encode(whole).decode())
        assert REDACTED in redacted
        # Whatever is left of it at both ends is less than three bytes.
        left = len(redacted.replace(REDACTED, ""))
        assert left <= len(encode(before + after)) + 8


def test_basic_authorisation_with_it_is_taken_out() -> None:
    header = base64.b64encode(f"bot:{KEY}".encode()).decode()
    redacted = Redactor([KEY]).redact(f"Basic {header}")
    assert redacted.startswith("Basic Ym90")
    assert len(redacted) < len("Basic ") + 8 + len(REDACTED) + 4


def test_its_json_form_is_taken_out() -> None:
    secret = 'quo"te\\and\n line'
    assert Redactor([secret]).redact(json.dumps({"key": secret})) == '{"key": "[redacted]"}'


BODY = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"
PEM = f"-----BEGIN RSA PRIVATE KEY-----\n{BODY}\n{BODY}\nAb+/9Q==\n-----END RSA PRIVATE KEY-----"
ENCRYPTED = f"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES,0F\n\n{BODY}"


@pytest.mark.parametrize(
    "secret",
    [
        "sk-ant-api03-" + "a1B_-" * 18,
        "sk-proj-" + "a1B2" * 10,
        "sk-" + "a1B2" * 12,
        "MTIzNDU2Nzg5MDEyMzQ1Njc4.GaBcDe." + "a1B2_-x" * 5,
        "AKIA" + "ABCD1234" * 2,
        "ghp_" + "a1B2" * 9,
        "github_pat_" + "a1B2_" * 10,
        "xoxb-" + "1234-abcd" * 4,
        "AIza" + "a1B2_" * 7,
        PEM,
        PEM.replace("RSA ", ""),
        PEM.replace("\n", "\\n"),
        PEM.replace("\n", "\n> "),
        PEM.partition("Ab+")[0].rstrip(),
        ENCRYPTED,
    ],
)
def test_what_looks_like_a_secret_is_taken_out_though_nobody_knows_it(secret: str) -> None:
    assert Redactor().redact(f"It is {secret}. Done.") == f"It is {REDACTED}. Done."


def test_what_opens_an_interaction_is_taken_out_of_an_address() -> None:
    address = f"https://discord.com/api/v10/webhooks/123456789012345678/{'aW50' * 20}/messages"
    redacted = "https://discord.com/api/v10/webhooks/[redacted]/messages"
    assert Redactor().redact(address) == redacted


def test_a_secret_key_of_aws_goes_with_its_name_before_it() -> None:
    text = f'{{"SecretAccessKey": "{"aB3/" * 10}"}} AWS_SECRET_ACCESS_KEY={"aB3/" * 10}\n'
    redacted = Redactor().redact(text)
    assert redacted.count(REDACTED) == 2
    assert "aB3" not in redacted


@pytest.mark.parametrize(
    "text",
    [
        "task-force-of-many-people sk-learn sk-ant- ghp_ AKIA MTIz.abc.def",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "commit 5e0c6f5b1c0e4b9a8d7f6e5d4c3b2a1908f7e6d5",
        "https://discord.com/channels/123456789012345678/123456789012345678/123456789012345678",
    ],
)
def test_what_only_resembles_one_is_left(text: str) -> None:
    assert Redactor().redact(text) == text


def test_a_long_text_after_the_head_of_a_key_takes_no_time() -> None:
    text = "-----BEGIN PRIVATE KEY-----" + "a" * 200_000 + "!" + "\\n, " * 50_000
    assert len(Redactor().redact(text)) < 210_000


@given(before=st.binary(max_size=20), after=st.binary(max_size=20))
def test_a_secret_is_taken_out_of_any_file(before: bytes, after: bytes) -> None:
    redactor = Redactor([KEY])
    assert redactor.redact_bytes(before + KEY.encode() + after) == (
        redactor.redact_bytes(before) + REDACTED.encode() + redactor.redact_bytes(after)
    )
    assert redactor.redact_bytes(before) == before


PIECE = 32_768
"""How much of a file is looked through at once."""
TOKEN = f"ghp_{'a1B2' * 9}"
PRIVATE_KEY = (
    f"-----BEGIN RSA PRIVATE KEY-----\n{'MIIEpAIBAAKCAQEA' * 3000}\n-----END RSA PRIVATE KEY-----"
)


@pytest.mark.parametrize("secret", [KEY, TOKEN, PRIVATE_KEY], ids=["known", "token", "private key"])
def test_a_large_file_is_redacted_like_a_text_wherever_a_secret_stands(secret: str) -> None:
    redactor = Redactor([KEY])
    for before in [0, 1, *range(PIECE - 60, PIECE + 3, 9), PIECE + 8190]:
        text = ("word " * PIECE)[:before] + f" {secret} " + "more " * 4000
        assert redactor.redact_bytes(text.encode()) == redactor.redact(text).encode()


@pytest.mark.parametrize("before", range(PIECE + 8192 - 24, PIECE + 8192 + 3))
def test_what_only_begins_like_a_secret_is_left_in_a_large_file(before: int) -> None:
    text = "." * before + "AKIAABCDEFGHIJKLMNOPQ and AKIAABCDEFGHIJKLMNOP" + "." * 9000

    redacted = Redactor([KEY]).redact_bytes(text.encode()).decode()

    assert redacted == text.replace("AKIAABCDEFGHIJKLMNOP.", f"{REDACTED}.")


async def test_others_go_on_while_a_large_file_is_looked_through() -> None:
    content = MessageContent(text="Here.", files=(File(name="a.txt", content=b"M" * 2_000_000),))
    looking = asyncio.get_running_loop().create_task(outgoing_with_files(content, Redactor([KEY])))
    turns = 0
    while not looking.done():
        await asyncio.sleep(0)
        turns += 1

    assert await looking == content
    assert turns > 20
