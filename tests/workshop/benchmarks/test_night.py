"""The night's benchmark counts what is lost: a key, a step, a message, a row of the digest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pitwall.core.paths import DataFolder
from pitwall_night.digest import figures, html_of
from pitwall_night.record import NightEvent, NightFolder, NightOrder
from workshop.benchmarks.engine.night import _checks
from workshop.benchmarks.results_book import ResultsBook

_RUN: dict[str, Any] = {"how": "exit", "left_down": 0, "keys_down": 0, "lost": 0}


def _missed(tmp_path: Path, *, messages: int = 2, rows: int = 2, **second: int) -> list[str]:
    """Return the aims that a night of two crashes and a restart by the game itself misses."""
    night = NightFolder.create(DataFolder(tmp_path), NightOrder(game="g", runs=3))
    book = ResultsBook(tmp_path / "runs.json")
    for number, facts in enumerate((_RUN, _RUN | second, _RUN | {"how": "respawn"}), 1):
        book.keep(str(number), facts)
    kinds = ("crashed", "restarted", "crashed", "restarted", "restarted")
    events = [NightEvent.model_validate({"kind": kind, "at_s": 1.0, "text": "x"}) for kind in kinds]
    for event in events:
        night.add(event)
    file = tmp_path / "messages.jsonl"
    file.write_text("\n".join(json.dumps({"event": kind}) for kind in kinds[: 1 + 2 * messages]))
    digest = html_of(figures(night), events if rows == 2 else events[1:])
    return [check["name"] for check in _checks(night, book, file, digest, 3) if not check["met"]]


@pytest.mark.parametrize(
    ("second", "missed"),
    [
        ({}, []),
        ({"left_down": 1}, ["keys left down"]),
        ({"keys_down": 1}, ["keys left down"]),
        ({"lost": 2}, ["steps lost"]),
        ({"messages": 1}, ["restarted, no message"]),
        ({"rows": 1}, ["crashed, not in the digest"]),
    ],
    ids=str,
)
def test_a_loss_is_counted(tmp_path: Path, second: dict[str, int], missed: list[str]) -> None:
    losses = _missed(tmp_path, **second)
    assert set(missed) <= set(losses) and bool(losses) == bool(missed)
