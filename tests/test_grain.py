"""Files, functions and folders of the code keep the sizes of CONTRIBUTING."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

_FILE_LINES, _FUNCTION_LINES, _FOLDER_FILES = 400, 60, 30


def _modules(root: Path) -> Iterator[tuple[Path, str]]:
    for path in sorted((root / "app").rglob("*.py")):
        yield path.relative_to(root), path.read_text(encoding="utf-8")


def test_no_file_is_longer_than_400_lines(project_root: Path) -> None:
    sizes = {str(path): len(text.splitlines()) for path, text in _modules(project_root)}
    assert {file: lines for file, lines in sizes.items() if lines > _FILE_LINES} == {}


def test_no_function_is_longer_than_60_lines(project_root: Path) -> None:
    long = [
        f"{path}:{node.lineno} {node.name}"
        for path, text in _modules(project_root)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or node.lineno) - node.lineno >= _FUNCTION_LINES
    ]
    assert long == []


def test_no_folder_holds_more_than_30_files(project_root: Path) -> None:
    folders = {path.parent for path, _ in _modules(project_root)}
    counts = {str(folder): len(list((project_root / folder).glob("*.py"))) for folder in folders}
    assert {folder: count for folder, count in counts.items() if count > _FOLDER_FILES} == {}
