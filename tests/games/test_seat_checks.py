"""Whether the agent's own keyboard reaches a game is kept with the versions that it was tried with."""

from __future__ import annotations

from pathlib import Path

import pytest

from pitwall.core.paths import DataFolder
from pitwall.games import seat_checks
from pitwall.games.registry import Registry
from pitwall.games.seat_checks import keep_seat_check, seat_check


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path / "data")


def test_a_check_holds_for_the_versions_that_made_it(
    data: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = Registry(data).load("flappy")
    keep_seat_check(data, game, "a server 1", arrives=False)
    keep_seat_check(data, Registry(data).load("arena"), "a server 1", arrives=True)
    kept = seat_check(data, "flappy")
    assert kept is not None and not kept.arrives and kept.holds(game, "a server 1")
    assert not kept.holds(game, "a server 2")
    assert "the agent shares yours" in kept.text and "a server 1" in kept.text
    entries = {entry.game_id: entry.seat for entry in Registry(data).games()}
    assert entries["flappy"] == kept and entries["snake"] is None
    monkeypatch.setattr(seat_checks, "__version__", "0.0.1")
    assert not kept.holds(game, "a server 1")


def test_a_damaged_file_counts_as_not_tried(data: DataFolder) -> None:
    data.seat_checks.parent.mkdir(parents=True, exist_ok=True)
    data.seat_checks.write_text("{", encoding="utf-8")
    assert seat_check(data, "flappy") is None
