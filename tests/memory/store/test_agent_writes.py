"""The agent's many small writes: kept compactly, undone by the run, never over the operator."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import pytest

from pitwall.core.memories import EditResult, FlagEntries, Provenance, PurgeEntries, PutEntry, UndoEdit
from pitwall.core.memory_fields import TEXT_LENGTH
from pitwall.core.memory_kinds import ActionEdge, ActionMemory, Likeness, MemoryContent, StateNode
from pitwall.memory.database.agent_history import AGENT_RUNS
from pitwall.memory.reader import MemoryReader
from pitwall.memory.store import AgentWrite, MemoryStore

Apply = Callable[..., EditResult]
Put = Callable[..., int]
Write = Callable[..., int]


def _item(reward: float) -> ActionMemory:
    return ActionMemory(state="bird low", action="flap", reward=reward, attempts=1)


def _reward(entry: object) -> float:
    content = getattr(entry, "content", None)
    assert isinstance(content, ActionMemory)
    return content.reward


def test_what_a_run_did_to_an_entry_is_one_change(write: Write, reader: MemoryReader, apply: Apply) -> None:
    entry_id = write(_item(0.0))
    for step in range(2, 40):
        write(_item(step), entry_id, step=step)
    [made] = reader.history(entry_id)
    assert made.before is None and _reward(made.after) == 39.0 and made.by.step == 39
    for step in range(40, 50):
        write(_item(step), entry_id, run_id=2, step=step)
    second, _ = reader.history(entry_id)
    assert (_reward(second.before), _reward(second.after)) == (39.0, 49.0)
    apply(FlagEntries(entry_ids=(entry_id,), pinned=True), FlagEntries(entry_ids=(entry_id,), pinned=False))
    write(_item(50), entry_id, run_id=2, step=50)
    third, *_ = reader.history(entry_id)
    assert (_reward(third.before), _reward(third.after)) == (49.0, 50.0)
    assert len(reader.history()) == 5
    entry = reader.entry(entry_id)
    assert entry is not None and entry.version == 52
    assert entry.provenance.step == 1 and entry.changed_by.step == 50


def test_a_whole_run_can_be_undone(write: Write, reader: MemoryReader, apply: Apply) -> None:
    kept = write(_item(1.0))
    made = write(_item(3.0), run_id=2)
    write(_item(2.0), kept, run_id=2)
    batch = reader.history(made)[0].batch
    assert apply(UndoEdit(batch=batch)).done
    assert [(entry.entry_id, _reward(entry)) for entry in reader.entries("flappy")] == [(kept, 1.0)]
    write(_item(4.0), kept, run_id=2)
    assert len({change.batch for change in reader.history(kept)}) == 3


def test_old_runs_are_folded_between_what_the_operator_did(
    write: Write, reader: MemoryReader, apply: Apply
) -> None:
    entry_id = write(_item(0.0))
    for run_id in range(2, AGENT_RUNS + 6):
        write(_item(run_id), entry_id, run_id=run_id)
    mine = PutEntry(game_id="flappy", content=_item(-1.0), entry_id=entry_id)
    assert apply(mine).done
    for run_id in range(100, 100 + 2 * AGENT_RUNS):
        write(_item(run_id), entry_id, run_id=run_id)
    changes = reader.history(entry_id)
    assert len(changes) == AGENT_RUNS + 3
    oldest = changes[-1]
    assert oldest.before is None and _reward(oldest.after) == AGENT_RUNS + 5
    assert (_reward(changes[-2].before), _reward(changes[-2].after)) == (AGENT_RUNS + 5, -1.0)
    for newer, older in pairwise(changes):
        assert newer.before == older.after
    assert reader.entry(entry_id) == changes[0].after
    folded = apply(UndoEdit(batch=changes[-3].batch))
    assert "of an old run" in folded.what
    [conflict] = apply(UndoEdit()).conflicts
    assert _reward(conflict.theirs) == 99.0 + 2 * AGENT_RUNS


def test_writes_of_one_call_stand_or_fall_together_and_keep_their_order(
    store: MemoryStore, put: Put, apply: Apply
) -> None:
    by = Provenance(author="agent", run_id=1)
    a, b = put(StateNode(text="a")), put(StateNode(text="b"))
    pinned = put(_item(5.0), pinned=True)
    put(Likeness(first=a, second=b, cosine=0.5))
    contents: list[tuple[int | None, MemoryContent]] = [
        (pinned, _item(6.0)),
        (None, ActionEdge(source=a, target=99, action="go")),
        (None, ActionEdge(source=a, target=b, action="go")),
        (None, Likeness(first=b, second=a, cosine=0.75)),
        (None, Likeness(first=a, second=a, cosine=1.0)),
        (777, _item(7.0)),
    ]
    written = store.write(
        [
            AgentWrite(entry_id=entry_id, game_id="flappy", content=content, provenance=by)
            for entry_id, content in contents
        ]
    )
    assert [entry is None for entry in written] == [False, True, False, False, True, False]
    assert written[0] is not None and written[0].content == _item(5.0)
    assert written[3] is not None and written[3].content == Likeness(first=b, second=a, cosine=0.75)
    assert store.counts("flappy")["likeness"] == 1
    assert written[5] is not None and written[5].entry_id != 777
    apply(FlagEntries(entry_ids=(b,), forgotten=True))
    assert store.write(
        [AgentWrite(game_id="flappy", content=ActionEdge(source=b, target=a, action="up"), provenance=by)]
    ) == [None]
    assert store.write([]) == []


def test_what_the_agent_writes_is_cut_and_mended_instead_of_refused(
    write: Write, reader: MemoryReader
) -> None:
    long = write(ActionMemory(state="x" * (TEXT_LENGTH + 5), action="go\ud83d", reward=math.inf))
    entry = reader.entry(long)
    assert entry is not None and isinstance(entry.content, ActionMemory)
    assert len(entry.content.state) == TEXT_LENGTH
    assert (entry.content.action, entry.content.reward) == ("go\ufffd", 0.0)


def test_what_is_written_as_it_was_leaves_no_mark(write: Write, reader: MemoryReader) -> None:
    entry_id = write(_item(1.0))
    write(_item(1.0), entry_id, run_id=2)
    entry = reader.entry(entry_id)
    assert entry is not None and entry.version == 1
    assert len(reader.history()) == 1


def test_a_purged_entry_is_learnt_anew(write: Write, reader: MemoryReader, apply: Apply) -> None:
    entry_id = write(_item(1.0))
    apply(FlagEntries(entry_ids=(entry_id,), forgotten=True))
    apply(PurgeEntries(entry_ids=(entry_id,)))
    again = write(_item(2.0), entry_id)
    assert again != entry_id
    assert [entry.entry_id for entry in reader.entries("flappy")] == [again]


@pytest.mark.parametrize("run_id", [None, 4])
def test_what_the_agent_forgets_can_be_undone_by_the_operator(
    store: MemoryStore, write: Write, apply: Apply, reader: MemoryReader, run_id: int | None
) -> None:
    entry_id = write(_item(1.0))
    agent = Provenance(author="agent", run_id=run_id, reason="the bank is full")
    forgotten = store.apply([FlagEntries(entry_ids=(entry_id,), forgotten=True)], agent)
    assert forgotten.done and reader.forgotten("flappy") == 1
    assert "nothing to undo" in apply(UndoEdit()).what
    assert apply(UndoEdit(batch=forgotten.batch)).done
    assert reader.forgotten("flappy") == 0
