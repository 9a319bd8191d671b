"""Speech to text by Moonshine tiny, whose model is in the wheel of moonshine-voice 0.0.73 (MIT)."""

import base64
from pathlib import Path

from voice.engines.sherpa import Recognizer, SherpaSpeechToText
from voice.engines.wheel_files import file_of_package
from voice.errors import EngineError

MODEL = "moonshine-tiny-en"

_TOKENS_FILE = f"{MODEL}.tokens.txt"
_SPACE = "\N{LOWER ONE EIGHTH BLOCK}".encode()
"""How SentencePiece writes the space before a word."""


def open_moonshine(cache_folder: Path) -> SherpaSpeechToText:
    """Load the model: 40 ms of a core for 2.5 s of speech, 120 MB of memory.

    Args:
        cache_folder: Where a list of its tokens is kept, as sherpa-onnx reads it.

    Raises:
        EngineError: If the model is missing or broken, or the folder cannot be written to.
    """
    tokenizer = file_of_package("moonshine_voice", "assets", "tiny-en", "tokenizer.bin")
    files = {
        "encoder": str(tokenizer.with_name("encoder_model.ort")),
        "decoder": str(tokenizer.with_name("decoder_model_merged.ort")),
        "tokens": str(_written_tokens(tokenizer, cache_folder)),
    }
    return SherpaSpeechToText(
        f"{MODEL} (sherpa-onnx)", "en", Recognizer("from_moonshine_v2", files)
    )


def tokens_in(tokenizer: bytes) -> list[bytes]:
    """Return the tokens in Moonshine's `tokenizer.bin`, each at the place of its number.

    Before each stands its length in one byte, or in two if it is 128 or more: the first then is
    128 more than the remainder of a division by 128, the second the quotient.

    Raises:
        EngineError: If the file is cut off.
    """
    tokens: list[bytes] = []
    at = 0
    while at < len(tokenizer):
        length = tokenizer[at]
        at += 1
        if length >= 128:  # noqa: PLR2004 - the bit that says that a second byte follows
            length += 128 * tokenizer[at] - 128 if at < len(tokenizer) else len(tokenizer)
            at += 1
        tokens.append(tokenizer[at : at + length])
        at += length
    if at != len(tokenizer):
        raise EngineError("the tokenizer of moonshine-voice is cut off; install the package anew")
    return tokens


def _written_tokens(tokenizer: Path, folder: Path) -> Path:
    """Write the tokens as sherpa-onnx reads them, a line for each: in base64, and its number."""
    path = folder / _TOKENS_FILE
    staged = folder / f"{_TOKENS_FILE}.new"
    try:
        tokens = tokens_in(tokenizer.read_bytes())
        text = "".join(f"{_spelled(token)} {number}\n" for number, token in enumerate(tokens))
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        staged.write_text(text, encoding="ascii")
        staged.replace(path)
    except OSError as error:
        raise EngineError(f"{path} cannot be written: {error.strerror or error}") from error
    return path


def _spelled(token: bytes) -> str:
    # One token has no bytes at all, which would make a line that sherpa-onnx cannot read.
    return base64.b64encode(token.replace(_SPACE, b" ") or b"\0").decode("ascii")
