"""What is not documented fails the build: commands, rooms, benchmarks; and no page names what is gone."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from pitwall.cli.main import command_names, program
from workshop.benchmarks.catalogue import BENCHMARKS


def _command_page(root: Path) -> str:
    return (root / "resources" / "manual" / "command-line.md").read_text(encoding="utf-8")


def test_every_command_stands_in_the_manual(project_root: Path) -> None:
    rows = re.findall(r"^\| `pitwall (\w+)", _command_page(project_root), re.MULTILINE)
    assert set(rows) == set(command_names())
    assert len(rows) == len(command_names())


def test_no_document_names_a_command_that_is_gone(project_root: Path) -> None:
    folders = (project_root, project_root / "app" / "docs", project_root / "resources" / "manual")
    for file in (file for folder in folders for file in folder.glob("*.md")):
        text = file.read_text(encoding="utf-8")
        named = set(re.findall(r"(?:`|^)pitwall ([a-z][a-z-]*)", text, re.MULTILINE))
        assert named <= {*command_names(), "browser-game"}, file


def test_every_command_says_what_it_does_and_answers_in_json() -> None:
    for command in program(*command_names()).registered_commands:
        assert command.callback is not None
        assert command.callback.__doc__, command.name
        assert "json" in inspect.signature(command.callback).parameters, command.name


def test_every_benchmark_stands_in_the_manual(project_root: Path) -> None:
    page = _command_page(project_root)
    line = next(text for text in page.splitlines() if "`pitwall bench NAME`" in text)
    assert all(name in line for name in BENCHMARKS)


def test_every_room_stands_in_the_architecture(project_root: Path) -> None:
    page = (project_root / "app" / "ARCHITECTURE.md").read_text(encoding="utf-8")
    app = project_root / "app"
    packages = {path.name for path in app.iterdir() if (path / "__init__.py").is_file()}
    rooms = {path.name for path in (app / "pitwall").iterdir() if path.is_dir() and any(path.glob("*.py"))}
    assert {package for package in packages if f"`{package}/`" not in page} <= {"pitwall"}
    assert {room for room in rooms if f"`{room}/`" not in page} == set()
    rows = re.findall(r"^\| `(\w+)/` \|", page, re.MULTILINE)
    assert set(rows) <= rooms | packages


def test_top_level_is_what_it_should_be(project_root: Path) -> None:
    allowed = {
        "app",
        "resources",
        "plugins",
        "installer",
        "tests",
        "pyproject.toml",
        "README.md",
        "LICENSE",
    }
    there = {path.name for path in project_root.iterdir() if not path.name.startswith(".")}
    assert there <= allowed
