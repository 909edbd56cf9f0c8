"""The house's fences hold, and each one bites: a test breaks every fence on a copy of the tree."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

_INPUT_ROOMS = ("broker", "bench")
"""Rooms that may touch X input: the broker, and the benchmarks that watch it."""
_INPUT_MODULES = ("xcffib.xtest", "xcffib.xinput")


def _lint(tree: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()"]
    arguments = ["--config", str(tree / "pyproject.toml"), "--no-cache"]
    return subprocess.run(
        [*command, *arguments],
        cwd=tree / "app",
        env={"PYTHONPATH": str(tree / "app"), "PATH": ""},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = Path(__file__).resolve().parents[1]
    copy = tmp_path_factory.mktemp("tree")
    shutil.copy(root / "pyproject.toml", copy)
    shutil.copytree(root / "app", copy / "app", ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def test_the_fences_hold(tree: Path) -> None:
    result = _lint(tree)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    ("file", "line", "fence"),
    [
        ("core/errors.py", "import pitwall.link.channel", "Layers, top to bottom"),
        ("games/profile.py", "import pitwall.engine.run", "Layers, top to bottom"),
        ("broker/gate.py", "import pitwall.engine.run", "Layers, top to bottom"),
        ("engine/trigger/trigger.py", "import pitwall.engine.control.router", "five stages"),
        ("engine/capture/windows.py", "import pitwall.engine.run", "Stages do not know the loop"),
        ("console/theme.py", "import pitwall.engine.figures", "The console meets"),
        ("engine/figures.py", "import pitwall.evaluation.truth", "true state"),
        ("engine/figures.py", "import PySide6", "Qt lives"),
        ("engine/figures.py", "import pynput", "Keys and buttons"),
        ("engine/figures.py", "import onnxruntime", "Models are loaded"),
        ("engine/figures.py", "import torch", "torch"),
        ("memory/wording.py", "import pitwall.gsm.contract", "Layers, top to bottom"),
        ("memory/wording.py", "import llama_cpp", "Models are loaded"),
        ("gsm/policy.py", "import onnxruntime", "Models are loaded"),
        ("gsm/policy.py", "import torch", "torch is the trainer's"),
        ("core/actions.py", "import pitwall.core.steps", "No circle"),
    ],
)
def test_each_fence_bites(tree: Path, file: str, line: str, fence: str) -> None:
    path = tree / "app" / "pitwall" / file
    before = path.read_text(encoding="utf-8")
    path.write_text(f"{before}\n{line}\n", encoding="utf-8")
    try:
        result = _lint(tree)
    finally:
        path.write_text(before, encoding="utf-8")
    assert result.returncode != 0
    broken = [text for text in result.stdout.splitlines() if " BROKEN" in text]
    assert any(fence in text for text in broken), result.stdout


def _imports(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.update({node.module, *(f"{node.module}.{alias.name}" for alias in node.names)})
    return names


def _touching_input(package: Path) -> list[str]:
    return [
        str(path.relative_to(package))
        for path in sorted(package.rglob("*.py"))
        if path.relative_to(package).parts[0] not in _INPUT_ROOMS
        and any(name.startswith(_INPUT_MODULES) for name in _imports(path))
    ]


def test_x_input_is_the_brokers_alone(tree: Path) -> None:
    package = tree / "app" / "pitwall"
    assert _touching_input(package) == []
    stray = package / "engine" / "stray.py"
    stray.write_text("from xcffib import xtest\n", encoding="utf-8")
    try:
        assert _touching_input(package) == ["engine/stray.py"]
    finally:
        stray.unlink()


def test_no_code_is_run_from_text(tree: Path) -> None:
    calls = [
        f"{path.name}:{node.lineno}"
        for path in (tree / "app").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("exec", "eval")
    ]
    assert calls == []


_LOADER = "games/plugin_code.py"
"""The one file that may import by a name that is not written in the source."""
_PEER = "bench/sb3_peer.py"
"""A program of its own, run with the Python of another environment: it loads a bundled twin by its path."""
_DYNAMIC = ("importlib", "runpy", "pkgutil", "imp")
_HARMLESS = ("importlib.metadata", "importlib.resources")


def _importing_by_name(package: Path) -> list[str]:
    found = []
    for path in sorted(package.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {name for name in _imports(path) if name.split(".")[0] in _DYNAMIC}
        names = {name for name in names if name != "importlib" and not name.startswith(_HARMLESS)}
        called = any(isinstance(node, ast.Name) and node.id == "__import__" for node in ast.walk(tree))
        if names or called:
            found.append(path.relative_to(package).as_posix())
    return found


@pytest.mark.parametrize("line", ["import importlib.util", "from runpy import run_path", "__import__('os')"])
def test_plugins_are_loaded_in_one_place(tree: Path, line: str) -> None:
    package = tree / "app" / "pitwall"
    assert _importing_by_name(package) == [_PEER, _LOADER]
    stray = package / "games" / "stray.py"
    stray.write_text(f"{line}\n", encoding="utf-8")
    try:
        assert _importing_by_name(package) == [_PEER, _LOADER, "games/stray.py"]
    finally:
        stray.unlink()
