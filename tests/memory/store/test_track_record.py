"""The track record outlives a run, also that of an older memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing

from pitwall.core.model_telemetry import Situation, Tally
from pitwall.core.paths import DataFolder
from pitwall.memory.migrations import FOLDER, REVISIONS
from pitwall.memory.store import NAME, MemoryStore
from pitwall.memory.track_record import TrackRecord
from pitwall.store.preparation import migrate

TRY = Tally(driver="model", situation=Situation.GOING, decisions=1, steps=3, progressed=2, ms=1.5, tokens=9)
SKILLED = Tally(driver="skills", situation=Situation.STUCK, decisions=1, steps=4, gained=1, unanswered=2)


def _kept(store: MemoryStore, game: str = "flappy") -> Callable[..., Tally]:
    record = TrackRecord()
    for model, tally in store.track_record(game):
        record.add(model, tally)
    return record.of


def test_tallies_add_up_by_model_driver_and_situation(store: MemoryStore, data: DataFolder) -> None:
    for tally in (TRY, TRY, SKILLED):
        store.add_tally("flappy", "one", tally)
    store.add_tally("flappy", "another", TRY)
    store.add_tally("crafter", "one", TRY)
    store.close()
    with MemoryStore.open(data, role="test") as again:
        of = _kept(again)
        assert of("one", Situation.GOING, "model") == TRY + TRY
        assert of("one", Situation.STUCK, "skills", "both") == SKILLED
        assert of("one", Situation.GOING, "skills").decisions == 0
        assert of("another", Situation.GOING, "model") == TRY
        assert _kept(again, "maze")("one", Situation.GOING, "model").decisions == 0


def test_a_memory_from_before_gets_one(data: DataFolder) -> None:
    data.memory.parent.mkdir(parents=True)
    migrate(data.memory, revisions=REVISIONS[:1], scripts=FOLDER, name=NAME)
    with MemoryStore.open(data, role="test") as store:
        store.add_tally("flappy", "one", TRY)
        assert store.track_record("flappy") == [("one", TRY)]


def test_a_record_from_before_missing_answers_were_counted_is_kept(data: DataFolder) -> None:
    data.memory.parent.mkdir(parents=True)
    migrate(data.memory, revisions=REVISIONS[:2], scripts=FOLDER, name=NAME)
    with closing(sqlite3.connect(data.memory)) as memory:
        values = ("flappy", "one", "model", "going", 1, 3, 2, 0, 0, 1.5, 9)
        memory.execute(f"INSERT INTO track_record VALUES ({', '.join('?' * len(values))})", values)
        memory.commit()
    with MemoryStore.open(data, role="test") as store:
        assert store.track_record("flappy") == [("one", TRY)]
