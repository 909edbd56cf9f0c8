"""Links, pictures and references of README, documents and manual lead to what is there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from pitwall.core.settings import Settings
from pitwall.games.checks.folder import check_game

_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_FENCE = re.compile(r"```.*?```", re.DOTALL)
_MOST_BYTES = 2_600_000
"""All pictures of the manual together: they are packaged."""


def _documents(root: Path) -> list[Path]:
    folders = (root / "app", root / "app" / "docs", root / "resources" / "manual")
    return [root / "README.md", *(file for folder in folders for file in sorted(folder.glob("*.md")))]


def _links(file: Path) -> Iterator[str]:
    yield from _LINK.findall(_FENCE.sub("", file.read_text(encoding="utf-8")))


def _anchors(file: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def test_every_link_and_picture_leads_to_a_file_of_the_tree(project_root: Path) -> None:
    dead = []
    for file in _documents(project_root):
        for link in _links(file):
            path, _, anchor = link.partition("#")
            target = (file.parent / path).resolve() if path else file
            if not target.is_file() or (anchor and anchor not in _anchors(target)):
                dead.append(f"{file.relative_to(project_root)}: {link}")
    assert dead == []


def test_the_manual_needs_nothing_outside_its_own_folder(project_root: Path) -> None:
    manual = project_root / "resources" / "manual"
    away = [
        f"{file.name}: {link}"
        for file in manual.glob("*.md")
        for link in _links(file)
        if not (file.parent / link.partition("#")[0]).resolve().is_relative_to(manual)
    ]
    assert away == []


def test_every_page_of_the_manual_is_reached_from_its_contents(project_root: Path) -> None:
    manual = project_root / "resources" / "manual"
    listed = {link.partition("#")[0] for link in _links(manual / "index.md")}
    assert {file.name for file in manual.glob("*.md")} - {"index.md"} == listed


def test_every_picture_of_the_manual_is_shown_and_together_they_are_small(project_root: Path) -> None:
    manual = project_root / "resources" / "manual"
    shown = {link for file in manual.glob("*.md") for link in _links(file) if link.endswith(".png")}
    there = {file.relative_to(manual).as_posix(): file.stat().st_size for file in manual.rglob("*.png")}
    assert set(there) == shown
    assert sum(there.values()) <= _MOST_BYTES


def test_every_reference_to_the_specification_leads_to_a_section(project_root: Path) -> None:
    text = (project_root / "app" / "docs" / "SPEC.md").read_text(encoding="utf-8")
    sections = {int(number) for number in re.findall(r"^## §(\d+) ", text, re.MULTILINE)}
    assert sections == set(range(1, 11))
    references = 0
    for file in [*(project_root / "app").rglob("*.py"), *(project_root / "app").rglob("*.md")]:
        for group in re.findall(r"SPEC (§\d+(?:,? (?:and )?§\d+)*)", file.read_text(encoding="utf-8")):
            numbers = {int(number) for number in re.findall(r"\d+", group)}
            assert numbers <= sections, f"{file}: SPEC {group}"
            references += len(numbers)
    assert references > 100


def test_settings_that_the_documents_name_are_there(project_root: Path) -> None:
    sections = {name: type(getattr(Settings(), name)).model_fields for name in Settings.model_fields}
    pattern = re.compile(rf"`({'|'.join(sections)})\.([a-z0-9_]+)\b")
    gone = [
        f"{file.name}: {section}.{name}"
        for file in _documents(project_root)
        for section, name in pattern.findall(file.read_text(encoding="utf-8"))
        if name not in sections[section] and name not in ("py", "json", "log", "lock", "sqlite")
    ]
    assert gone == []


def test_constants_that_the_specification_names_are_there(project_root: Path) -> None:
    text = (project_root / "app" / "docs" / "SPEC.md").read_text(encoding="utf-8")
    code = "\n".join(file.read_text(encoding="utf-8") for file in (project_root / "app").rglob("*.py"))
    named = set(re.findall(r"`([A-Z]+_?[A-Z]+)`", text))
    assert {name for name in named if not re.search(rf"^{name}\b.*=", code, re.MULTILINE)} == set()


def test_files_and_folders_that_the_documents_name_are_there(project_root: Path) -> None:
    roots = (project_root / "app" / "pitwall", project_root / "app", project_root)
    documents = [file for file in _documents(project_root) if file.parent.name != "manual"]
    gone = [
        f"{file.name}: {place}"
        for file in documents
        for place in re.findall(r"`(\w+/(?:[\w./]*\.(?:py|md|toml)|(?:\w+/)*))`", file.read_text("utf-8"))
        if not any((root / place).exists() for root in roots)
    ]
    assert gone == []


def test_places_that_the_glossary_names_are_there(project_root: Path) -> None:
    text = (project_root / "app" / "docs" / "GLOSSARY.md").read_text(encoding="utf-8")
    places = re.findall(r"\| `([\w/]+\.py)` \|$", text, re.MULTILINE)
    assert len(places) > 100
    rooms = (project_root / "app" / "pitwall", project_root / "app")
    assert [place for place in places if not any((room / place).is_file() for room in rooms)] == []


@pytest.mark.parametrize("file", ["app/docs/PLUGINS.md", "resources/manual/own-game.md"])
def test_the_game_that_a_document_shows_passes_the_checker(
    project_root: Path, tmp_path: Path, file: str
) -> None:
    text = (project_root / file).read_text(encoding="utf-8")
    (example,) = re.findall(r"```toml\n(schema.*?)```", text, re.DOTALL)
    (tmp_path / "plugin.toml").write_text(example, encoding="utf-8")
    (tmp_path / "jumper").touch()
    (tmp_path / "templates").mkdir()
    Image.new("RGB", (24, 12), "red").save(tmp_path / "templates" / "over.png")
    assert check_game(tmp_path) == []
