"""What the agent remembers, with real processes: learnt, edited in mid-play, kept through a kill."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.end_to_end.conftest import MakeGame, MakePit
from tests.end_to_end.driver import LONG_HOLDS, Pit, kill, until, until_up
from tests.end_to_end.game import SmallGame
from tests.patience import patient

from pitwall.core import commands, telemetry
from pitwall.core.memories import FlagEntries, MemoryEntry, PutEntry, UndoEdit
from pitwall.core.memory_fields import MemoryKind
from pitwall.core.memory_kinds import ActionMemory, SkillMemory
from pitwall.core.paths import DataFolder
from pitwall.core.retrieval import Retrieval
from pitwall.core.telemetry import EngineState
from pitwall.memory.reader import MemoryReader
from pitwall.store.run_reader import RunReader
from workshop.fixtures.simulated_person import SimulatedPerson

pytestmark = pytest.mark.screen

GAME = "small-game"
_LAST_STEPS = 20
EASILY = LONG_HOLDS.with_value("memory", "hint_at", 0.2).with_value("memory", "embedder", "")
"""The game's one field changes with every frame: states are never quite alike."""


@pytest.fixture(scope="module")
def learning(screen: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pit]:
    """An engine for the tests that leave it playing; each takes back what it edited."""
    assert screen
    folder = tmp_path_factory.mktemp("learning")
    game = SmallGame(folder, ("tap", "tap"))
    game.open()
    game.window_id()
    pit = Pit(patient(DataFolder(folder / "data")), game.folder, settings=EASILY)
    pit.play()
    yield pit
    pit.close()
    game.close()


@pytest.fixture
def playing(learning: Pit) -> Pit:
    """It has learnt something, and plays."""
    learning.until(lambda: _actions(learning.data), "something to be learnt")
    learning.until(lambda: learning.state is EngineState.PLAYING, "the agent to play")
    return learning


@pytest.fixture
def fresh(make_game: MakeGame, make_pit: MakePit) -> Pit:
    """An engine of the test's own that has only begun to learn."""
    pit = make_pit(make_game("tap", "tap"), settings=EASILY)
    pit.play()
    pit.until(lambda: _actions(pit.data), "something to be learnt")
    return pit


def _actions(data: DataFolder) -> list[MemoryEntry]:
    return MemoryReader(data).page(GAME, MemoryKind.ACTION)[0] if data.memory.exists() else []


def _edit(pit: Pit, *edits: object) -> telemetry.MemoryEdited:
    pit.send(commands.EditMemory(edit_id=7, edits=edits))  # type: ignore[arg-type]
    return pit.expect(telemetry.MemoryEdited)


def _next(pit: Pit, wanted: str) -> Retrieval:
    """The next retrieval whose hints hold a text."""
    return pit.expect(
        telemetry.Retrieved, lambda note: any(wanted in hint for hint in note.retrieval.hints)
    ).retrieval


def test_a_run_teaches_and_the_next_one_begins_with_it(playing: Pit) -> None:
    pit = playing
    pit.send(commands.Stop())
    run_id = pit.expect(telemetry.RunEnded).run_id
    pit.until(lambda: MemoryReader(pit.data).page(GAME, MemoryKind.EPISODE)[0], "the run's episode")
    learnt = _actions(pit.data)
    assert {entry.content.action for entry in learnt if isinstance(entry.content, ActionMemory)} == {"tap"}
    assert all((entry.provenance.author, entry.provenance.run_id) == ("agent", run_id) for entry in learnt)
    assert all(entry.provenance.step and entry.provenance.reason for entry in learnt)
    pit.send(commands.Start())
    again = pit.expect(telemetry.RunBegan)
    first = RunReader.open(pit.data).run(run_id).manifest.memory
    assert len(again.manifest.memory) == 64 and again.manifest.memory != first
    retrieval = pit.expect(telemetry.Retrieved, lambda note: bool(note.retrieval.hints)).retrieval
    assert "tap" in retrieval.hints[0] and retrieval.considered >= 1
    pit.until(
        lambda: RunReader.open(pit.data).retrieval(again.run_id, retrieval.step), "the retrieval to be kept"
    )


