"""Names of files, programs and versions, in English words. Pure."""

import re

from voice.spoken_numbers import cardinal, digits
from voice.words import word_set

_SPELLED = re.compile(r"[^aeiou]{1,4}|[a-z]")
_ENDINGS = {
    "txt": "text",
    "yml": "yaml",
    "py": "P Y",
    "ts": "T S",
    "js": "J S",
    "rs": "R S",
    "ini": "ini",
    "cc": "C C",
    "exe": "E X E",
    "ico": "I C O",
    "html": "H T M L",
    "tsx": "T S X",
    "jsx": "J S X",
    "ipynb": "notebook",
    "go": "go",
    "so": "S O",
    "ai": "A I",
    "io": "I O",
}
FILE_ENDINGS = word_set("""
    py pyi ipynb js jsx ts tsx mjs cjs json jsonl json5 toml yaml yml ini cfg conf env md rst txt
    html htm css scss svg png jpg jpeg gif webp ico pdf csv tsv xml sql db sqlite sh bash zsh ps1
    bat exe dll so dylib c h cc cpp hpp rs go java kt swift rb php lua zig log lock zip tar gz tgz
    bz2 xz whl wav mp3 ogg opus mp4 webm mov onnx bin dat diff patch service vue svelte ex exs
    ipynb proto tf dockerfile gitignore docx xlsx pptx
""")
SITE_ENDINGS = word_set("com org net io dev ai app edu gov co uk de fr es jp eu gg")
_PARTS_SAID = 3
"""Of a path with more parts, only the last two are said."""
_WORD_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")


def words_in_name(name: str) -> str:
    """Return the words of a name in code: `spokenText`, `spoken_text` -> `spoken text`."""
    return " ".join(_WORD_PARTS.findall(name))


def ending_words(ending: str) -> str:
    """Return how the ending of a file's name is said: `P Y`, `toml`."""
    known = _ENDINGS.get(ending.lower())
    if known is not None:
        return known
    is_spelled = _SPELLED.fullmatch(ending.lower()) is not None
    return " ".join(ending.upper()) if is_spelled else ending


def file_words(name: str) -> str:
    """Return how the name of a file is said: `main dot P Y`."""
    stem, dot, ending = name.rpartition(".")
    if not dot:
        return words_in_name(name)
    said = words_in_name(stem.replace(".", " "))
    return f"{said} dot {ending_words(ending)}".strip()


def path_words(path: str) -> str:
    """Return how a path is said: `voice slash main dot P Y`, or its end alone if it is long."""
    home = path.startswith("~/")
    parts = [part for part in path.split("/") if part not in {"", ".", "..", "~"}]
    said = [file_words(part) for part in parts]
    if len(said) > _PARTS_SAID:
        return f"{said[-1]} in {said[-2]}"
    if home:
        said.insert(0, "home")
    return " slash ".join(said)


def version_words(version: str) -> str:
    """Return how a version is said: `3.11.2-rc1` -> `three point eleven point two R C one`."""
    core, _, suffix = version.partition("-")
    said = " point ".join(_part_words(part) for part in core.split("."))
    for word, number in re.findall(r"([a-z]+)\.?(\d*)", suffix.lower()):
        spelled = " ".join(word.upper()) if _SPELLED.fullmatch(word) else word
        said = f"{said} {spelled} {cardinal(int(number)) if number else ''}".strip()
    return said


def _part_words(part: str) -> str:
    is_plain = len(part) == 1 or not part.startswith("0")
    return cardinal(int(part)) if is_plain else digits(part).replace("zero", "oh")
