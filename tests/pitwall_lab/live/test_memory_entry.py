"""Tests the memory entry of live learning: written once, brought up to date, left to the operator."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.pitwall_lab.improve_game import steer

from pitwall.core.errors import DataFolderError
from pitwall.core.memories import FlagEntries, MemoryEdit, MemoryEntry, Provenance, PutEntry
from pitwall.core.memory_fields import MemoryKind
from pitwall.core.memory_kinds import KnowledgeMemory
from pitwall.core.paths import DataFolder
from pitwall.gsm.versions import ModuleFolder
from pitwall.memory.store import MemoryStore
from pitwall_lab.live.curve import learning_curve
from pitwall_lab.live.memory_entry import keep_in_memory
from pitwall_lab.training.new_version import begin_version
from pitwall_lab.training_log import Point

_OPERATOR = Provenance(author="operator", reason="edited")


@pytest.fixture
def folder(tmp_path: Path) -> ModuleFolder:
    """A module with a version whose log ends with mostly left."""
    folder = steer(tmp_path)
    begin_version(folder)
    points = [_point(20, 2.0, 1.0, (5, 5, 5)), _point(70, 6.0, 0.2, (4, 12, 0))]
    lines = "".join(point.model_dump_json() + "\n" for point in points)
    (folder.folder("v1") / "training.jsonl").write_text(lines, encoding="utf-8")
    return folder


def _point(wall_s: float, score: float, epsilon: float, actions: tuple[int, ...]) -> Point:
    return Point(
        step=round(wall_s), wall_s=wall_s, at=0.0, episodes=3, score=score, epsilon=epsilon, actions=actions
    )


def _entries(data: DataFolder, *, forgotten: bool = False) -> list[MemoryEntry]:
    with MemoryStore.open(data, role="test") as store:
        return store.entries("drift", [MemoryKind.KNOWLEDGE], forgotten=forgotten)


def _keep(data: DataFolder, folder: ModuleFolder, *more: Point) -> None:
    points = [_point(20, 2.0, 1.0, (5, 5, 5)), _point(70, 6.0, 0.2, (4, 12, 0)), *more]
    keep_in_memory(data, folder, "v1", learning_curve(points))


def test_one_entry_is_written_and_brought_up_to_date(folder: ModuleFolder, tmp_path: Path) -> None:
    data = DataFolder(tmp_path / "data")
    keep_in_memory(data, folder, "v1", learning_curve([_point(20, 2.0, 1.0, (5, 5, 5))]))
    assert not data.memory.exists(), "nothing was learned yet"
    _keep(data, folder)
    (entry,) = _entries(data)
    assert isinstance(entry.content, KnowledgeMemory)
    assert entry.content.heading == "What steer learned by playing"
    assert entry.content.text == (
        "The module steer (version v1) learned this game by playing it, into minute 2. "
        "In its best minute a game had a score of 6.0; by chance 2.0. "
        "What it does most: left 75%, no new action 25%. What it hardly ever does: right."
    )
    _keep(data, folder, _point(130, 9.0, 0.1, (4, 12, 0)))
    (later,) = _entries(data)
    assert later.entry_id == entry.entry_id
    assert "had a score of 9.0; by chance 2.0" in str(later.content)


@pytest.mark.parametrize("deed", ["changed", "pinned", "forgotten"])
def test_what_the_operator_did_stays(folder: ModuleFolder, tmp_path: Path, deed: str) -> None:
    data = DataFolder(tmp_path / "data")
    _keep(data, folder)
    (entry,) = _entries(data)
    assert isinstance(entry.content, KnowledgeMemory)
    edits: dict[str, MemoryEdit] = {
        "changed": PutEntry(
            game_id="drift", content=replace(entry.content, text="Mine."), entry_id=entry.entry_id
        ),
        "pinned": FlagEntries(entry_ids=(entry.entry_id,), pinned=True),
        "forgotten": FlagEntries(entry_ids=(entry.entry_id,), forgotten=True),
    }
    with MemoryStore.open(data, role="test") as store:
        store.apply([edits[deed]], _OPERATOR)
    before = _entries(data), _entries(data, forgotten=True)
    _keep(data, folder, _point(130, 9.0, 0.1, (4, 12, 0)))
    assert (_entries(data), _entries(data, forgotten=True)) == before


def test_a_memory_that_another_holds_is_named(folder: ModuleFolder, tmp_path: Path) -> None:
    data = DataFolder(tmp_path / "data")
    with MemoryStore.open(data, role="test"), pytest.raises(DataFolderError, match="memory"):
        _keep(data, folder)
