"""The keeper: edits by command, in a real process; one desk for it and the engine."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pitwall.core import commands, telemetry
from pitwall.core.errors import ChannelClosed
from pitwall.core.memories import FlagEntries, MemoryEdit, PurgeEntries, PutEntry, TakeSnapshot, UndoEdit
from pitwall.core.memory_kinds import GlobalNote, StateNode
from pitwall.core.paths import DataFolder
from pitwall.link.channel import CHANNEL_OPTION, Channel, pair
from pitwall.link.child_process import Child
from pitwall.link.engine_session import COMMANDS, TELEMETRY
from pitwall.memory.keeper import ROLE, MemoryEditHandler
from pitwall.memory.reader import MemoryReader
from pitwall.memory.store import MemoryStore

_PATIENCE_S = 60.0


class _Keeper:
    def __init__(self, data: DataFolder) -> None:
        ours, theirs = pair()
        self.child = Child(
            ROLE, ["--data", str(data.root)], sockets={CHANNEL_OPTION: theirs}, log=data.logs / "keeper.log"
        )
        self.channel: Channel[Any, Any] = Channel(ours, COMMANDS, TELEMETRY)
        self.told: list[Any] = []

    def edit(self, edit_id: int, *edits: MemoryEdit) -> None:
        self.channel.send(commands.EditMemory(edit_id=edit_id, edits=edits))

    def wait_for(self, count: int) -> list[Any]:
        deadline = time.monotonic() + _PATIENCE_S
        while len(self.told) < count and time.monotonic() < deadline:
            self.told += [message for message, _ in self.channel.wait(1.0)]
        assert len(self.told) >= count, self.child.last_words()
        return self.told


@pytest.fixture
def start(data: DataFolder) -> Iterator[Callable[[], _Keeper]]:
    started: list[_Keeper] = []

    def make() -> _Keeper:
        started.append(_Keeper(data))
        return started[-1]

    yield make
    for keeper in started:
        keeper.channel.close()
        keeper.child.end()


def test_edits_are_answered_and_told_and_the_lock_is_free_afterwards(
    start: Callable[[], _Keeper], data: DataFolder
) -> None:
    keeper = start()
    keeper.edit(1, PutEntry(game_id="flappy", content=StateNode(text="low")), TakeSnapshot(name="a"))
    keeper.edit(2, FlagEntries(entry_ids=(9,), pinned=True))
    keeper.edit(3, UndoEdit())
    opened, first, changed, second, third, again = keeper.wait_for(6)
    assert isinstance(opened, telemetry.MemoryOpened) and opened.counts["node"] == 0
    assert (first.edit_id, first.result.done, first.result.entry_ids) == (1, True, (1,))
    assert first.result.content_hash
    assert changed == telemetry.MemoryChanged(entry_ids=(1,), kinds=("node",), author="operator")
    assert (second.edit_id, second.result.what) == (2, "entry 9 is not in the memory.")
    assert third.result.batch == first.result.batch and isinstance(again, telemetry.MemoryChanged)
    keeper.channel.send(commands.Quit())
    assert keeper.child.end(_PATIENCE_S) == 0
    with MemoryStore.open(data, role="test") as store:
        assert store.entries("flappy") == []


def test_a_second_keeper_says_who_holds_the_memory(start: Callable[[], _Keeper]) -> None:
    first = start()
    first.wait_for(1)
    second = start()
    [fault] = second.wait_for(1)
    assert isinstance(fault, telemetry.Fault)
    assert f"is in use by {ROLE} with process id {first.child.pid}" in fault.what
    assert second.child.end(_PATIENCE_S) == 1


def test_it_ends_with_its_channel(start: Callable[[], _Keeper], data: DataFolder) -> None:
    keeper = start()
    keeper.wait_for(1)
    keeper.channel.close()
    assert keeper.child.end(_PATIENCE_S) == 0
    MemoryStore.open(data, role="test").close()


def test_a_killed_keeper_loses_nothing_that_it_answered(
    start: Callable[[], _Keeper], data: DataFolder
) -> None:
    keeper = start()
    keeper.edit(1, PutEntry(game_id="flappy", content=GlobalNote(about="failure", text="kept")))
    keeper.wait_for(3)
    keeper.child.process.kill()
    keeper.child.process.wait()
    with pytest.raises(ChannelClosed):
        while True:
            keeper.channel.wait(1.0)
    assert MemoryReader(data).counts("flappy")["note"] == 1


def test_a_desk_tells_views_to_read_all_anew_where_much_changed(store: MemoryStore) -> None:
    desk = MemoryEditHandler(store)
    many = tuple(PutEntry(game_id="flappy", content=StateNode(text=f"{n}")) for n in range(5_001))
    edited, changed = desk.answer(commands.EditMemory(edit_id=7, edits=many))
    assert isinstance(edited, telemetry.MemoryEdited) and len(edited.result.entry_ids) == 5_001
    assert changed == telemetry.MemoryChanged(entry_ids=(), kinds=("node",), author="operator")
    opened = desk.opened("flappy", snapshot="ab")
    assert (opened.counts["node"], opened.forgotten, opened.snapshot) == (5_001, 0, "ab")


def test_what_a_command_writes_for_the_agent_is_the_agents(store: MemoryStore) -> None:
    desk = MemoryEditHandler(store)
    put = PutEntry(game_id="flappy", content=StateNode(text="a"), reason="learned by playing")
    edited, changed = desk.answer(commands.EditMemory(edit_id=1, edits=(put,), author="agent"))
    assert isinstance(edited, telemetry.MemoryEdited) and isinstance(changed, telemetry.MemoryChanged)
    assert changed.author == "agent"
    (entry,) = store.entries("flappy")
    assert (entry.provenance.author, entry.changed_by.reason) == ("agent", "learned by playing")
    purge = PurgeEntries(entry_ids=(entry.entry_id,))
    [refused] = desk.answer(commands.EditMemory(edit_id=2, edits=(purge,), author="agent"))
    assert isinstance(refused, telemetry.MemoryEdited) and "the operator's alone" in refused.result.what


def test_a_disk_that_fails_is_an_answer_not_a_death(store: MemoryStore, tmp_path: Path) -> None:
    desk = MemoryEditHandler(store)
    store.close()
    edit = PutEntry(game_id="flappy", content=StateNode(text="a"))
    [edited] = desk.answer(commands.EditMemory(edit_id=1, edits=(edit,)))
    assert isinstance(edited, telemetry.MemoryEdited) and "is closed" in edited.result.what
    assert not list(tmp_path.glob("*.partial"))
