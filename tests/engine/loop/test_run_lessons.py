"""Tests the lessons of a finished run of any length."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.memory.discovery.recorded_steps import entry, step

from pitwall.core.memory_kinds import SkillMemory
from pitwall.core.paths import DataFolder
from pitwall.core.runs import RunSummary
from pitwall.core.settings import Settings
from pitwall.engine.loop.run_review import RunLessons
from pitwall.games.registry import Registry
from pitwall.memory.retrieval import sentence_vectors


def test_every_use_of_a_skill_counts_also_those_before_the_steps_that_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sentence_vectors, "installed_embedder", lambda: None)  # words are hashed
    session: Any = SimpleNamespace(
        game=Registry(DataFolder(tmp_path)).load("doom"),
        role="",
        episode_key="",
        settings=Settings(),
        logs=tmp_path,
    )
    lessons = RunLessons(session, "")
    for number in range(1, 6001):
        lessons.add(step(number, "forward", progress=number, plan=number, skill="explore"))
    known = SkillMemory(name="explore", when="true", subgoal="x", actions=("forward",))
    summary = RunSummary(outcome="finished", seconds=90.0, steps=6000)
    writes = lessons.of(summary, 1)([entry(5, known, game_id="doom")])
    [used] = [write.content for write in writes if isinstance(write.content, SkillMemory)]
    assert (used.uses, used.successes) == (6000, 5999), "the last one's outcome was not seen"
