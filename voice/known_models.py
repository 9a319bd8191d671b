"""The speech-to-text models that Papercup knows by name. Pure."""

from dataclasses import dataclass
from typing import Literal

Engine = Literal["sherpa-onnx", "faster-whisper"]

ANY_LANGUAGE = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownModel:
    """A model of sherpa-onnx that can be had."""

    name: str
    """As `hearing.model` names it."""
    languages: tuple[str, ...]
    """The codes of the languages that it understands; `*` for nearly any."""
    is_told_language: bool = False
    """Whether it is told which of them is spoken, or else finds out by itself."""
    note: str
    """What it is good for, in a few words."""
    licence: str
    path: str | None = None
    """From where its archive is downloaded, below `endpoints.models`; unset if it is there with
    the packages of Papercup."""
    archive_bytes: int = 0
    sha256: str = ""
    """Of the archive."""


_RELEASE = "/k2-fsa/sherpa-onnx/releases/download/asr-models/sherpa-onnx-"
# fmt: off
_EUROPEAN = (
    "bg", "cs", "da", "de", "el", "en", "es", "et", "fi", "fr", "hr", "hu", "it",
    "lt", "lv", "mt", "nl", "pl", "pt", "ro", "ru", "sk", "sl", "sv", "uk",
)
# fmt: on

DEFAULT_MODEL = "moonshine-tiny-en"

KNOWN_MODELS: tuple[KnownModel, ...] = (
    KnownModel(
        name=DEFAULT_MODEL,
        languages=("en",),
        note="the fastest; comes with Papercup",
        licence="MIT",
    ),
    KnownModel(
        name="parakeet-tdt-0.6b-v3",
        languages=_EUROPEAN,
        note="the most exact; large",
        licence="CC-BY-4.0",
        path=f"{_RELEASE}nemo-parakeet-tdt-0.6b-v3-int8.tar.bz2",
        archive_bytes=487_170_055,
        sha256="5793d0fd397c5778d2cf2126994d58e9d56b1be7c04d13c7a15bb1b4eafb16bf",
    ),
    KnownModel(
        name="sense-voice",
        languages=("en", "ja", "ko", "yue", "zh"),
        is_told_language=True,
        note="for East Asia",
        licence="FunASR Model License 1.1",
        path=f"{_RELEASE}sense-voice-zh-en-ja-ko-yue-int8-2024-07-17.tar.bz2",
        archive_bytes=163_002_883,
        sha256="7d1efa2138a65b0b488df37f8b89e3d91a60676e416f515b952358d83dfd347e",
    ),
    KnownModel(
        name="whisper-tiny",
        languages=(ANY_LANGUAGE,),
        is_told_language=True,
        note="small, and often wrong",
        licence="MIT",
        path=f"{_RELEASE}whisper-tiny.tar.bz2",
        archive_bytes=116_204_861,
        sha256="c46116994e539aa165266d96b325252728429c12535eb9d8b6a2b10f129e66b1",
    ),
    KnownModel(
        name="whisper-base",
        languages=(ANY_LANGUAGE,),
        is_told_language=True,
        note="a second for each utterance",
        licence="MIT",
        path=f"{_RELEASE}whisper-base.tar.bz2",
        archive_bytes=207_557_382,
        sha256="911b2083efd7c0dca2ac3b358b75222660dc09fb716d64fbfc417ba6c99ff3de",
    ),
    KnownModel(
        name="whisper-small",
        languages=(ANY_LANGUAGE,),
        is_told_language=True,
        note="better, and slower",
        licence="MIT",
        path=f"{_RELEASE}whisper-small.tar.bz2",
        archive_bytes=639_387_718,
        sha256="486a46afbb7ba798507190ffe02fea2dd726049af212e774537efac6afb210a6",
    ),
)


def known_model(name: str) -> KnownModel | None:
    """Return the model of that name."""
    return next((model for model in KNOWN_MODELS if model.name == name), None)


def understands(model: KnownModel, language: str) -> bool:
    """Say whether a model understands a language; `auto` stands for whichever it is."""
    return language == "auto" or ANY_LANGUAGE in model.languages or language in model.languages
