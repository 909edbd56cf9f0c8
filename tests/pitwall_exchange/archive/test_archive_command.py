"""`pitwall archive`: a preview moves nothing, --go moves, restore undoes it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.console.recorded_runs import record_run

from pitwall.cli.main import main
from pitwall.core.paths import DataFolder
from pitwall.store.run_reader import RunReader


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    folder = DataFolder(tmp_path / "data")
    for _ in range(4):
        record_run(folder, 3, frames=2)
    return folder


@pytest.fixture
def pitwall(
    data: DataFolder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Any]:
    """Run a command, and return its JSON."""

    def run(*words: str) -> Any:
        monkeypatch.setattr(sys, "argv", ["pitwall", *words, "--data", str(data.root), "--json"])
        status, written = main(), capsys.readouterr()
        assert not status, written.err
        return json.loads(written.out.splitlines()[-1])

    return run


def _listed(data: DataFolder) -> list[int]:
    return [row.run_id for row in RunReader(data).runs()]


def test_a_preview_moves_nothing_and_a_move_is_undone(data: DataFolder, pitwall: Callable[..., Any]) -> None:
    rules = ("archive", "tidy", "--keep-best", "0", "--keep-newest", "1")
    preview = pitwall(*rules)
    assert (preview["moved"], preview["going"], preview["staying"]) == (False, 3, 1)
    assert [run["run_id"] for run in preview["runs"] if not run["kept"]] == [1, 2, 3]
    assert _listed(data) == [4, 3, 2, 1]
    assert pitwall(*rules, "--go")["moved"]
    assert _listed(data) == [4]
    assert [run["run_id"] for run in pitwall("archive")["runs"]] == [1, 2, 3]
    undone = pitwall("archive", "restore")
    assert [run["run_id"] for run in undone["runs"]] == [1, 2, 3]
    assert _listed(data) == [4, 3, 2, 1]


def test_runs_are_archived_elsewhere_and_deleted_for_good(
    data: DataFolder, tmp_path: Path, pitwall: Callable[..., Any]
) -> None:
    elsewhere = ("--archive", str(tmp_path / "disk"))
    pitwall("archive", "add", "2", "3", *elsewhere)
    assert _listed(data) == [4, 1]
    pitwall("archive", "delete", "2", *elsewhere)
    assert [run["run_id"] for run in pitwall("archive", "list", *elsewhere)["runs"]] == [3]
    pitwall("archive", "restore", "3", *elsewhere)
    assert _listed(data) == [4, 3, 1]
