"""What a job is called. Pure."""

import re
import unicodedata
from collections.abc import Container

NAME_LENGTH_LIMIT = 60
"""How many characters a name may have."""

_NOT_IN_A_NAME = re.compile(r"[^a-z0-9]+")


def base_name(job_id: str, task: str, wanted: str | None) -> str:
    """Return the name that a job should have, if nothing else has it.

    That is the wanted name, else a slug of the task, each as far as letters and digits allow;
    `job-<id>` where they allow nothing.
    """
    return _slug(wanted or "") or _slug(task) or f"job-{job_id}"


def unclashed(base: str, taken: Container[str]) -> str:
    """Return `base`, or if that is taken, the first free one of `base-2`, `base-3` and so on."""
    name = base
    number = 1
    while name in taken:
        number += 1
        suffix = f"-{number}"
        name = base[: NAME_LENGTH_LIMIT - len(suffix)].rstrip("-") + suffix
    return name


def _slug(text: str) -> str:
    # Only the first characters can matter; normalising a long text would take long.
    start = unicodedata.normalize("NFKD", text.strip()[: 10 * NAME_LENGTH_LIMIT])
    plain = start.encode("ascii", "ignore").decode()
    words = _NOT_IN_A_NAME.sub("-", plain.lower()).strip("-")
    if len(words) <= NAME_LENGTH_LIMIT:
        return words
    cut = words[: NAME_LENGTH_LIMIT + 1]
    # At the end of a word, unless that would throw away most of it.
    whole, dash, _ = cut.rpartition("-")
    return (whole if dash and len(whole) > NAME_LENGTH_LIMIT // 2 else cut[:-1]).rstrip("-")
