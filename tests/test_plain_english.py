"""The code speaks plain English: no riddle words as names, and docstrings that begin with a verb."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest

RIDDLES = frozenset({"one", "found", "told", "said", "what_is", "whose"})
"""Words that stand in place of a noun; a name says which thing it holds: entry, matches, message."""
_KEYS = {"app/pitwall/core/observations.py": {"found"}, "app/pitwall/gsm/cloned_space.py": {"told"}}
"""Fields whose name is a key of a file or of JSON: such a name is kept."""
_VERBS = Path(__file__).with_name("verbs.txt")


def _files(root: Path, *folders: str) -> Iterator[Path]:
    for folder in folders:
        yield from (path for path in sorted((root / folder).rglob("*.py")) if "__pycache__" not in path.parts)


def riddle_names(source: str, allowed: Collection[str] = ()) -> list[str]:
    """List the places that bind a name of `RIDDLES`, as `line: name`."""
    places = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name) | ast.alias(asname=str(name)):
                pass
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                pass
            case (
                ast.ExceptHandler(name=str(name))
                | ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
            ):
                pass
            case ast.Attribute(attr=name, ctx=ast.Store()):
                pass
            case _:
                continue
        if name.strip("_") in RIDDLES and name not in allowed:
            places.append(f"{getattr(node, 'lineno', 0)}: {name}")
    return places


def public_functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield the functions and methods without a leading underscore, but no properties."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
            yield node


def without_verb(source: str, verbs: frozenset[str]) -> list[str]:
    """List the public functions whose docstring begins with no verb, as `line: first words`."""
    places = []
    for function in public_functions(ast.parse(source)):
        text = ast.get_docstring(function) or ""
        words = re.findall(r"[\w'-]+", text.split("\n")[0])
        if words and words[0].lower() not in verbs:
            places.append(f"{function.lineno}: {' '.join(words[:6])}")
    return places


@pytest.fixture(scope="module")
def verbs() -> frozenset[str]:
    return frozenset(_VERBS.read_text(encoding="utf-8").split())


def test_names_are_nouns_of_their_thing(project_root: Path) -> None:
    riddles = []
    for path in _files(project_root, "app", "plugins", "installer"):
        file = path.relative_to(project_root).as_posix()
        places = riddle_names(path.read_text(encoding="utf-8"), _KEYS.get(file, ()))
        riddles += [f"{file}:{place}" for place in places]
    assert riddles == []


def test_loops_name_their_element(project_root: Path) -> None:
    loop = re.compile(r"\bfor (one|found|told|said|what) in\b")
    riddles = [
        f"{path.relative_to(project_root)}: {match[0]}"
        for path in _files(project_root, "app", "plugins", "installer", "tests")
        if path.name != Path(__file__).name
        for match in loop.finditer(path.read_text(encoding="utf-8"))
    ]
    assert riddles == []


def test_docstrings_of_public_functions_begin_with_a_verb(project_root: Path, verbs: frozenset[str]) -> None:
    wordy = [
        f"{path.relative_to(project_root)}:{place}"
        for path in _files(project_root, "app", "installer")
        for place in without_verb(path.read_text(encoding="utf-8"), verbs)
    ]
    assert wordy == []


def test_the_check_sees_what_it_is_for(verbs: frozenset[str]) -> None:
    source = """
def shown(one):
    '''The rows that were told.'''
    for found in one:
        self.said = found
"""
    assert riddle_names(source) == ["2: one", "4: found", "5: said"]
    assert without_verb(source, verbs) == ["2: The rows that were told"]
    plain = """
def shown(rows):
    '''Return the rows in view.'''
    for row in rows:
        self.message = row
"""
    assert riddle_names(plain) == []
    assert without_verb(plain, verbs) == []
