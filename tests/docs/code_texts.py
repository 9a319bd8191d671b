"""The texts that stand in modules, as patterns that what is said of them has to fit."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.docs.pages import ROOT

_ANYTHING = ".+?"


def sentences_in(*modules: str) -> list[str]:
    """Return the texts of several words in modules, docstrings aside.

    Args:
        modules: Their paths from the root.

    Returns:
        A regular expression of each, in which anything stands for what is put in.
    """
    found = (text for module in modules for text in _texts(ROOT / module))
    return sorted({text for text in found if _is_said(text)})


def _texts(path: Path) -> Iterator[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    passed_over = {id(part) for part in _passed_over(tree)}
    for node in ast.walk(tree):
        if id(node) in passed_over:
            continue
        if isinstance(node, ast.JoinedStr):
            yield "".join(_pattern(part) for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield re.escape(node.value)


def _passed_over(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield docstrings, types that are given as text, and the parts of what is put together."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            yield from (part for part in ast.walk(node) if part is not node)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in {"cast", "re.compile"}:
            yield from ast.walk(node)


def _pattern(part: ast.expr) -> str:
    return re.escape(str(part.value)) if isinstance(part, ast.Constant) else _ANYTHING


def _is_said(pattern: str) -> bool:
    words = pattern.replace(_ANYTHING, "x")
    return r"\ " in words and re.search(r"[a-z]{2}", words) is not None