def test_an_edit_in_mid_play_changes_the_next_decisions_hints(fresh: Pit) -> None:
    pit = fresh
    hits = [
        ActionMemory(state=state, action="hit", reward=1.0, successes=40, attempts=40, at_s=time.time())
        for state in _states(pit)
    ]
    known = next(entry for entry in _actions(pit.data) if isinstance(entry.content, ActionMemory))
    edited = _edit(
        pit,
        *(PutEntry(game_id=GAME, content=hit, pinned=True, reason="hitting is better") for hit in hits),
        FlagEntries(entry_ids=(known.entry_id,), forgotten=True),
    )
    assert edited.result.done, edited.result
    retrieval = _next(pit, "hit")
    best = retrieval.candidates[0]
    assert (best.action, best.entry_id in edited.result.entry_ids) == ("hit", True)
    assert known.entry_id not in {candidate.entry_id for candidate in retrieval.candidates}
    undone = _edit(pit, UndoEdit())
    assert undone.result.done
    pit.expect(
        telemetry.Retrieved,
        lambda note: best.entry_id not in {candidate.entry_id for candidate in note.retrieval.candidates},
    )


def test_a_skill_of_the_operator_is_fired_from_the_next_plan_on(playing: Pit) -> None:
    pit = playing
    skill = SkillMemory(
        name="hit instead", when="status == 'playing'", subgoal="hit", actions=("hit",), priority=50
    )
    assert _edit(pit, PutEntry(game_id=GAME, content=skill, reason="I want to see it hit")).result.done
    pit.expect(telemetry.StepNote, lambda note: note.step.action.name == "hit")
    plan = pit.steps[-1].proposal
    assert plan is not None and plan.source == "skill:hit instead"
    assert _edit(pit, UndoEdit()).result.done
    pit.expect(telemetry.StepNote, lambda note: note.step.action.name == "tap")


def test_an_edit_of_the_skill_in_force_ends_its_plan(playing: Pit) -> None:
    pit = playing
    skill = SkillMemory(
        name="hit on and on",
        when="status == 'playing'",
        subgoal="hit",
        actions=("hit",),
        priority=50,
        steps=1000,
    )
    put = _edit(pit, PutEntry(game_id=GAME, content=skill)).result
    pit.expect(telemetry.StepNote, lambda note: note.step.action.name == "hit")
    other = PutEntry(game_id=GAME, content=replace(skill, actions=("tap",)), entry_id=put.entry_ids[0])
    assert _edit(pit, other).result.done
    pit.expect(telemetry.StepNote, lambda note: note.step.action.name == "tap")
    plan = pit.steps[-1].proposal
    assert plan is not None and (plan.skill, len(plan.candidates)) == (skill.name, 1)
    for _ in range(2):
        assert _edit(pit, UndoEdit()).result.done


def test_a_bad_edit_is_refused_in_words_and_the_agent_plays_on(playing: Pit) -> None:
    pit = playing
    before = len(pit.steps)
    refused = _edit(pit, FlagEntries(entry_ids=(987_654,), pinned=True))
    assert not refused.result.done and "987" in refused.result.what
    pit.until(lambda: len(pit.steps) > before + 1, "the agent to play on")


def test_a_killed_engine_loses_nothing_that_was_learnt(
    fresh: Pit, make_pit: MakePit, hands: SimulatedPerson
) -> None:
    pit = fresh
    edited = _edit(pit, PutEntry(game_id=GAME, content=ActionMemory(state="kept", action="tap")))
    known = {entry.entry_id for entry in _actions(pit.data)}
    kill(pit.session.pid)
    until_up(hands)
    pit.until(lambda: pit.death, "the engine's end to be told")
    again = make_pit(pit.game)
    again.play()
    again.until(
        lambda: [
            note
            for note in again.all_heard(telemetry.MemoryOpened)
            if note.counts.get("action", 0) >= len(known)
        ],
        "the memory to be open again",
    )
    assert {entry.entry_id for entry in _actions(pit.data)} >= known | set(edited.result.entry_ids)
    until(lambda: again.state, "a state")


def _states(pit: Pit) -> set[str]:
    """The states of the last steps: which of them come again depends on the machine's speed."""

    def queries() -> list[str]:
        return [message.retrieval.query for message in pit.all_heard(telemetry.Retrieved)[-_LAST_STEPS:]]

    pit.until(lambda: len(queries()) == _LAST_STEPS, "some steps to be played")
    return set(queries())
