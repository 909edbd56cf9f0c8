"""Each memory system observes turns as its source says, and an answer comes from what it recalled alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from pitwall.core.errors import SettingsError
from pitwall.core.paths import DataFolder
from pitwall_exam.answering.embedding import SentenceVectors
from pitwall_exam.answering.opening import AnswererSpec, open_answerer
from pitwall_exam.answering.session import answer_sheet
from pitwall_exam.answering.systems.catalogue import SYSTEMS, SystemName, installed_systems
from pitwall_exam.answering.systems.facts import FactMemory
from pitwall_exam.answering.systems.mem0_library import mem0_installed
from pitwall_exam.answering.systems.notes import NoteMemory
from pitwall_exam.answering.systems.protocol import MemorySystem
from pitwall_exam.answering.systems.statements import changes, statements_of
from pitwall_exam.answering.systems.stores import StoreMemory
from pitwall_exam.answering.turns import Turn
from pitwall_exam.episode.remembered import ACTION, ESCALATED, PLACE, remembered, statements_of_state
from pitwall_exam.episode.states import FieldState, GridState, TextState, format_state
from pitwall_exam.episode.trace import Moment, Trace
from pitwall_exam.marking.scoring import marks
from pitwall_exam.questions.paper import Exam


def _turns(*played: tuple[str, str, GridState | TextState | FieldState]) -> list[Turn]:
    return [
        Turn(step, action, reason, format_state(state), known=statements_of_state(state))
        for step, (action, reason, state) in enumerate(played, start=1)
    ]


def _grid(health: int, facing: str, **items: int) -> GridState:
    return GridState(None, "grass", facing, {"health": health, "food": 9}, items)


def _outcome(step: int, state: GridState | TextState | FieldState) -> Turn:
    return Turn(step, "", "", format_state(state), known=statements_of_state(state), is_outcome=True)


WALK = _turns(
    ("move_right", "See the world.", _grid(9, "down")),
    ("interact", "Wood is needed.", _grid(9, "right")),
    ("interact", "Wood is needed.", _grid(9, "right", wood=1)),
    ("place_table", "", _grid(7, "right", wood=2)),
    ("noop", "", _grid(7, "right")),
)
STORY = _turns(
    ("north", "", TextState("Jetty", "A plank jetty.", score=0.0)),
    ("take spade", "", TextState("Yard", "A cobbled yard. A spade.", score=0.0)),
    ("south", "", TextState("Yard", "Taken.", score=5.0)),
)


def _observed(system: type[MemorySystem], vectors: SentenceVectors, turns: list[Turn]) -> MemorySystem:
    memory = system(vectors)
    for turn in turns:
        memory.observe(turn)
    return memory


@pytest.fixture
def vectors(tmp_path: Path) -> SentenceVectors:
    return SentenceVectors(tmp_path)


def test_a_turns_statements_are_those_of_its_state() -> None:
    assert WALK[2].known == {"health": "9", "food": "9", "wood": "1", "ground": "grass", "facing": "right"}
    assert STORY[1].known == {
        "location": "Yard",
        "the sight at Yard": "A cobbled yard. A spade.",
        "score": "0",
    }
    assert changes(WALK[3].known, WALK[4].known) == [("wood", "2", "nothing")]


def test_route_causes_place_and_values_with_commas_are_remembered() -> None:
    """A memory answers a question about places, and a value's commas do not part it."""
    label = "to be, or not; to be"
    states = [
        FieldState({"label": label}, route="strategic", escalations=("stall", "loop"), place=1),
        FieldState({"label": "carrying on grass, 4"}, route="reactive", place=2),
    ]
    turns = _turns(*(("flap", "", state) for state in states))
    assert turns[0].before == (
        f"label {label}; place 1; route strategic. The planner was asked because of stall, loop."
    )
    assert turns[0].known == {"label": label, PLACE: "1", "route": "strategic", ESCALATED: "stall, loop"}
    real = Trace([Moment(1, "flap", "", states[0], states[1])])
    known = remembered(real, [part for turn in turns for part in statements_of(turn)])
    before, after = known.moments[0].before, known.moments[0].after
    assert (before.fields, before.route, before.place) == (states[0].fields, "strategic", 1)
    assert before.escalations == ("stall", "loop") and after.escalations == ()
    assert (after.fields, after.place) == (states[1].fields, 2)


