"""What models add once a run is over: a summary, and skills through the gate."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from tests.engine.control.model_fakes import FakeCaller
from tests.memory.discovery.recorded_steps import doom_steps

from pitwall.core.calls import CallOutcome, Purpose
from pitwall.core.memories import JudgeSkill, MemoryEntry, Provenance
from pitwall.core.memory_kinds import EpisodeMemory, SkillMemory
from pitwall.core.paths import DataFolder
from pitwall.core.prompts import Layer
from pitwall.core.settings import Settings
from pitwall.engine.control.budget import Budget
from pitwall.engine.inference.model_calls import ModelCalls
from pitwall.engine.loop.run_review import MOST_DRAFTS, FinishedRun, RunReview
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.registry import Registry
from pitwall.memory.prompt.layer_entries import PromptLayers
from pitwall.memory.retrieval import sentence_vectors
from pitwall.memory.store import AgentWrite, MemoryStore

_RULES = "A run of 161 steps reached its end after 90 s; made progress 243 times."
_SAID = "The agent did well at first and then it walked into a corner, where all of its ammunition was gone."


class Calls(FakeCaller):
    """The run's calls after its end: they get a new budget, and close with the review."""

    budget: Budget | None = None
    closed = False

    def model(self, purpose: Purpose) -> str:
        return f"the {purpose.tier} one"

    def close(self) -> None:
        self.closed = True


