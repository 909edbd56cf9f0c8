"""Any sequence of edits, agent's writes, undoings and reopenings leaves what a plain model says."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from pitwall.core.memories import FlagEntries, Provenance, PutEntry, RedoEdit, UndoEdit
from pitwall.core.memory_kinds import GlobalNote
from pitwall.core.paths import DataFolder
from pitwall.memory.store import AgentWrite, MemoryStore

_ENTRIES = 3
"""Few, so that edits meet."""
_OPERATOR = Provenance(author="operator")


@dataclass(frozen=True)
class _State:
    text: str
    pinned: bool = False
    forgotten: bool = False
    there: bool = True


@dataclass
class _Row:
    """What one batch did to one entry; `before` of a made entry is not there."""

    batch: int
    entry: int
    before: _State
    after: _State

    def aspects(self) -> set[str]:
        if not self.before.there:
            return {"text", "pinned", "standing"}
        result = {"text"} if self.before.text != self.after.text else set()
        result |= {"pinned"} if self.before.pinned != self.after.pinned else set()
        return result | ({"standing"} if self.before.forgotten != self.after.forgotten else set())


class _Memory(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.store = MemoryStore.open(DataFolder(self.folder), role="test")
        self.entries: dict[int, _State] = {}
        self.rows: list[_Row] = []
        self.undone: list[int] = []
        self.lost: set[int] = set()
        self.agents: set[int] = set()
        self.texts = 0

    def teardown(self) -> None:
        self.store.close()
        shutil.rmtree(self.folder)

    # ---- what is done

    @precondition(lambda self: len(self.entries) < _ENTRIES)
    @rule(pinned=st.booleans())
    def add(self, pinned: bool) -> None:
        content = self._fresh()
        result = self.store.apply([PutEntry(game_id="g", content=content, pinned=pinned)], _OPERATOR)
        [entry] = result.entry_ids
        self._operator(result.batch, {entry: _State(content.text, pinned)}, new=True)

    @precondition(lambda self: self.entries)
    @rule(pick=st.integers(0, 10**6), count=st.integers(1, 3))
    def edit(self, pick: int, count: int) -> None:
        chosen = self._choose(pick, count)
        contents = {entry: self._fresh() for entry in chosen}
        edits = [PutEntry(game_id="g", content=new, entry_id=entry) for entry, new in contents.items()]
        result = self.store.apply(edits, _OPERATOR)
        if any(not self.entries[entry].there for entry in chosen):
            assert result.conflicts
            return
        after = {entry: replace(self.entries[entry], text=new.text) for entry, new in contents.items()}
        self._operator(result.batch, after)

    @precondition(lambda self: self.entries)
    @rule(
        pick=st.integers(0, 10**6),
        count=st.integers(1, 3),
        pinned=st.sampled_from([True, False, None]),
        forgotten=st.sampled_from([True, False, None]),
    )
    def flag(self, pick: int, count: int, pinned: bool | None, forgotten: bool | None) -> None:
        chosen = self._choose(pick, count)
        flags = FlagEntries(entry_ids=tuple(chosen), pinned=pinned, forgotten=forgotten)
        result = self.store.apply([flags], _OPERATOR)
        if any(not self.entries[entry].there for entry in chosen):
            assert "is not in the memory" in result.what
            return
        after = {}
        for entry in chosen:
            old = self.entries[entry]
            after[entry] = replace(
                old,
                pinned=old.pinned if pinned is None else pinned,
                forgotten=old.forgotten if forgotten is None else forgotten,
            )
        self._operator(
            result.batch, {entry: new for entry, new in after.items() if new != self.entries[entry]}
        )

    @precondition(lambda self: self.entries)
    @rule(pick=st.integers(0, 10**6), pinned=st.booleans())
    def edit_and_flag(self, pick: int, pinned: bool) -> None:
        [entry] = self._choose(pick, 1)
        old, content = self.entries[entry], self._fresh()
        put = PutEntry(game_id="g", content=content, entry_id=entry)
        flag = FlagEntries(entry_ids=(entry,), pinned=pinned)
        again = PutEntry(game_id="g", content=self._fresh(), entry_id=entry)
        result = self.store.apply([put, flag, again], _OPERATOR)
        if not old.there:
            assert result.conflicts
            return
        assert isinstance(again.content, GlobalNote)
        self._operator(result.batch, {entry: replace(old, text=again.content.text, pinned=pinned)})

    @rule(pick=st.integers(0, 10**6), run=st.integers(1, 2), new=st.booleans(), times=st.integers(1, 3))
    def learn(self, pick: int, run: int, new: bool, times: int) -> None:
        for _ in range(times):
            self._learn(pick, run, new)

    def _learn(self, pick: int, run: int, new: bool) -> None:
        new = not self.entries or (new and len(self.entries) < _ENTRIES)
        entry = None if new else self._choose(pick, 1)[0]
        content = self._fresh()
        by = Provenance(author="agent", run_id=run, step=1)
        [written] = self.store.write(
            [AgentWrite(entry_id=entry, game_id="g", content=content, provenance=by)]
        )
        assert written is not None
        old = None if entry is None else self.entries[entry]
        if old is not None and old.there and (old.pinned or old.forgotten):
            assert written.content == GlobalNote(about="progress", text=old.text)
            return
        batch = self.store_batch(written.entry_id)
        self.agents.add(batch)
        if old is None or not old.there:
            self.rows.append(_Row(batch, written.entry_id, _State("", there=False), _State(content.text)))
        else:
            mine = [row for row in self.rows if row.entry == written.entry_id]
            after = replace(old, text=content.text)
            if mine and mine[-1].batch == batch:
                mine[-1].after = after
            else:
                self.rows.append(_Row(batch, written.entry_id, old, after))
        self.entries[written.entry_id] = _State(content.text)

    @rule(times=st.integers(1, 3))
    def undo(self, times: int) -> None:
        for _ in range(times):
            self._undo(None)

    @rule(pick=st.integers(0, 10**6))
    def undo_named(self, pick: int) -> None:
        self._undo(pick)

    @rule(times=st.integers(1, 3))
    def redo(self, times: int) -> None:
        for _ in range(times):
            self._redo()

    def _undo(self, pick: int | None) -> None:
        batches = sorted({row.batch for row in self.rows})
        holding = [batch for batch in batches if batch not in self.undone and batch not in self.lost]
        if pick is not None and holding:
            batch = holding[-1 - pick % min(len(holding), 4)]
            result = self.store.apply([UndoEdit(batch=batch)], _OPERATOR)
        else:
            result = self.store.apply([UndoEdit()], _OPERATOR)
            mine = [entry for entry in holding if entry not in self.agents]
            if not mine:
                assert result.what == "there is nothing to undo."
                return
            batch = mine[-1]
        if clashing := self._clashing(batch):
            assert {conflict.entry_id for conflict in result.conflicts} == clashing
            return
        assert result.batch == batch, result
        for row in reversed([row for row in self.rows if row.batch == batch]):
            self._lay(row, row.before)
        self.undone.append(batch)

    def _redo(self) -> None:
        result = self.store.apply([RedoEdit()], _OPERATOR)
        if not self.undone:
            assert result.what == "there is nothing to redo."
            return
        batch = self.undone[-1]
        if clashing := self._clashing(batch):
            assert {conflict.entry_id for conflict in result.conflicts} == clashing
            return
        assert result.batch == batch, result
        for row in [row for row in self.rows if row.batch == batch]:
            self._lay(row, row.after)
        self.undone.pop()

    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.store = MemoryStore.open(DataFolder(self.folder), role="test")

    @invariant()
    def the_memory_is_the_model(self) -> None:
        for forgotten in (False, True):
            result = {
                entry.entry_id: (entry.content, entry.pinned)
                for entry in self.store.entries("g", forgotten=forgotten)
            }
            wanted = {
                entry: (GlobalNote(about="progress", text=state.text), state.pinned)
                for entry, state in self.entries.items()
                if state.there and state.forgotten is forgotten
            }
            assert result == wanted

    # ---- inside

    def store_batch(self, entry: int) -> int:
        with self.store._reading() as connection:
            return int(
                connection.exec_driver_sql(
                    "SELECT batch FROM changes WHERE entry_id = ? ORDER BY change_id DESC LIMIT 1", (entry,)
                ).scalar_one()
            )

    def _fresh(self) -> GlobalNote:
        self.texts += 1
        return GlobalNote(about="progress", text=f"text {self.texts}")

    def _choose(self, pick: int, count: int) -> list[int]:
        known = sorted(self.entries)
        return sorted({known[(pick + offset) % len(known)] for offset in range(count)})

    def _operator(self, batch: int, after: dict[int, _State], *, new: bool = False) -> None:
        if not after:
            assert batch == 0
            return
        self.lost |= set(self.undone)
        self.undone = []
        for entry, state in after.items():
            before = _State("", there=False) if new else self.entries[entry]
            self.rows.append(_Row(batch, entry, before, state))
            self.entries[entry] = state

    def _clashing(self, batch: int) -> set[int]:
        clashing = set()
        for index, row in enumerate(self.rows):
            if row.batch != batch:
                continue
            for later in self.rows[index + 1 :]:
                holds = later.batch not in self.undone and later.batch not in self.lost
                same = later.entry == row.entry and later.batch != batch
                meets = bool(row.aspects() & later.aspects()) or not row.before.there
                if holds and same and meets:
                    clashing.add(row.entry)
        return clashing

    def _lay(self, row: _Row, state: _State) -> None:
        now, aspects = self.entries[row.entry], row.aspects()
        if not row.before.there:
            self.entries[row.entry] = replace(
                now, there=state.there, pinned=state.pinned, forgotten=state.forgotten
            )
            if state.there:
                self.entries[row.entry] = replace(self.entries[row.entry], text=row.after.text)
            return
        self.entries[row.entry] = replace(
            now,
            text=state.text if "text" in aspects else now.text,
            pinned=state.pinned if "pinned" in aspects else now.pinned,
            forgotten=state.forgotten if "standing" in aspects else now.forgotten,
        )


TestMemory = _Memory.TestCase
TestMemory.settings = settings(
    max_examples=20,
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=True,
)
