"""What the default agent learned stays in the memory, where an edit of the operator counts, too."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.patience import LIGHT

from pitwall.core import commands, telemetry
from pitwall.core.memories import PutEntry
from pitwall.core.memory_kinds import ActionMemory
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings
from pitwall.engine.control.default_agent import KEPT_TAG
from pitwall.engine.recall.agent_memory import AgentMemory
from pitwall.engine.recall.embedder import Embedder
from pitwall.games.registry import Registry
from pitwall.models.spec import ModelSpec

_SETTINGS = LIGHT
_PATIENCE_S = 60.0
_LEFT = ActionMemory(
    state="screen playing with ball_x_below_bat_x", action="left", attempts=3, reward=0.5, tag=KEPT_TAG
)
_LESSON = ActionMemory(state="playing", action="left", attempts=7, reward=1.0, tag="explore")


class _NoHost:
    """Words are hashed here: a host that is asked is a fault."""

    generation = 0

    def pump_letters(self) -> list[Any]:
        return []

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"the host was asked: {name}")


def _unasked(name: str) -> ModelSpec:
    raise AssertionError(f"a model was asked for: {name}")


@contextmanager
def _opened(data: DataFolder, settings: Settings = _SETTINGS) -> Iterator[tuple[AgentMemory, list[Any]]]:
    records: list[Any] = []
    embedder = Embedder(_NoHost(), lambda: settings.memory, _unasked)  # type: ignore[arg-type]
    memory = AgentMemory(data, Registry(data).load("flappy"), embedder, lambda: settings, records.append)
    _until(memory, lambda: any(isinstance(record, telemetry.MemoryOpened) for record in records))
    yield memory, records
    memory.close()


def _until(memory: AgentMemory, holds: Callable[[], object]) -> None:
    until_s = time.monotonic() + _PATIENCE_S
    while not holds():
        assert time.monotonic() < until_s
        memory.pump()
        time.sleep(0.01)


def test_what_was_learned_stays_is_edited_and_goes_on(tmp_path: Path) -> None:
    data = DataFolder(tmp_path / "data")
    with _opened(data) as (memory, records):
        memory.keep_explored([_LEFT])
        _until(memory, memory.explored)
        [(kept, number)] = memory.explored().items()
        assert kept == _LEFT
        lesson = PutEntry(game_id="flappy", content=_LESSON)  # of its steps, as every agent keeps them
        memory.edit(commands.EditMemory(edit_id=2, edits=(lesson,)))
        put = PutEntry(game_id="flappy", content=replace(_LEFT, reward=-2.0), entry_id=number)
        memory.edit(commands.EditMemory(edit_id=1, edits=(put,)))
        _until(memory, lambda: next(iter(memory.explored())).reward == -2.0)
        assert any(isinstance(record, telemetry.MemoryEdited) and record.result.done for record in records)
        memory.keep_explored([replace(_LEFT, reward=-1.0, attempts=9)])
        _until(memory, lambda: next(iter(memory.explored())).attempts == 9)
        assert list(memory.explored().values()) == [number], "the entry is written over, not doubled"
    with _opened(data) as (memory, _):
        [(kept, again)] = memory.explored().items()
        assert (kept.reward, kept.attempts, again) == (-1.0, 9, number)
    with _opened(data, _SETTINGS.with_value("memory", "action_bank", False)) as (memory, _):
        assert memory.explored() == {}