class Desk:
    """A memory on disk with the run's episode by rules, and a caller that answers by script."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = MemoryStore.open(DataFolder(folder), role="test")
        self.calls = Calls()
        self.game = Registry(DataFolder(folder)).load("doom")
        content = EpisodeMemory(key="role=", text=_RULES, run_id=3)
        by = Provenance(author="agent", run_id=3, source="rules")
        self.store.write([AgentWrite(game_id="doom", content=content, provenance=by)])

    def learn_from_run(self, lessons: Callable[[list[MemoryEntry]], Sequence[AgentWrite]]) -> None:
        self.store.write(lessons(self.store.entries("doom")))

    def review(self, *, writes: bool = True, settings: dict[str, Any] | None = None) -> RunReview:
        chosen = Settings.model_validate(settings or {})
        run = FinishedRun(
            run_id=3,
            steps=doom_steps(),
            by_rules=_RULES,
            profile=self.game.profile,
            role="",
            settings=chosen,
        )
        space = Vocabulary(self.game.profile)
        book = PromptLayers(self.game, forms=space.forms, layers=chosen.layers, memory=chosen.memory)
        calls = cast("ModelCalls", self.calls)
        return RunReview(run, calls, book, space, self, writes=lambda _: writes, logs=self.folder)

    def done(self, review: RunReview) -> str:
        for _ in range(200):
            if (message := review.poll()) is not None:
                return message
        raise AssertionError("the review does not end")

    def episode(self) -> MemoryEntry:
        [entry] = [entry for entry in self.store.entries("doom") if isinstance(entry.content, EpisodeMemory)]
        return entry

    def skills(self) -> list[SkillMemory]:
        return [
            entry.content for entry in self.store.entries("doom") if isinstance(entry.content, SkillMemory)
        ]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    monkeypatch.setattr(sentence_vectors, "installed_embedder", lambda: None)  # words are hashed
    made = Desk(tmp_path)
    with made.store:
        yield made


def _text(words: str) -> str:
    return json.dumps({"text": words})


def _skill(name: str, when: str = "ammo == 42") -> str:
    return json.dumps({"name": name, "when": when, "subgoal": "get on", "actions": ["use"], "steps": 2})


def _answers(calls: Calls, **script: list[str]) -> None:
    calls.script = {Purpose(purpose): replies for purpose, replies in script.items()}


def test_a_summary_follows_the_rules_figures_and_names_its_author(desk: Desk) -> None:
    _answers(desk.calls, summarise=[_text(_SAID)])
    message = desk.done(desk.review(settings={"layers": {"l5": "freeze"}}))
    assert message == "Run 3: the analysis one summed it up."
    entry = desk.episode()
    assert entry.content.text == f"{_RULES} In the words of the analysis one: {_SAID}"  # type: ignore[union-attr]
    assert entry.changed_by.source == "the analysis one"
    [asked] = desk.calls.asks
    assert asked.purpose is Purpose.SUMMARISE
    assert _RULES in asked.prompt.messages[-1].text
    assert "A part of a run" in asked.prompt.messages[-1].text
    assert {span.layer for span in asked.prompt.spans} == {Layer.PROTOCOL, Layer.STATE}
    assert desk.calls.budget is not None


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("pipesaea6 pipesaea6 qqq zzz 6a 6a xx yy kk jj", "not language"),
        ("A run of 161 steps reached its end after 90 s", "nothing to the figures"),
    ],
)
def test_a_reply_that_is_no_summary_is_reported_and_not_kept(desk: Desk, words: str, problem: str) -> None:
    _answers(desk.calls, summarise=[_text(words)])
    message = desk.done(desk.review(settings={"layers": {"l5": "freeze"}}))
    assert problem in message
    assert desk.episode().content.text == _RULES  # type: ignore[union-attr]
    assert desk.calls.settled[1][0] is CallOutcome.INVALID


def test_proposed_skills_wait_in_the_inbox_with_their_evidence(desk: Desk) -> None:
    _answers(desk.calls, propose_skill=[_skill("my own idea"), "{}"])
    message = desk.done(desk.review(settings={"layers": {"l4": "freeze"}}))
    assert "proposed 1 skill; 1 passed the gate into the inbox" in message
    assert 2 <= len(desk.calls.asks) <= MOST_DRAFTS
    [skill] = desk.skills()
    assert (skill.name, skill.status) == ("my own idea", "proposed")
    assert "Proposed by the model the evolution one." in skill.evidence
    assert any("Not tried" in line for line in skill.evidence)


def test_a_review_without_a_usable_reply_says_so(desk: Desk) -> None:
    _answers(desk.calls, propose_skill=["{}"])
    message = desk.done(desk.review(settings={"layers": {"l4": "freeze"}}))
    assert "the evolution one proposed no skill: " in message
    assert desk.skills() == []


@pytest.mark.parametrize(("same", "kept"), [(True, 1), (False, 2)])
def test_a_doubtful_skill_is_shown_to_a_judge(desk: Desk, same: bool, kept: int) -> None:
    known = SkillMemory(name="an old idea", when="ammo < 7", subgoal="get on now", actions=("use",))
    by = Provenance(author="operator")
    desk.store.write([AgentWrite(game_id="doom", content=known, provenance=by)])
    _answers(
        desk.calls,
        propose_skill=[_skill("my own idea"), "{}"],
        judge_skill=[json.dumps({"same": same, "why": "both use"})],
    )
    doubt = {"skill_duplicate": 1.0, "skill_near": 1.0, "skill_doubt": 0.0}
    message = desk.done(desk.review(settings={"layers": {"l4": "freeze"}, "memory": doubt}))
    assert [ask.purpose for ask in desk.calls.asks][-1] is Purpose.JUDGE_SKILL
    assert 'The known skill: "an old idea' in desk.calls.asks[-1].prompt.messages[-1].text
    assert f"{kept - 1} passed the gate" in message
    assert len(desk.skills()) == kept
    if not same:
        assert any("says it is another skill: both use" in line for line in desk.skills()[-1].evidence)


def test_a_judge_that_fails_leaves_it_to_the_operator(desk: Desk) -> None:
    known = SkillMemory(name="an old idea", when="ammo < 7", subgoal="get on now", actions=("use",))
    desk.store.write([AgentWrite(game_id="doom", content=known, provenance=Provenance(author="operator"))])
    _answers(desk.calls, propose_skill=[_skill("my own idea"), "{}"], judge_skill=["no"])
    doubt = {"skill_duplicate": 1.0, "skill_near": 1.0, "skill_doubt": 0.0}
    desk.done(desk.review(settings={"layers": {"l4": "freeze"}, "memory": doubt}))
    [_, new] = desk.skills()
    assert new.similar_to is not None


def test_what_the_operator_decides_meanwhile_stands(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    known = SkillMemory(
        name="an old idea", when="ammo < 7", subgoal="get on", actions=("use",), status="proposed"
    )
    by = Provenance(author="agent")
    [waiting] = desk.store.write([AgentWrite(game_id="doom", content=known, provenance=by)])
    assert waiting is not None
    _answers(desk.calls, propose_skill=[_skill("an old idea"), "{}"])
    learn = desk.learn_from_run

    def weighs_then_accepts(lessons: Callable[[list[MemoryEntry]], Sequence[AgentWrite]]) -> None:
        learn(lessons)
        accept = JudgeSkill(entry_id=waiting.entry_id, verdict="accept")
        desk.store.apply([accept], Provenance(author="operator"))

    monkeypatch.setattr(desk, "learn_from_run", weighs_then_accepts)
    desk.done(desk.review(settings={"layers": {"l4": "freeze"}}))
    [skill] = desk.skills()
    assert (skill.status, skill.when) == ("active", "ammo < 7")


def test_a_dropped_review_cancels_its_calls_and_writes_nothing(desk: Desk) -> None:
    desk.calls.slow = True
    review = desk.review()
    assert review.poll() is None
    assert review.text == "the analysis one sums up run 3."
    review.drop()
    assert desk.calls.settled[1][0] is CallOutcome.CANCELLED
    assert desk.calls.closed
    assert desk.episode().content.text == _RULES  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("writes", "settings", "wanted"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"memory": {"write": False}}, False),
        (True, {"layers": {"l4": "freeze", "l5": "disable"}}, False),
    ],
)
def test_it_is_wanted_where_a_model_writes_and_the_layers_grow(
    desk: Desk, writes: bool, settings: dict[str, Any], wanted: bool
) -> None:
    assert desk.review(writes=writes, settings=settings).wanted is wanted


def test_a_skill_whose_trigger_never_held_in_its_part_is_refused(desk: Desk) -> None:
    _answers(desk.calls, propose_skill=[_skill("sitting sitting", when="ammo < 0"), "{}"])
    message = desk.done(desk.review(settings={"layers": {"l4": "freeze"}}))
    assert "proposed no skill" in message
    assert not desk.skills()
