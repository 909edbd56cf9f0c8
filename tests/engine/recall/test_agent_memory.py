"""The agent's memory during play: lessons of a run beside the loop's own writes."""

from __future__ import annotations

import threading
from pathlib import Path

from tests.engine.recall.test_kept_by_default_agent import _opened, _until

from pitwall.core.actions import Effect
from pitwall.core.commands import EditMemory
from pitwall.core.memories import FlagEntries, MemoryEntry, Provenance, PutEntry
from pitwall.core.memory_kinds import ActionMemory, GlobalNote, SkillMemory
from pitwall.core.paths import DataFolder
from pitwall.core.telemetry import MemoryChanged, MemoryEdited
from pitwall.engine.recall.write_rules import ActionOutcome
from pitwall.memory.reader import MemoryReader
from pitwall.memory.store import AgentWrite


def test_lessons_beside_the_loop_double_no_entry(tmp_path: Path) -> None:
    data = DataFolder(tmp_path / "data")
    outcome = ActionOutcome(
        before="playing", after="high", action="flap", effect=Effect.CONFIRMED, progressed=True, confidence=1
    )
    note = GlobalNote(about="progress", text="the run is over")
    taught = [AgentWrite(game_id="flappy", content=note, provenance=Provenance(author="agent"))]
    may_go_on = threading.Event()

    def waits(_: list[MemoryEntry]) -> tuple[()]:
        may_go_on.wait(60.0)
        return ()

    with _opened(data) as (memory, records):
        memory.learn_from_run(lambda _: taught)
        memory.learn_from_run(waits)
        memory.learn(outcome)
        memory.learn(outcome)
        memory.pump()  # the first outcome's write waits behind the lessons
        _until(memory, lambda: any(isinstance(record, MemoryChanged) for record in records))
        memory.pump()  # the first lessons are committed, the outcome is not
        may_go_on.set()

        def items() -> list[ActionMemory]:
            contents = (entry.content for entry in MemoryReader(data).entries("flappy"))
            return [content for content in contents if isinstance(content, ActionMemory)]

        _until(memory, lambda: sum(item.attempts for item in items()) == 2)
        assert [item.attempts for item in items()] == [2]


def test_the_lessons_of_a_run_know_the_skills_that_were_forgotten(tmp_path: Path) -> None:
    seen: list[MemoryEntry] = []

    def read(known: list[MemoryEntry]) -> tuple[()]:
        seen.extend(known)
        return ()

    skill = SkillMemory(name="up", when="true", subgoal="up", actions=("flap",), status="proposed")
    with _opened(DataFolder(tmp_path / "data")) as (memory, records):
        memory.edit(EditMemory(edit_id=1, edits=(PutEntry(game_id="flappy", content=skill),)))
        memory.edit(EditMemory(edit_id=2, edits=(FlagEntries(entry_ids=(1,), forgotten=True),)))
        memory.learn_from_run(read)
        _until(memory, lambda: seen and sum(isinstance(record, MemoryEdited) for record in records) == 2)
        assert [(entry.content, entry.forgotten) for entry in seen] == [(skill, True)]
        assert memory.prompt_entries == ()