def test_no_field_is_left_out_of_a_states_words() -> None:
    state = FieldState({f"field_{number}": number for number in range(60)}, route="reactive")
    assert "field_59 59; route reactive." in format_state(state)


@pytest.mark.parametrize("name", installed_systems())
def test_each_keeps_the_outcome_of_the_last_step(name: SystemName, vectors: SentenceVectors) -> None:
    with vectors:
        memory = _observed(SYSTEMS[name], vectors, [*WALK, _outcome(6, _grid(2, "right"))])
        entries = memory.entries()
    assert (6, "health", "2") in {part for entry in entries for part in entry.statements}
    assert not [entry for entry in entries if "the action  " in entry.text]
    assert (6, ACTION, "") not in {part for entry in entries for part in entry.statements}


def test_a_changed_fact_takes_the_place_of_the_former_and_what_ceased_is_deleted(
    vectors: SentenceVectors,
) -> None:
    before = [entry.text for entry in _observed(FactMemory, vectors, WALK[:4]).entries()]
    after = [entry.text for entry in _observed(FactMemory, vectors, WALK).entries()]
    assert "wood is 2 since step 4" in before
    assert not [text for text in before if text.startswith("wood is 1")]
    assert not [text for text in after if text.startswith("wood is")]
    assert "health went from 9 to 7 after interact at step 3" in after
    assert "the action interact was done at steps 2, 3" in after


def test_like_notes_are_linked_and_the_earlier_ones_context_grows(vectors: SentenceVectors) -> None:
    notes = [entry.text for entry in _observed(NoteMemory, vectors, WALK).entries()]
    assert len(notes) == len(WALK)
    assert "like step 3, interact" in notes[1]
    assert "(" not in notes[-1]


def test_profiles_are_consolidated_and_an_episode_ends_at_a_new_place(vectors: SentenceVectors) -> None:
    texts = [entry.text for entry in _observed(StoreMemory, vectors, STORY).entries()]
    assert "score: now 5; changed 2 times; 0 from step 1, 5 from step 3" in texts
    assert "Steps 1 to 1 at Jetty: north ×1. nothing changed." in texts
    assert any(text.startswith("Steps 2 to 3 at Yard: take spade ×1, south ×1.") for text in texts)
    ended = _observed(StoreMemory, vectors, [*STORY, _outcome(4, TextState("Hall", "A hall.", score=9.0))])
    assert ended.entries()[-1].text.startswith("Steps 2 to 3 at Yard: take spade ×1, south ×1. location Yard")


@pytest.mark.parametrize("name", installed_systems())
def test_each_recalls_no_more_than_k_and_tells_only_steps_it_observed(
    name: SystemName, vectors: SentenceVectors
) -> None:
    with vectors:
        recalled = _observed(SYSTEMS[name], vectors, WALK).recall("How much wood did you have at step 4?", 3)
    assert 0 < len(recalled) <= 3
    assert {step for entry in recalled for step, _, _ in entry.statements} <= {turn.step for turn in WALK}
    assert any("wood" in entry.text for entry in recalled)


@pytest.mark.skipif(mem0_installed(), reason="the library mem0 is installed")
def test_without_the_library_mem0_the_remedy_is_named(vectors: SentenceVectors) -> None:
    assert "mem0" in SYSTEMS and "mem0" not in installed_systems()
    with pytest.raises(SettingsError, match="mem0 is not installed"):
        SYSTEMS["mem0"](vectors)


@pytest.mark.parametrize("name", ["turns", "hybrid"])
def test_rules_answer_from_the_recalled_entries_alone(name: SystemName, data: DataFolder, exam: Exam) -> None:
    """With every entry recalled, more is answered than with one; a question about a lost step is refused."""
    scores = []
    for retrieved in (1, 64):
        wanted = AnswererSpec(kind="system", system=name, retrieved=retrieved)
        with open_answerer(wanted, data, exam.sheet()) as answerer:
            answers = answer_sheet(answerer, exam.sheet(), keep=lambda _: None)
        scores.append(marks(exam, answers).overall.accuracy or 0.0)
        assert not [answer.problem for answer in answers.answers if answer.problem]
        assert answers.answerer == "system" and "rules" in answers.uses[-1]
    assert scores[0] < scores[1]
    assert scores[0] < 1.0
