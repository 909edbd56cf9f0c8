"""What is not documented fails the build: commands, rooms, benchmarks; and no page names what is gone."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from pitwall.cli.main import COMMANDS, program
from workshop.benchmarks.catalogue import BENCHMARKS


def test_every_command_stands_in_the_readme(project_root: Path) -> None:
    readme = (project_root / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`pitwall (\w+)", readme))
    assert named == set(COMMANDS)


def test_every_command_says_what_it_does_and_answers_in_json() -> None:
    for command in program(*COMMANDS).registered_commands:
        assert command.callback is not None
        assert command.callback.__doc__, command.name
        assert "json" in inspect.signature(command.callback).parameters, command.name


def test_every_benchmark_stands_in_the_readme(project_root: Path) -> None:
    readme = (project_root / "README.md").read_text(encoding="utf-8")
    line = next(text for text in readme.splitlines() if "`pitwall bench NAME`" in text)
    assert all(name in line for name in BENCHMARKS)


def test_every_room_stands_in_the_architecture(project_root: Path) -> None:
    page = (project_root / "app" / "ARCHITECTURE.md").read_text(encoding="utf-8")
    package = project_root / "app" / "pitwall"
    rooms = {path.name for path in package.iterdir() if (path / "__init__.py").is_file()}
    assert {room for room in rooms if f"`{room}/`" not in page} == set()
    rows = re.findall(r"^\| `(\w+)/` \|", page, re.MULTILINE)
    assert set(rows) <= rooms


def test_pictures_of_the_readme_are_there(project_root: Path) -> None:
    readme = (project_root / "README.md").read_text(encoding="utf-8")
    for name in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", readme):
        assert (project_root / name).is_file(), name


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
