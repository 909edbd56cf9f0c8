"""Edits reach the process that holds the memory: a real keeper, or an engine that takes its place."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from tests.console.scripted_session import STATE, ScriptedOpener, state
from tests.pitwall_memory_editor.console.stores import GAME, StoreSession

from pitwall.console.services.bridge import Bridge
from pitwall.console.state.view_state import Phase
from pitwall.core.memories import EditResult, MemoryEdit, PutEntry, UndoEdit
from pitwall.core.memory_kinds import KnowledgeMemory
from pitwall.core.paths import DataFolder
from pitwall.core.telemetry import MemoryChanged, MemoryEdited
from pitwall.memory.reader import MemoryReader
from pitwall.memory.store import MemoryStore
from pitwall.store.lease import holder_of, memory_lock_file
from pitwall_memory_editor.console.port import MemoryPort
from workshop.fixtures.processes import kill

_WAIT_MS = 90_000


@dataclass
class PortHarness:
    """A port, the signals it sent, and a source of engines for its bridge."""

    bridge: Bridge
    port: MemoryPort
    bot: QtBot
    sessions: list[Any]
    results: list[EditResult] = field(default_factory=list)
    failures: list[Any] = field(default_factory=list)

    def wait(self, holds: Callable[[], bool]) -> None:
        self.bot.waitUntil(holds, timeout=_WAIT_MS)

    def edit(self, *edits: MemoryEdit) -> EditResult:
        """Request an edit, and wait for the answer."""
        before = len(self.results)
        self.port.edit(edits or (_fact("Pipes"),))
        self.wait(lambda: len(self.results) > before)
        return self.results[-1]

    def headings(self) -> list[str]:
        entries = MemoryReader(self.bridge.data).entries(GAME)
        return [entry.content.heading for entry in entries if isinstance(entry.content, KnowledgeMemory)]

    @property
    def holder(self) -> str:
        """Return the role that holds the memory's lock; empty for nobody."""
        lock_holder = holder_of(memory_lock_file(self.bridge.data))
        return lock_holder.role if lock_holder is not None else ""


def _fact(heading: str) -> PutEntry:
    return PutEntry(game_id=GAME, content=KnowledgeMemory(heading=heading, text="A gap is 100 px high."))


