"""What only one room may say is said there alone; a stray file on a copy of the tree is found."""

from __future__ import annotations

import ast
import functools
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

_INPUT_ROOMS = ("pitwall/broker", "pitwall/desktops", "workshop/benchmarks", "workshop/fixtures")
"""Folders that may touch X input: the broker, the desktops, and the benchmarks that watch them."""
_INPUT_MODULES = ("xcffib.xtest", "xcffib.xinput")


@pytest.fixture
def package(tmp_path: Path, project_root: Path) -> Path:
    """A copy of both packages, pitwall and the workshop."""
    source, copy = project_root / "app", tmp_path / "app"
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


@dataclass(frozen=True)
class _Code:
    """What a file says that the fences ask about."""

    imports: frozenset[str]
    names: frozenset[str]
    calls: frozenset[tuple[str, int]]
    """Names that are called, with their lines."""


_ASKED_ABOUT = re.compile(r"xtest|xinput|\bimp\b|importlib|runpy|pkgutil|__import__|\bexec\b|\beval\b")
"""A file without any of these words says nothing that a fence here forbids: it is not parsed."""


def _code(path: Path) -> _Code:
    text = path.read_text(encoding="utf-8")
    return _read(text if _ASKED_ABOUT.search(text) else "")


@functools.cache
def _read(text: str) -> _Code:
    nodes = list(ast.walk(ast.parse(text)))
    called = [node for node in nodes if isinstance(node, ast.Call)]
    return _Code(
        imports=_imports(nodes),
        names=frozenset(node.id for node in nodes if isinstance(node, ast.Name)),
        calls=frozenset((node.func.id, node.lineno) for node in called if isinstance(node.func, ast.Name)),
    )


def _imports(nodes: list[ast.AST]) -> frozenset[str]:
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.update({node.module, *(f"{node.module}.{alias.name}" for alias in node.names)})
    return frozenset(names)


def _touching_input(package: Path) -> list[str]:
    return [
        str(path.relative_to(package))
        for path in sorted(package.rglob("*.py"))
        if not path.relative_to(package).as_posix().startswith(_INPUT_ROOMS)
        and any(name.startswith(_INPUT_MODULES) for name in _code(path).imports)
    ]


def test_x_input_is_the_brokers_alone(package: Path) -> None:
    assert _touching_input(package) == []
    stray = package / "pitwall" / "engine" / "stray.py"
    stray.write_text("from xcffib import xtest\n", encoding="utf-8")
    try:
        assert _touching_input(package) == ["pitwall/engine/stray.py"]
    finally:
        stray.unlink()


def test_no_code_is_run_from_text(package: Path) -> None:
    calls = [
        f"{path.name}:{line}"
        for path in package.rglob("*.py")
        for name, line in _code(path).calls
        if name in ("exec", "eval")
    ]
    assert calls == []


_LOADER = "pitwall/games/plugin_loader.py"
"""The file that imports a game's own Python, once its folder is trusted."""
_RAIL = "pitwall/core/rail.py"
"""The file that imports what packages beside the core declare."""
_PEER = "workshop/benchmarks/peers/sb3_peer.py"
"""A program of its own, run with the Python of another environment: it loads a bundled twin by its path."""
_DYNAMIC = ("importlib", "runpy", "pkgutil", "imp")
_HARMLESS = ("importlib.metadata", "importlib.resources")


def _importing_by_name(package: Path) -> list[str]:
    result = []
    for path in sorted(package.rglob("*.py")):
        code = _code(path)
        names = {name for name in code.imports if name.split(".")[0] in _DYNAMIC}
        names = {name for name in names if name != "importlib" and not name.startswith(_HARMLESS)}
        if names or "__import__" in code.names:
            result.append(path.relative_to(package).as_posix())
    return result


@pytest.mark.parametrize("line", ["import importlib.util", "from runpy import run_path", "__import__('os')"])
def test_plugins_are_loaded_in_one_place(package: Path, line: str) -> None:
    assert _importing_by_name(package) == [_RAIL, _LOADER, _PEER]
    stray = package / "pitwall" / "games" / "stray.py"
    stray.write_text(f"{line}\n", encoding="utf-8")
    try:
        assert _importing_by_name(package) == [_RAIL, _LOADER, "pitwall/games/stray.py", _PEER]
    finally:
        stray.unlink()
