"""What a run leaves behind: its episode, use counts, skills through the gate, procedures."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.memory.discovery.recorded_steps import doom_profile, doom_steps, entry, step

from pitwall.core.actions import Effect, Invalid
from pitwall.core.memories import MemoryEntry
from pitwall.core.memory_kinds import EpisodeMemory, ProcedureMemory, SkillMemory
from pitwall.core.runs import RunSummary
from pitwall.core.settings import MemorySettings, Settings
from pitwall.core.steps import StepRecord
from pitwall.memory.discovery.procedures import procedures_of
from pitwall.memory.discovery.run_update import MOST_PROPOSED, RunUpdate, run_update, weigh_drafts
from pitwall.memory.discovery.skill_usage import count_uses, with_use_counts
from pitwall.memory.episodes import EpisodeFacts
from pitwall.memory.retrieval.hashing_embedder import HashingEmbedder

EMBEDDER = HashingEmbedder()
SUMMARY = RunSummary(outcome="finished", seconds=90.0, steps=161)


def taught(
    *known: MemoryEntry,
    steps: tuple[StepRecord, ...] | None = None,
    settings: dict[str, dict[str, object]] | None = None,
) -> RunUpdate:
    return run_update(
        doom_steps() if steps is None else steps,
        SUMMARY,
        doom_profile(),
        known,
        lambda text: EMBEDDER.embed([text])[0],
        Settings.model_validate(settings or {}),
        run_id=3,
        episode_key="role=",
        facts=EpisodeFacts(progress=243),
    )


def skills(result: RunUpdate) -> list[SkillMemory]:
    return [write.content for write in result.writes if isinstance(write.content, SkillMemory)]


def as_entries(result: RunUpdate) -> list[MemoryEntry]:
    return [
        replace(entry(number, write.content, game_id="doom", run_id=3), provenance=write.provenance)
        for number, write in enumerate(result.writes, 1)
    ]


# ---- a run that was really played


def test_a_recorded_run_leaves_episode_skills_and_procedures() -> None:
    result = taught()
    (episode,) = [write.content for write in result.writes if isinstance(write.content, EpisodeMemory)]
    assert (episode.key, episode.run_id) == ("role=", 3) and "161 steps" in episode.text
    assert all(write.entry_id is None and write.game_id == "doom" for write in result.writes)
    assert all(write.provenance.run_id == 3 and write.provenance.author == "agent" for write in result.writes)
    first = skills(result)[0]
    assert first.status == "proposed" and first.actions == ("turn_left(ms=480)", "forward(ms=900)")
    text = " ".join(first.evidence)
    assert "Run 3, steps 8–11" in text and "cosine" in text and "better in 3 of 3 resamplings" in text
    procedures = {
        write.content.action: write.content
        for write in result.writes
        if isinstance(write.content, ProcedureMemory)
    }
    assert procedures["forward"].construction == "forward(ms=900)"
    assert 0 < procedures["forward"].successes < procedures["forward"].attempts
    assert len(skills(result)) <= MOST_PROPOSED
    assert all(
        item.write is None for item in result.weighed if item.trial and item.trial.verdict == "refused"
    )
    assert result == taught(), "a pure function"


def test_the_same_run_again_only_adds_to_what_waits() -> None:
    first = taught()
    again = taught(*as_entries(first))
    assert {skill.name for skill in skills(again)} <= {skill.name for skill in skills(first)}
    proposed = [write for write in again.writes if isinstance(write.content, SkillMemory)]
    assert proposed and all(item.entry_id is not None for item in proposed), "updates, nothing new"
    before = {
        write.content.action: write.content
        for write in first.writes
        if isinstance(write.content, ProcedureMemory)
    }
    for write in again.writes:
        if isinstance(write.content, ProcedureMemory):
            assert write.content.attempts == 2 * before[write.content.action].attempts


def test_what_was_rejected_is_not_proposed_again() -> None:
    first = taught()
    rejected = [
        replace(entry, content=replace(entry.content, status="retired"))
        for entry in as_entries(first)
        if isinstance(entry.content, SkillMemory)
    ]
    again = taught(*rejected)
    assert {skill.status for skill in skills(again)} <= {"retired"}
    renamed = replace(rejected[0], content=replace(skills(first)[0], name="mine", status="retired"))
    assert taught(renamed).weighed[0].verdict.level == "duplicate"


@pytest.mark.parametrize(
    ("settings", "kinds"),
    [
        ({"layers": {"l4": "freeze"}}, {"skill", "procedure"}),
        ({"layers": {"l5": "freeze"}}, {"episode", "procedure"}),
        ({"layers": {"l4": "disable", "l5": "disable"}}, {"procedure"}),
        ({"memory": {"write": False}}, set()),
    ],
)
def test_switches_say_what_is_written(settings: dict[str, dict[str, object]], kinds: set[str]) -> None:
    result = taught(settings=settings)
    assert {write.content.kind for write in result.writes} == kinds


def test_a_run_without_steps_teaches_nothing() -> None:
    assert taught(steps=()) == RunUpdate()


def test_uses_are_counted_into_the_active_skills() -> None:
    known = SkillMemory(
        name="explore",
        when="true",
        subgoal="x",
        actions=("forward",),
        uses=10,
        successes=1,
        evidence=("old",),
    )
    result = taught(entry(5, known, game_id="doom"), entry(6, replace(known, name="other"), game_id="doom"))
    (counted_one,) = [write for write in result.writes if write.entry_id == 5]
    assert isinstance(counted_one.content, SkillMemory)
    assert counted_one.content.uses > 10 and 1 < counted_one.content.successes <= counted_one.content.uses - 9
    assert not any(write.entry_id == 6 for write in result.writes), "it never fired"


def test_a_text_that_the_trial_refused_replaces_no_skill_that_waits() -> None:
    waiting = SkillMemory(
        name="mine", when="ammo < 0", subgoal="x", actions=("use",), status="proposed", evidence=("run 1",)
    )
    harmful = replace(waiting, when="true", actions=("look",))
    (item,) = weigh_drafts(
        [harmful],
        doom_steps(),
        doom_profile(),
        [entry(4, waiting, game_id="doom")],
        lambda text: EMBEDDER.embed([text])[0],
        MemorySettings(),
        model="tiny",
    )
    assert item.verdict.level == "update" and item.trial is not None and item.trial.verdict == "refused"
    assert item.write is not None and isinstance(item.write.content, SkillMemory)
    assert (item.write.content.when, item.write.content.actions) == ("ammo < 0", ("use",))
    assert "Tried on the recorded outcomes" in item.write.content.evidence[-1]


def test_a_draft_of_a_model_passes_the_same_gate() -> None:
    draft = SkillMemory(
        name="my own idea",
        when="ammo < 0",
        subgoal="x",
        actions=("use",),
        status="proposed",
        evidence=("a model",),
    )
    (item,) = weigh_drafts(
        [draft],
        doom_steps(),
        doom_profile(),
        (),
        lambda text: EMBEDDER.embed([text])[0],
        MemorySettings(),
        model="tiny",
    )
    assert item.trial is not None and item.trial.verdict == "open" and item.write is not None
    assert "Not tried" in item.skill.evidence[-1]
    assert item.write.provenance.source == "tiny"


# ---- use counts


def test_a_firing_succeeds_when_progress_was_made_before_it_ended() -> None:
    rows = [("a", 1, 0), ("a", 1, 1), ("b", 2, 1), ("b", 2, 1), ("a", 3, 1), ("c", 4, 2), ("c", 4, 2)]
    steps = [
        step(number, "walk", progress=progress, plan=plan, skill=skill)
        for number, (skill, plan, progress) in enumerate(rows, 1)
    ]
    counts = count_uses(steps).counts
    assert {name: (count.uses, count.successes) for name, count in counts.items()} == {
        "a": (2, 2),
        "b": (1, 0),
        "c": (1, 0),
    }, "of the last one's outcome nothing is known"


def test_a_firing_succeeds_when_its_end_was_reached() -> None:
    steps = [
        step(1, "walk", progress=0, plan=1, skill="a", stop="health > 50", health=20.0),
        step(2, "walk", progress=0, plan=2, skill="b", stop="health > 90", health=60.0),
        step(3, "walk", progress=0, plan=3, skill="", health=60.0),
    ]
    counts = count_uses(steps).counts
    assert (counts["a"].successes, counts["b"].successes) == (1, 0)


def test_only_active_skills_of_the_memory_are_counted() -> None:
    steps = [step(1, "walk", progress=0, skill="a"), step(2, "walk", progress=1, plan=2, skill="b")]
    skill = SkillMemory(name="a", when="true", subgoal="x", actions=("walk",), uses=3)
    known = [
        entry(1, skill),
        entry(2, replace(skill, status="proposed")),
        replace(entry(3, skill), forgotten=True),
        entry(4, replace(skill, name="c")),
    ]
    assert [
        (skill.entry_id, now.uses, now.successes) for skill, now in with_use_counts(known, count_uses(steps))
    ] == [(1, 4, 1)]


# ---- procedures


def test_the_last_construction_that_worked_is_kept() -> None:
    steps = [
        step(1, "walk", progress=0),
        step(2, "walk", progress=1, effect=Effect.UNVERIFIED),
        replace(step(3, "walk", progress=1), invalid=Invalid.OUT_OF_SPACE),
        step(4, "tap", progress=1, effect=Effect.NONE),
        step(5, "drink", progress=1, effect=Effect.UNVERIFIED),
    ]
    longer = replace(steps[0], action=replace(steps[0].action, arguments={"ms": 400}))
    result = procedures_of([steps[0], longer, *steps[1:]]).procedures([])
    assert result == [
        (None, ProcedureMemory(action="walk", construction="walk(ms=400)", successes=2, attempts=3))
    ], "what was never seen to work has no procedure"
    known = entry(7, ProcedureMemory(action="drink", construction="drink", successes=1, attempts=1))
    result = procedures_of(steps).procedures([known])
    assert (known, ProcedureMemory(action="drink", construction="drink", successes=1, attempts=2)) in result
