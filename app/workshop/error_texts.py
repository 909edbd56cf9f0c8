"""Finds the sentences of errors in the sources: the texts with which a class below `PitwallError` is made."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

_ROOT = "PitwallError"
_SENTENCES = ("what", "fix", "problem", "expected")
"""Arguments by name that hold a sentence, or a part of it that reads on its own."""
_CLASS = re.compile(r"^class (\w+)\(([\w.,\s]+)\):", re.MULTILINE)
_LETTER = re.compile(r"[^\W\d_]")
_LEAST_LETTERS = 7
"""A text with fewer letters of its own is a name or a number with a unit."""


def error_texts(files: Iterable[Path]) -> dict[str, list[Path]]:
    """Return the sentences of errors and the files that make them; filled-in parts stand as {}."""
    sources = {file: file.read_text(encoding="utf-8") for file in files}
    errors = _error_classes(sources.values())
    made = re.compile(rf"\b({'|'.join(errors)})\(")
    texts: dict[str, list[Path]] = {}
    for file, source in sources.items():
        if not made.search(source):
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and _name(node.func) in errors:
                named = (keyword.value for keyword in node.keywords if keyword.arg in _SENTENCES)
                for part in (*node.args, *named):
                    for text in filter(_is_sentence, _templates(part)):
                        texts.setdefault(text, []).append(file)
    return texts


def _error_classes(sources: Iterable[str]) -> set[str]:
    """Return the names of all classes below the root of Pitwall's errors."""
    bases = {
        name: set(re.findall(r"\w+", above)) for source in sources for name, above in _CLASS.findall(source)
    }
    errors = {_ROOT}
    while added := {name for name, above in bases.items() if above & errors} - errors:
        errors |= added
    return errors


def _templates(node: ast.expr) -> Iterator[str]:
    """Yield each text that an expression may give."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    elif isinstance(node, ast.IfExp):
        yield from (*_templates(node.body), *_templates(node.orelse))
    elif isinstance(node, ast.BoolOp):
        for value in node.values:
            yield from _templates(value)
    elif isinstance(node, ast.BinOp):
        for left in tuple(_templates(node.left)) or ("{}",):
            yield from (left + right for right in tuple(_templates(node.right)) or ("{}",))


def _is_sentence(text: str) -> bool:
    own = text.replace("{}", "")
    return " " in own.strip() and len(_LETTER.findall(own)) >= _LEAST_LETTERS


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
