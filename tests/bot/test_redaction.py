import base64
import json
from urllib.parse import quote, quote_plus

from hypothesis import given
from hypothesis import strategies as st

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
