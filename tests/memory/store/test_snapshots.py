"""Snapshots: one hash for one content on any machine; taken, listed, compared, restored, carried over."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pitwall.core.memories import (
    EditResult,
    FlagEntries,
    ImportMemory,
    MemoryEdit,
    Provenance,
    PurgeEntries,
    PutEntry,
    RedoEdit,
    RestoreSnapshot,
    TakeSnapshot,
    UndoEdit,
)
from pitwall.core.memory_kinds import ActionEdge, ActionMemory, GlobalNote, Likeness, SkillMemory, StateNode
from pitwall.core.paths import DataFolder
from pitwall.memory.database.faults import UnknownSnapshot
from pitwall.memory.reader import MemoryReader
from pitwall.memory.store import MemoryStore
from pitwall.memory.transfer.snapshots import UNNAMED

Apply = Callable[..., EditResult]
Put = Callable[..., int]
_NOTE = GlobalNote(about="failure", text="fell at pipe 3")


def _fill(store: MemoryStore, *, backwards: bool = False, junk: int = 0) -> dict[str, int]:
    """The same content under other ids."""
    ids: dict[str, int] = {}

    def put(name: str, edit: PutEntry) -> None:
        result = store.apply([edit], Provenance(author="operator", reason=name if backwards else ""))
        assert result.done, result.what
        ids[name] = result.entry_ids[0]

    for number in range(junk):
        put("junk", PutEntry(game_id="flappy", content=GlobalNote(about="progress", text=f"{number}")))
        store.apply([FlagEntries(entry_ids=(ids["junk"],), forgotten=True)], Provenance(author="operator"))
    states = ["low", "high", "middle"]
    for text in reversed(states) if backwards else states:
        put(text, PutEntry(game_id="flappy", content=StateNode(text=text)))
    low, high, middle = (ids[text] for text in states)
    skill = SkillMemory(name="a", when="x > 1", subgoal="up", actions=("up",))
    put("a", PutEntry(game_id="flappy", content=skill))
    like_a = SkillMemory(name="b", when="x > 2", subgoal="up", actions=("up",), similar_to=ids["a"])
    put("b", PutEntry(game_id="flappy", content=like_a))
    pair = (middle, high) if backwards else (high, middle)
    put("like", PutEntry(game_id="flappy", content=Likeness(first=pair[0], second=pair[1], cosine=0.9)))
    put("edge", PutEntry(game_id="flappy", content=ActionEdge(source=low, target=high, action="flap")))
    put("out", PutEntry(game_id="flappy", content=ActionEdge(source=low, action="wait")))
    item = ActionMemory(state="bird low", action="flap", reward=1.0 if backwards else 1, attempts=1)
    put("item", PutEntry(game_id="flappy", content=item, pinned=True))
    put("other", PutEntry(game_id="doom", content=_NOTE))
    return ids


def test_equal_content_has_one_hash_whatever_its_ids(store: MemoryStore, tmp_path: Path) -> None:
    _fill(store)
    with MemoryStore.open(DataFolder(tmp_path / "other"), role="test") as other:
        ids = _fill(other, backwards=True, junk=3)
        assert other.snapshot_hash("flappy") == store.snapshot_hash("flappy")
        assert other.snapshot_hash("") == store.snapshot_hash("") != store.snapshot_hash("flappy")
        assert MemoryReader(DataFolder(tmp_path / "other")).snapshot_hash("") == store.snapshot_hash("")
        changes: list[MemoryEdit] = [
            FlagEntries(entry_ids=(ids["item"],), pinned=False),
            FlagEntries(entry_ids=(ids["out"],), forgotten=True),
            PutEntry(
                game_id="flappy",
                entry_id=ids["edge"],
                content=ActionEdge(source=ids["high"], target=ids["high"], action="flap"),
            ),
            PutEntry(game_id="flappy", entry_id=ids["low"], content=StateNode(text="lower")),
        ]
        for change in changes:
            assert other.apply([change], Provenance(author="operator")).done
            assert other.snapshot_hash("flappy") != store.snapshot_hash("flappy")
            other.apply([UndoEdit()], Provenance(author="operator"))
            assert other.snapshot_hash("flappy") == store.snapshot_hash("flappy")


def test_the_hash_is_what_it_always_was(store: MemoryStore) -> None:
    """Runs name it: it must not change with a version of Pitwall."""
    _fill(store)
    assert store.snapshot_hash("flappy") == "2505fc298fd543f3dfb9ccd0aff0e5866261339ea121591fda3f4bace98d4060"


def test_a_snapshot_is_taken_named_listed_and_found(
    store: MemoryStore, apply: Apply, reader: MemoryReader
) -> None:
    _fill(store)
    first = apply(TakeSnapshot(name="start", game_id="flappy"))
    assert first.content_hash == store.snapshot_hash("flappy")
    again = apply(TakeSnapshot(name="again", game_id="flappy"))
    assert (again.content_hash, first.renamed, again.renamed) == (first.content_hash, "", "start")
    assert apply(TakeSnapshot(name="again", game_id="flappy")).renamed == ""
    everything = store.keep_snapshot("")
    assert everything == store.snapshot_hash("")
    newest, oldest = reader.snapshots()
    assert (newest.content_hash, newest.name, newest.game_id) == (everything, "", "")
    assert (oldest.name, oldest.game_id) == ("again", "flappy")
    assert oldest.counts == {"node": 3, "skill": 2, "edge": 2, "likeness": 1, "action": 1}
    assert reader.diff("again") == reader.diff(first.content_hash[:8]) == []
    with pytest.raises(UnknownSnapshot, match="no snapshot 'start'"):
        reader.diff("start")
    assert "no snapshot 'x'" in apply(RestoreSnapshot(content_hash="x")).what


def test_a_diff_tells_added_removed_and_changed(
    store: MemoryStore, apply: Apply, put: Put, reader: MemoryReader
) -> None:
    ids = _fill(store)
    apply(TakeSnapshot(name="before", game_id="flappy"))
    apply(FlagEntries(entry_ids=(ids["low"],), forgotten=True))
    better = ActionMemory(state="bird low", action="flap", reward=2.0, attempts=2)
    apply(PutEntry(game_id="flappy", entry_id=ids["item"], content=better))
    new = put(_NOTE)
    put(_NOTE, "doom")
    rows = {row.entry_id: row for row in reader.diff("before")}
    assert {number: row.change for number, row in rows.items()} == {
        ids["low"]: "removed",
        ids["edge"]: "removed",
        ids["out"]: "removed",
        ids["item"]: "changed",
        new: "added",
    }
    changed = rows[ids["item"]]
    assert changed.before is not None and changed.after is not None
    assert (changed.before.content, changed.after.content) == (
        ActionMemory(state="bird low", action="flap", reward=1.0, attempts=1),
        better,
    )
    apply(TakeSnapshot(name="after", game_id="flappy"))
    assert {row.entry_id: row.change for row in reader.diff("after", "before")} == {
        number: {"removed": "added", "added": "removed"}.get(row.change, row.change)
        for number, row in rows.items()
    }


def test_a_restored_memory_is_what_it_was_and_the_restoring_can_be_undone(
    store: MemoryStore, apply: Apply, put: Put, reader: MemoryReader
) -> None:
    ids = _fill(store)
    before = apply(TakeSnapshot(name="before", game_id="flappy")).content_hash
    apply(PutEntry(game_id="flappy", entry_id=ids["item"], content=ActionMemory(state="x", action="y")))
    apply(FlagEntries(entry_ids=(ids["item"],), pinned=False))
    apply(FlagEntries(entry_ids=(ids["low"], ids["b"]), forgotten=True))
    apply(PurgeEntries(entry_ids=(ids["b"],)))
    new = put(_NOTE)
    elsewhere = put(_NOTE, "doom")
    after = store.snapshot_hash("flappy")
    assert before != after
    restored = apply(RestoreSnapshot(content_hash=before[:10]))
    assert restored.content_hash == before == store.snapshot_hash("flappy")
    assert reader.diff("before") == []
    assert [entry.forgotten for entry in reader.some([new, elsewhere])] == [True, False]
    assert apply(UndoEdit()).done and store.snapshot_hash("flappy") == after
    assert apply(RedoEdit()).done and store.snapshot_hash("flappy") == before
    assert not apply(RestoreSnapshot(content_hash=before)).entry_ids


def test_an_entry_whose_making_was_undone_comes_back_with_a_snapshot(
    store: MemoryStore, apply: Apply, put: Put, reader: MemoryReader
) -> None:
    entry_id = put(_NOTE)
    apply(TakeSnapshot(name="with"))
    apply(UndoEdit())
    assert reader.entry(entry_id) is None
    apply(RestoreSnapshot(content_hash="with"))
    assert [entry.entry_id for entry in store.entries("flappy")] == [entry_id]
    apply(UndoEdit())
    assert store.entries("flappy") == []


def test_a_snapshot_is_carried_to_another_machine_and_restored_there(
    store: MemoryStore, apply: Apply, reader: MemoryReader, tmp_path: Path
) -> None:
    _fill(store)
    taken = apply(TakeSnapshot(name="carried")).content_hash
    file = tmp_path / "carried.jsonl"
    report = reader.export(file, "jsonl", snapshot="carried")
    assert (report.entries, report.content_hash) == (10, taken)
    operator = Provenance(author="operator")
    data = DataFolder(tmp_path / "other")
    with MemoryStore.open(data, role="test") as other:
        kept = _fill(other, backwards=True, junk=2)
        other.apply([FlagEntries(entry_ids=(kept["low"],), forgotten=True)], operator)
        edit = ImportMemory(path=str(file), format="jsonl", as_snapshot=True)
        assert other.apply([edit], operator).content_hash == taken
        there = MemoryReader(data)
        assert [row.name for row in there.snapshots()] == ["carried"]
        assert {row.change for row in there.diff("carried")} == {"removed"}
        assert other.apply([RestoreSnapshot(content_hash="carried")], operator).done
        assert other.snapshot_hash("") == taken
        assert {entry.entry_id for entry in other.entries("flappy")} <= set(kept.values())
        other.apply([PurgeEntries(entry_ids=tuple(_all_forgotten(other)))], operator)
    with MemoryStore.open(DataFolder(tmp_path / "empty"), role="test") as empty:
        assert empty.apply([edit], operator).done
        assert empty.apply([RestoreSnapshot(content_hash=taken)], operator).done
        assert empty.snapshot_hash("") == taken
        assert {entry.provenance.author for entry in empty.entries("flappy")} == {"import"}
    lines = file.read_text("utf-8").splitlines()
    damaged = {**json.loads(lines[1]), "pinned": True}
    file.write_text("\n".join([lines[0], json.dumps(damaged), *lines[2:]]), "utf-8")
    assert "content_hash is" in apply(edit).what


def test_nameless_snapshots_are_few_and_share_their_parts(
    store: MemoryStore, apply: Apply, put: Put, reader: MemoryReader
) -> None:
    _fill(store)
    apply(TakeSnapshot(name="kept"))
    for number in range(UNNAMED + 5):
        put(GlobalNote(about="progress", text=str(number)))
        store.keep_snapshot("")
    rows = reader.snapshots()
    assert len(rows) == UNNAMED + 1 and rows[-1].name == "kept"
    assert apply(RestoreSnapshot(content_hash="kept")).done


def test_the_nameless_snapshots_of_a_game_do_not_push_out_those_of_another(
    store: MemoryStore, put: Put, reader: MemoryReader
) -> None:
    put(_NOTE, "doom")
    doom = store.keep_snapshot("doom")
    for number in range(UNNAMED + 1):
        put(GlobalNote(about="progress", text=str(number)))
        store.keep_snapshot("flappy")
    rows = reader.snapshots()
    assert len(rows) == UNNAMED + 1 and rows[-1].content_hash == doom


def test_the_empty_memory_of_one_game_is_not_that_of_another(
    store: MemoryStore, apply: Apply, put: Put, reader: MemoryReader
) -> None:
    empty = store.keep_snapshot("flappy")
    first = put(_NOTE)
    assert store.keep_snapshot("doom") == empty, "one hash for one content"
    other = put(_NOTE, "doom")
    assert [row.game_id for row in reader.snapshots() if row.content_hash == empty] == ["doom"]
    assert apply(RestoreSnapshot(content_hash=empty)).entry_ids == (other,), "of the game that began last"
    apply(UndoEdit())
    assert apply(RestoreSnapshot(content_hash=empty, game_id="flappy")).entry_ids == (first,)
    apply(UndoEdit())
    apply(TakeSnapshot(name="nothing", game_id="snake"))
    store.keep_snapshot("pong")
    [row] = [row for row in reader.snapshots() if row.content_hash == empty]
    assert (row.name, row.game_id) == ("nothing", "snake"), "a run leaves what the operator named"
    assert "no snapshot ''" in apply(RestoreSnapshot(content_hash="")).what
    with pytest.raises(UnknownSnapshot):
        reader.diff("")


def test_one_game_is_restored_from_a_snapshot_of_every_game(
    store: MemoryStore, apply: Apply, put: Put
) -> None:
    ids = _fill(store)
    apply(TakeSnapshot(name="all"))
    apply(FlagEntries(entry_ids=(ids["item"], ids["other"]), forgotten=True))
    new, elsewhere = put(_NOTE), put(GlobalNote(about="failure", text="new"), "doom")
    restored = apply(RestoreSnapshot(content_hash="all", game_id="flappy"))
    assert set(restored.entry_ids) == {ids["item"], new}
    assert [entry.entry_id for entry in store.entries("doom")] == [elsewhere]


def test_the_memory_that_a_run_began_with_again_is_the_newest_of_the_nameless(
    store: MemoryStore, apply: Apply, put: Put, reader: MemoryReader
) -> None:
    old = store.keep_snapshot("flappy")
    for number in range(UNNAMED):
        put(GlobalNote(about="progress", text=str(number)))
        if number < UNNAMED - 1:
            store.keep_snapshot("flappy")
    apply(RestoreSnapshot(content_hash=old))
    assert store.keep_snapshot("flappy") == old
    apply(UndoEdit())
    store.keep_snapshot("flappy")
    assert reader.snapshots()[1].content_hash == old
    assert apply(RestoreSnapshot(content_hash=old)).done


def _all_forgotten(store: MemoryStore) -> list[int]:
    return [entry.entry_id for entry in store.entries("flappy", forgotten=True)]
