"""A real model of sherpa-onnx that is tiny: whatever it hears, it writes down the same word.

It is a NeMo CTC model, written as ONNX by hand: https://onnx.ai/onnx/intro/concepts.html names the
messages, `onnx.proto` their fields.
"""

from pathlib import Path

NAME = "nemo-ctc-hello"
TEXT = "hello"

_BANDS = 80
_TOKENS = f"\N{LOWER ONE EIGHTH BLOCK}{TEXT} 0\n<blk> 1\n"
_WORDS = 2
_METADATA = {"vocab_size": "2", "subsampling_factor": "8", "normalize_type": ""}
_FLOAT, _INT64 = 1, 7
_INTS_ATTRIBUTE = 7


def a_model(folder: Path) -> Path:
    """Make `folder`, with the model in it."""
    folder.mkdir(parents=True)
    for name, content in model_files().items():
        (folder / name).write_bytes(content)
    return folder


def model_files() -> dict[str, bytes]:
    """Return the files of the model, by their names."""
    return {"model.onnx": _model(), "tokens.txt": _TOKENS.encode()}


def _model() -> bytes:
    graph = (
        _node("Transpose", ("audio_signal",), "turned", _ints("perm", (0, 2, 1)))
        + _node("MatMul", ("turned", "weights"), "logprobs")
        + _text(2, "hello")
        + _message(5, _weights())
        + _message(11, _tensor_info("audio_signal", _FLOAT, ("N", _BANDS, "T")))
        + _message(11, _tensor_info("length", _INT64, ("N",)))
        + _message(12, _tensor_info("logprobs", _FLOAT, ("N", "T", _WORDS)))
    )
    metadata = b"".join(
        _message(14, _text(1, key) + _text(2, value)) for key, value in _METADATA.items()
    )
    return _number(1, 8) + _message(8, _number(2, 13)) + _message(7, graph) + metadata


def _node(kind: str, inputs: tuple[str, ...], output: str, attributes: bytes = b"") -> bytes:
    named = b"".join(_text(1, name) for name in inputs)
    return _message(1, named + _text(2, output) + _text(4, kind) + attributes)


def _ints(name: str, values: tuple[int, ...]) -> bytes:
    numbers = b"".join(_number(8, value) for value in values)
    return _message(5, _text(1, name) + numbers + _number(20, _INTS_ATTRIBUTE))


def _weights() -> bytes:
    shape = _number(1, _BANDS) + _number(1, _WORDS)
    return (
        shape + _number(2, _FLOAT) + _text(8, "weights") + _message(9, bytes(4 * _BANDS * _WORDS))
    )


def _tensor_info(name: str, kind: int, shape: tuple[str | int, ...]) -> bytes:
    sizes = b"".join(
        _message(1, _number(1, size) if isinstance(size, int) else _text(2, size)) for size in shape
    )
    tensor = _number(1, kind) + _message(2, sizes)
    return _text(1, name) + _message(2, _message(1, tensor))


def _text(field: int, text: str) -> bytes:
    return _message(field, text.encode())


def _message(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _varint(value: int) -> bytes:
    low, rest = value & 0x7F, value >> 7
    return bytes([low | 0x80]) + _varint(rest) if rest else bytes([low])
