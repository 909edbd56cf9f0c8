"""Edits: all or nothing, conflicts shown, pins kept, states never leave edges behind."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable

import pytest

from pitwall.core.errors import DataFolderError, PitwallError
from pitwall.core.memories import (
    EditResult,
    FlagEntries,
    JudgeSkill,
    MemoryEdit,
    Provenance,
    PurgeEntries,
    PutEntry,
    RedoEdit,
    TakeSnapshot,
    UndoEdit,
)
from pitwall.core.memory_fields import LIST_LENGTH, TEXT_LENGTH, MemoryKind
from pitwall.core.memory_kinds import (
    ActionEdge,
    ActionMemory,
    GlobalNote,
    KnowledgeMemory,
    Likeness,
    MemoryContent,
    SkillMemory,
    StateNode,
)
from pitwall.core.paths import DataFolder
from pitwall.memory.reader import MemoryReader
from pitwall.memory.store import MemoryStore

Apply = Callable[..., EditResult]
Put = Callable[..., int]

_NOTE = GlobalNote(about="failure", text="fell at pipe 3")


def _skill(name: str, **changes: object) -> SkillMemory:
    base = SkillMemory(name=name, when="bird_y > 240", subgoal="rise", actions=("flap",), status="proposed")
    return dataclasses.replace(base, **changes)  # type: ignore[arg-type]


def test_an_entry_comes_back_as_it_was_put(put: Put, reader: MemoryReader) -> None:
    contents: list[MemoryContent] = [
        _NOTE,
        KnowledgeMemory(heading="Pipes 漢字", text="x\0y <b>&amp; '; DROP TABLE entries; --\u202e"),
        _skill("low", actions=("flap", "wait"), evidence=("run 3", "run 4"), similar_to=None),
    ]
    for content in contents:
        entry = reader.entry(put(content, pinned=True))
        assert entry is not None
        assert entry.content == content
        assert (entry.pinned, entry.forgotten, entry.version) == (True, False, 1)
        assert entry.provenance == entry.changed_by == Provenance(author="operator")


def test_a_state_is_normalised_as_retrieval_compares_it(put: Put, reader: MemoryReader) -> None:
    entry = reader.entry(put(ActionMemory(state="Bird  LOW, pipe near!", action="flap", reward=1)))
    assert entry is not None and isinstance(entry.content, ActionMemory)
    assert entry.content.state == "bird low pipe near"
    assert isinstance(entry.content.reward, float)


def test_of_a_batch_with_one_fault_nothing_is_done(apply: Apply, put: Put, reader: MemoryReader) -> None:
    kept = put(_NOTE)
    result = apply(
        PutEntry(game_id="flappy", content=KnowledgeMemory(heading="h", text="t")),
        FlagEntries(entry_ids=(kept,), forgotten=True),
        FlagEntries(entry_ids=(999,), pinned=True),
    )
    assert result.what == "entry 999 is not in the memory."
    assert (result.done, result.batch, result.entry_ids) == (False, 0, ())
    assert [(entry.entry_id, entry.forgotten) for entry in reader.entries("flappy")] == [(kept, False)]
    assert len(reader.history()) == 1


def test_a_conflict_shows_both_sides_and_loses_neither(
    apply: Apply, put: Put, reader: MemoryReader, write: Callable[..., int]
) -> None:
    entry_id = put(ActionMemory(state="low", action="flap"))
    write(ActionMemory(state="low", action="flap", reward=0.5), entry_id)
    mine = ActionMemory(state="low", action="wait")
    edit = PutEntry(game_id="flappy", content=mine, entry_id=entry_id, version=1)
    result = apply(PutEntry(game_id="flappy", content=_NOTE), edit)
    assert not result.done and not result.what
    [conflict] = result.conflicts
    assert conflict.yours == mine
    assert conflict.theirs is not None and conflict.theirs.content == ActionMemory(
        state="low", action="flap", reward=0.5
    )
    assert reader.counts("flappy")["note"] == 0
    assert apply(dataclasses.replace(edit, version=2)).done
    gone = apply(PutEntry(game_id="flappy", content=_NOTE, entry_id=77, version=1))
    assert [(conflict.entry_id, conflict.theirs) for conflict in gone.conflicts] == [(77, None)]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (GlobalNote(about="failure", text=" \0 "), "text is empty; expected a text"),
        (GlobalNote(about="failure", text="x" * (TEXT_LENGTH + 1)), f"at most {TEXT_LENGTH}"),
        (ActionMemory(state="!!", action="flap"), "state is empty"),
        (ActionMemory(state="a", action="b", reward=float("nan")), "reward is nan; expected a number"),
        (ActionMemory(state="a", action="b", successes=2, attempts=1), "successes is more than attempts"),
        (_skill("x", when="bird_y >"), "when is no condition"),
        (_skill("x", stop="import os"), "stop is no condition"),
        (_skill("x", actions=("a",) * (LIST_LENGTH + 1)), f"at most {LIST_LENGTH}"),
        (Likeness(first=1, second=1, cosine=1.0), "another state: none is like itself"),
        (Likeness(first=1, second=2, cosine=1.5), "cosine is 1.5; expected a number from -1 to 1"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_field(
    apply: Apply, content: MemoryContent, expected: str
) -> None:
    result = apply(PutEntry(game_id="flappy", content=content))
    assert expected in result.what


def test_kind_and_game_of_an_entry_stay(apply: Apply, put: Put) -> None:
    entry_id = put(_NOTE)
    other = PutEntry(game_id="flappy", content=StateNode(text="a"), entry_id=entry_id)
    assert "cannot become node" in apply(other).what
    assert "not of doom" in apply(PutEntry(game_id="doom", content=_NOTE, entry_id=entry_id)).what
    assert "is no game's id" in apply(PutEntry(game_id="../x", content=_NOTE)).what


def test_the_agent_leaves_what_is_pinned(
    store: MemoryStore, put: Put, write: Callable[..., int], reader: MemoryReader
) -> None:
    agent = Provenance(author="agent", run_id=1)
    mine = ActionMemory(state="low", action="flap", reward=0.25)
    entry_id = put(mine, pinned=True)
    assert write(ActionMemory(state="low", action="flap", reward=9.0), entry_id) == entry_id
    refused = (
        store.apply([FlagEntries(entry_ids=(entry_id,), forgotten=True)], agent),
        store.apply([FlagEntries(entry_ids=(entry_id,), pinned=False)], agent),
        store.apply([PutEntry(game_id="flappy", content=mine, entry_id=entry_id)], agent),
        store.apply([PurgeEntries(entry_ids=(entry_id,))], agent),
    )
    assert all("pinned" in result.what or "operator's alone" in result.what for result in refused)
    entry = reader.entry(entry_id)
    assert entry is not None and (entry.content, entry.version) == (mine, 1)


def test_forgotten_is_not_used_and_restorable_until_purged(
    apply: Apply, put: Put, reader: MemoryReader, write: Callable[..., int]
) -> None:
    entry_id = put(_NOTE)
    assert "is in use" in apply(PurgeEntries(entry_ids=(entry_id,))).what
    apply(FlagEntries(entry_ids=(entry_id,), forgotten=True, reason="wrong"))
    assert reader.entries("flappy") == [] and reader.forgotten("flappy") == 1
    assert reader.page("flappy", MemoryKind.NOTE)[1] == 0
    forgotten, total = reader.page("flappy", MemoryKind.NOTE, forgotten=True)
    assert total == 1 and forgotten[0].changed_by.reason == "wrong"
    write(GlobalNote(about="failure", text="again"), entry_id)
    assert reader.entry(entry_id) == forgotten[0]
    apply(FlagEntries(entry_ids=(entry_id,), forgotten=False))
    assert [entry.content for entry in reader.entries("flappy")] == [_NOTE]
    apply(FlagEntries(entry_ids=(entry_id,), forgotten=True))
    assert apply(PurgeEntries(entry_ids=(entry_id,))).entry_ids == (entry_id,)
    assert reader.entry(entry_id) is None and reader.history(entry_id) == []
    assert reader.page("flappy", None, search="pipe", forgotten=True) == ([], 0)
    assert "nothing to undo" in apply(UndoEdit()).what


def test_edges_and_likenesses_go_and_come_with_their_states(
    apply: Apply, put: Put, reader: MemoryReader
) -> None:
    a, b, c = (put(StateNode(text=text)) for text in "abc")
    ab = put(ActionEdge(source=a, target=b, action="go"))
    out = put(ActionEdge(source=a, action="jump"))
    circle = put(ActionEdge(source=b, target=b, action="wait"))
    bc = put(Likeness(first=c, second=b, cosine=0.9))
    apply(FlagEntries(entry_ids=(a,), forgotten=True))
    assert [entry.entry_id for entry in reader.entries("flappy")] == [b, c, circle, bc]
    assert "needs entry" in apply(FlagEntries(entry_ids=(ab,), forgotten=False)).what
    apply(FlagEntries(entry_ids=(b,), forgotten=True))
    assert apply(FlagEntries(entry_ids=(a,), forgotten=False)).entry_ids == (a, out)
    apply(FlagEntries(entry_ids=(b,), forgotten=False))
    nodes, edges, likenesses = reader.graph("flappy")
    assert [node.entry_id for node in nodes] == [a, b, c]
    assert [entry.entry_id for entry in (*edges, *likenesses)] == [out, circle, bc]
    apply(FlagEntries(entry_ids=(b,), forgotten=True))
    assert set(apply(PurgeEntries(entry_ids=(b,))).entry_ids) == {b, ab, circle, bc}
    assert {entry.entry_id for entry in reader.entries("flappy")} == {a, c, out}


@pytest.mark.parametrize("game", ["flappy", "doom"])
def test_dangling_and_doubled_joins_are_refused(apply: Apply, put: Put, game: str) -> None:
    a, b = put(StateNode(text="a")), put(StateNode(text="b"))
    note = put(_NOTE)
    put(Likeness(first=a, second=b, cosine=0.9))
    for content in (
        ActionEdge(source=a, target=99, action="go"),
        ActionEdge(source=note, action="go"),
        Likeness(first=a, second=note, cosine=0.5),
    ):
        assert "no state of this game" in apply(PutEntry(game_id=game, content=content)).what
    twice = apply(PutEntry(game_id="flappy", content=Likeness(first=b, second=a, cosine=0.1)))
    assert twice.what.startswith("the new likeness joins the same two states as entry")


def test_a_proposed_skill_is_accepted_merged_or_rejected(
    apply: Apply, put: Put, reader: MemoryReader
) -> None:
    known = put(_skill("rise", status="active", uses=3, successes=2, evidence=("run 1",)))
    first, two, three = (put(_skill(name, similar_to=known, evidence=(name,), uses=1)) for name in "abc")
    assert apply(JudgeSkill(entry_id=first, verdict="accept", reason="good")).done
    assert apply(JudgeSkill(entry_id=two, verdict="merge")).done
    assert apply(JudgeSkill(entry_id=three, verdict="reject")).done
    entries = {entry.entry_id: entry for entry in reader.some([known, first, two, three])}
    skills = {number: entry.content for number, entry in entries.items()}
    assert all(isinstance(skill, SkillMemory) for skill in skills.values())
    assert [getattr(skill, "status") for skill in skills.values()] == [  # noqa: B009
        *("active", "active", "retired", "retired")
    ]
    assert [entries[number].forgotten for number in (first, two, three)] == [False, True, False]
    merged = skills[known]
    assert isinstance(merged, SkillMemory)
    assert (merged.uses, merged.successes, merged.evidence) == (4, 2, ("run 1", "b"))
    assert "judged already" in apply(JudgeSkill(entry_id=first, verdict="reject")).what
    assert "is no skill" in apply(JudgeSkill(entry_id=put(_NOTE), verdict="accept")).what
    lonely = put(_skill("lonely"))
    assert "resembles no skill" in apply(JudgeSkill(entry_id=lonely, verdict="merge")).what
    apply(UndoEdit())
    apply(UndoEdit())
    apply(UndoEdit())
    undone = reader.entry(three)
    assert undone is not None and isinstance(undone.content, SkillMemory)
    assert undone.content.status == "proposed"
    apply(RedoEdit())
    late = put(_skill("late", similar_to=three))
    assert "was rejected or removed" in apply(JudgeSkill(entry_id=late, verdict="merge")).what


def test_skills_that_resemble_one_another_in_a_circle_are_refused(apply: Apply, put: Put) -> None:
    a = put(_skill("a"))
    b = put(_skill("b", similar_to=a))
    edit = PutEntry(game_id="flappy", content=_skill("a", similar_to=b), entry_id=a)
    assert "a circle" in apply(edit).what
    itself = PutEntry(game_id="flappy", content=_skill("a", similar_to=a), entry_id=a)
    assert "a circle" in apply(itself).what


def test_one_writer_at_a_time_and_it_is_named(store: MemoryStore, data: DataFolder) -> None:
    with pytest.raises(DataFolderError, match="is in use by test with process id"):
        MemoryStore.open(data, role="other")
    store.close()
    MemoryStore.open(data, role="other").close()
    with pytest.raises(PitwallError, match="is closed"):
        store.entries("flappy")


def test_vectors_go_with_the_text_they_were_made_of(
    apply: Apply, put: Put, store: MemoryStore, reader: MemoryReader
) -> None:
    import numpy as np

    a, b = put(StateNode(text="a")), put(StateNode(text="b"), "doom")
    vectors = {number: np.arange(4, dtype=np.float32) + number for number in (a, b, 999)}
    store.put_vectors("tiny", vectors)
    store.put_vectors("other", {a: vectors[a]})
    assert reader.embedder() == "other"
    kept = reader.vectors("tiny")
    assert set(kept) == {a, b} and np.array_equal(kept[a], vectors[a]) and kept[a].dtype == np.float32
    assert set(store.vectors("tiny", "doom")) == {b}
    apply(PutEntry(game_id="flappy", content=StateNode(text="a2"), entry_id=a))
    assert set(reader.vectors("tiny")) == {b} and reader.vectors("other") == {}
    apply(FlagEntries(entry_ids=(b,), forgotten=True))
    assert reader.vectors("tiny") == {}
    apply(UndoEdit())
    assert set(reader.vectors("tiny")) == {b}


def test_several_threads_write_and_read(store: MemoryStore, reader: MemoryReader, put: Put) -> None:
    put(_NOTE)
    faults: list[Exception] = []

    def work(edits: list[MemoryEdit]) -> None:
        try:
            for edit in edits:
                assert store.apply([edit], Provenance(author="operator")).done
                reader.page("flappy", None)
        except Exception as error:
            faults.append(error)

    edits: list[MemoryEdit] = [
        PutEntry(game_id="flappy", content=GlobalNote(about="progress", text=f"{n}")) for n in range(20)
    ]
    threads = [threading.Thread(target=work, args=([*edits, TakeSnapshot()],)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert faults == [] and reader.counts("flappy")["note"] == 81


def test_strange_numbers_and_texts_are_refused_or_mended(
    apply: Apply, put: Put, reader: MemoryReader
) -> None:
    entry_id = put(_NOTE)
    assert apply(UndoEdit(batch=2**70)).what == "a number in the edit does not fit into 64 bits."
    assert "is not in the memory" in apply(FlagEntries(entry_ids=(2**70,), pinned=True)).what
    assert apply(FlagEntries(entry_ids=(entry_id,), pinned=True, reason="half \ud83d")).done
    assert apply(TakeSnapshot(name="half \ud83d")).done
    assert [row.name for row in reader.snapshots()] == ["half \ufffd"]
    assert reader.page("flappy", None, search="\ud83d", filters={"author": "\ud83d"}) == ([], 0)
    assert reader.history()[0].by.reason == "half \ufffd"


def test_what_can_be_undone_and_redone_is_known_before_it_is_asked_for(
    apply: Apply, put: Put, reader: MemoryReader
) -> None:
    assert reader.undoable() == (False, False)
    put(_NOTE)
    assert reader.undoable() == (True, False)
    apply(UndoEdit())
    assert reader.undoable() == (False, True)
    apply(RedoEdit())
    assert reader.undoable() == (True, False)
