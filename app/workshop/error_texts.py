"""Finds the sentences of errors in the sources: the texts with which a class below `PitwallError` is made."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

_ROOT = "PitwallError"
_SENTENCES = ("what", "fix", "problem", "expected")
"""Arguments by name that hold a sentence, or a part of it that reads on its own."""
_LETTER = re.compile(r"[^\W\d_]")
_LEAST_LETTERS = 7
"""A text with fewer letters of its own is a name or a number with a unit."""


def error_texts(files: Iterable[Path]) -> tuple[str, ...]:
    """Return the sentences of errors that these files raise or make; filled-in parts stand as {}."""
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in files]
    errors = _error_classes(trees)
    texts: dict[str, None] = {}
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and _name(node.func) in errors:
                named = (keyword.value for keyword in node.keywords if keyword.arg in _SENTENCES)
                for part in (*node.args, *named):
                    texts.update(dict.fromkeys(filter(_is_sentence, _templates(part))))
    return tuple(texts)


def _error_classes(trees: Iterable[ast.Module]) -> set[str]:
    """Return the names of all classes below the root of Pitwall's errors."""
    bases = {
        node.name: {_name(base) for base in node.bases}
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
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