@pytest.fixture
def post(screen: str, qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[PortHarness]:
    """A port on an empty data folder; its engines have the real store behind them."""
    assert screen
    assert qapp
    sessions: list[Any] = []

    def opener(*asked: Any) -> StoreSession:
        session = StoreSession(*asked)
        sessions.append(session)
        return session

    bridge = Bridge(DataFolder(tmp_path), opener, lambda: ())
    port = MemoryPort(bridge)
    made = PortHarness(bridge, port, qtbot, sessions)
    port.edited.connect(made.results.append)
    port.failed.connect(made.failures.append)
    yield made
    port.close()
    bridge.shutdown()


def test_without_a_game_a_keeper_takes_edits_and_undoes_them(post: PortHarness) -> None:
    changed: list[tuple[Any, ...]] = []
    post.port.changed.connect(lambda *change: changed.append(change))
    result = post.edit()
    assert result.done
    assert result.entry_ids == (1,)
    assert post.headings() == ["Pipes"]
    assert post.holder == "memory-keeper"
    assert post.edit(UndoEdit()).done
    assert post.headings() == []
    post.wait(lambda: len(changed) == 2)
    assert changed[0] == ((1,), ("knowledge",), "operator")


def test_whoever_asked_gets_the_answer(post: PortHarness) -> None:
    answers: list[EditResult] = []
    post.port.edit((_fact("Pipes"),), answers.append)
    assert post.port.busy
    post.port.edit((PutEntry(game_id=GAME, content=KnowledgeMemory(heading="x", text="")),), answers.append)
    post.wait(lambda: len(answers) == 2)
    assert answers[0].done
    assert "text is empty" in answers[1].what
    assert not post.port.busy


def test_a_keeper_makes_way_for_an_engine_and_comes_back_after_it(post: PortHarness) -> None:
    post.edit()
    post.bridge.open_game(GAME)
    assert post.bridge.state.phase is Phase.OPENING
    assert not post.sessions, "the keeper still holds the memory"
    post.port.edit((_fact("Asked while the game opens"),))
    post.wait(lambda: bool(post.sessions))
    post.sessions[0].tell(state(STATE.READY))
    post.wait(lambda: len(post.results) == 2)
    assert post.holder == "engine"
    assert post.headings() == ["Pipes", "Asked while the game opens"]
    assert post.edit(_fact("To the engine")).done
    post.bridge.close_game()
    post.wait(lambda: post.bridge.state.phase is Phase.EMPTY)
    assert post.edit(_fact("To a keeper again")).done
    assert post.holder == "memory-keeper"
    assert len(post.headings()) == 4


def test_an_edit_under_way_is_finished_and_answered_before_the_game_opens(post: PortHarness) -> None:
    post.edit()
    edits = tuple(_fact(f"fact {number}") for number in range(3_000))
    post.port.edit(edits)
    post.bridge.open_game(GAME)
    post.wait(lambda: len(post.results) == 2)
    assert len(post.results[1].entry_ids) == 3_000
    post.wait(lambda: bool(post.sessions))


def test_a_game_that_was_called_off_leaves_the_console_without_one(post: PortHarness) -> None:
    post.edit()
    post.bridge.open_game(GAME)
    post.bridge.close_game()
    post.wait(lambda: post.bridge.state.phase is Phase.EMPTY)
    assert not post.sessions
    assert post.edit(_fact("Gravity")).done


def test_a_locked_memory_is_refused_with_who_holds_it_and_works_once_it_is_free(post: PortHarness) -> None:
    with MemoryStore.open(post.bridge.data, role="memory import"):
        refused = post.edit()
        assert f"in use by memory import with process id {os.getpid()}" in refused.what
        assert refused.fix
        assert len(post.failures) == 1
    assert post.edit().done


def test_a_killed_keeper_loses_nothing_that_was_answered_and_another_takes_over(post: PortHarness) -> None:
    post.edit()
    holder = holder_of(memory_lock_file(post.bridge.data))
    assert holder is not None
    kill(holder.pid)
    post.wait(lambda: bool(post.failures))
    assert post.edit(_fact("After the kill")).done
    assert post.headings() == ["Pipes", "After the kill"]


def test_a_keeper_that_is_asked_nothing_lets_the_memory_go(
    screen: str, qapp: QApplication, qtbot: QtBot, tmp_path: Path
) -> None:
    assert screen
    assert qapp
    bridge = Bridge(DataFolder(tmp_path), ScriptedOpener(), lambda: ())
    port = MemoryPort(bridge, idle_ms=300)
    made = PortHarness(bridge, port, qtbot, [])
    port.edited.connect(made.results.append)
    try:
        assert made.edit().done
        made.wait(lambda: made.holder == "")
        assert made.edit(_fact("Later")).done
    finally:
        port.close()
        bridge.shutdown()


def test_an_engine_that_dies_before_it_answers_leaves_no_edit_waiting(
    screen: str, qapp: QApplication, qtbot: QtBot, tmp_path: Path
) -> None:
    assert screen
    assert qapp
    opener = ScriptedOpener()
    bridge = Bridge(DataFolder(tmp_path), opener, lambda: ())
    port = MemoryPort(bridge)
    made = PortHarness(bridge, port, qtbot, [])
    port.edited.connect(made.results.append)
    try:
        bridge.open_game(GAME)
        opener.last.tell(state(STATE.READY))
        made.wait(lambda: port.place == "engine")
        port.edit((_fact("Pipes"),))
        opener.last.die()
        made.wait(lambda: len(made.results) == 1)
        assert "not known" in made.results[0].what
        assert port.place == "keeper"
    finally:
        port.close()
        bridge.shutdown()


def test_the_agents_writes_are_reported(post: PortHarness) -> None:
    changed: list[tuple[Any, ...]] = []
    post.port.changed.connect(lambda *change: changed.append(change))
    post.bridge.open_game(GAME)
    post.wait(lambda: bool(post.sessions))
    post.sessions[0].tell(
        MemoryEdited(edit_id=99, result=EditResult()), MemoryChanged(entry_ids=(7,), kinds=("action",))
    )
    post.wait(lambda: bool(changed))
    assert changed == [((7,), ("action",), "agent")]
    assert post.results == [], "nobody here asked for edit 99"
