"""The inventory as a whole: Table 15 complete, drawn the same everywhere, blind to what came later."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.pitwall_exam.grid.small_worlds import TEMPLATES
from tests.pitwall_exam.grid_world import WORDS, World

from pitwall_exam.episode.states import GridState
from pitwall_exam.episode.trace import Moment, Trace
from pitwall_exam.grid.inventory import grid_inventory, grid_words
from pitwall_exam.grid.vocabulary import GridVocabulary
from pitwall_exam.questions.abilities import Ability
from pitwall_exam.questions.checking import faults_of
from pitwall_exam.questions.forms import Slots
from pitwall_exam.questions.making import QuestionSource, make_exam
from pitwall_exam.questions.template import NO_ANSWER

TABLE_15 = {
    Ability.SINGLE_HOP: "action reason stat terrain inventory occ_action occ_keyword occ_terrain",
    Ability.MULTI_HOP: "action keyword terrain",
    Ability.INDUCTION: "keyword_count most_move longest_run collect_res resource_peak resource_change "
    "visible_count adjacent_count distinct_trees",
    Ability.SPATIAL: "displacement path_length predict_terrain nearest_dir nav_to_target min_dist max_dist",
    Ability.TEMPORAL: "event_order event_interval state_after_event",
    Ability.LOGICAL: "craft_feasibility event_loc attack_count death_reason first_attack_step "
    "last_attack_step inventory_contents",
}
WALK = World(5, deaths=False).trace(200)
DEAD = next(walk for walk in (World(seed).trace(400) for seed in range(40)) if walk.ended)


def chosen(trace: Trace[GridState], name: str, seed: int = 7) -> list[Slots]:
    return list(TEMPLATES[name].choose(trace, random.Random(seed)))


def test_every_template_of_the_table_is_there() -> None:
    names = [
        f"{letter}_{name}"
        for letter, row in zip("ABCDEF", TABLE_15.values(), strict=True)
        for name in row.split()
    ]
    assert set(TEMPLATES) == set(names)
    for template in TEMPLATES.values():
        assert template.ability is list(TABLE_15)["ABCDEF".index(template.name[0])]
    assert {name for name, item in TEMPLATES.items() if item.by_reason} == {
        *("A_reason", "A_occ_keyword", "B_keyword", "C_keyword_count"),
    }


@pytest.mark.parametrize("name", sorted(set(TEMPLATES) - {"F_death_reason"}))
def test_each_template_finds_questions_with_an_answer(name: str) -> None:
    answered = [slots for slots in chosen(WALK, name) if TEMPLATES[name].find(WALK, slots).answers]
    assert answered


def test_whoever_dies_is_asked_of_what() -> None:
    assert TEMPLATES["F_death_reason"].find(DEAD, {}).answers


@pytest.mark.parametrize(
    "walk", [WALK, DEAD, WALK.until(2), WALK.until(1)], ids=["whole", "dead", "two", "one"]
)
def test_what_is_chosen_may_be_asked(walk: Trace[GridState]) -> None:
    exam = make_exam(
        [QuestionSource(grid_inventory(WORDS), walk)], game_id="any", run_id=1, seed=3, per_template=6
    )
    assert exam.questions
    for question in exam.questions:
        assert faults_of(question, TEMPLATES[question.template], len(walk)) == []


def test_an_exam_of_a_walk_has_two_of_almost_everything() -> None:
    exam = make_exam([QuestionSource(grid_inventory(WORDS), WALK)], game_id="any", run_id=1, seed=42)
    counts = Counter(question.template for question in exam.questions if question.answerable)
    single = {"F_attack_count", "F_first_attack_step", "F_last_attack_step"}
    assert {name for name, count in counts.items() if count == 1} == single
    assert set(TEMPLATES) - set(counts) == {"F_death_reason"}
    broken = [question for question in exam.questions if question.ability is Ability.ADVERSARIAL]
    assert len(broken) == round((len(exam.questions) - len(broken)) / 6)
    assert len({question.template for question in broken}) == len(broken)


def test_the_same_seed_chooses_the_same_and_another_one_does_not() -> None:
    for name in TEMPLATES:
        assert chosen(WALK, name) == chosen(World(5, deaths=False).trace(200), name)
    assert chosen(WALK, "A_stat", 1) != chosen(WALK, "A_stat", 2)


@pytest.mark.parametrize("horizon", [1, 50, 120])
def test_what_came_later_changes_no_answer_about_earlier_steps(horizon: int) -> None:
    before = WALK.until(horizon)
    fixed = [item for item in TEMPLATES.values() if not item.ranged]
    for template in fixed:
        for slots in chosen(before, template.name):
            assert template.find(WALK, slots) == template.find(before, slots), (template.name, slots)


@pytest.mark.parametrize("horizon", [30, 120])
def test_within_a_horizon_the_rest_of_the_episode_might_as_well_not_be(horizon: int) -> None:
    cut = Trace(WALK.moments[:horizon])
    for template in TEMPLATES.values():
        for slots in chosen(cut, template.name):
            result = template.find(WALK.until(horizon), slots)
            assert result == template.find(cut, slots)
            assert all(1 <= step <= horizon for step in result.steps)
            assert list(result.steps) == sorted(set(result.steps))


def test_first_occurrences_stay_what_they_were_when_the_episode_goes_on() -> None:
    for name in ("A_occ_action", "A_occ_terrain", "A_occ_keyword"):
        for slots in chosen(WALK.until(60), name):
            early = TEMPLATES[name].find(WALK.until(60), slots)
            if slots["nth"] != "last" and early.answers:
                assert TEMPLATES[name].find(WALK, slots) == early


def test_an_empty_episode_says_nothing() -> None:
    empty: Trace[GridState] = Trace(())
    for template in TEMPLATES.values():
        for slots in [*template.choose(empty, random.Random(1)), *chosen(WALK, template.name)[:3]]:
            assert template.find(empty, slots) == NO_ANSWER


def test_a_record_that_could_read_nothing_says_little_and_breaks_nothing() -> None:
    blank = GridState(None)
    blind = Trace(
        [Moment(moment.step, moment.action, moment.reason, blank, blank) for moment in WALK.moments]
    )
    for template in TEMPLATES.values():
        for slots in [*chosen(WALK, template.name), *chosen(blind, template.name)]:
            template.find(blind, slots)
    assert TEMPLATES["D_nearest_dir"].find(blind, {"step": 5, "terrain": "tree"}) == NO_ANSWER
    assert TEMPLATES["A_inventory"].find(blind, {"step": 5, "resource": "wood"}) == NO_ANSWER


def test_names_are_understood_in_any_case() -> None:
    loud: Slots = {"nth": "FIRST", "action": "MOVE_UP"}
    assert TEMPLATES["A_occ_action"].find(WALK, loud) == TEMPLATES["A_occ_action"].find(
        WALK, {"nth": "first", "action": "move_up"}
    )
    result = TEMPLATES["A_inventory"].find(WALK, {"resource": "Wood Pickaxe", "step": 150})
    assert result == TEMPLATES["A_inventory"].find(WALK, {"resource": "wood_pickaxe", "step": 150})
    assert result.answers


SLOTS = st.dictionaries(
    st.sampled_from(sorted({slot for template in TEMPLATES.values() for slot in template.form.slots})),
    st.integers(-5, 10**6) | st.text(max_size=12) | st.sampled_from([*WORDS.terrains, *WORDS.items, "first"]),
)


@settings(max_examples=60, deadline=None)
@given(SLOTS)
def test_whatever_a_question_is_filled_with_is_answered_or_not(slots: Slots) -> None:
    short = WALK.until(40)
    for template in TEMPLATES.values():
        result = template.find(short, slots)
        assert all(isinstance(answer, str) and answer for answer in result.answers)


def test_indexes_are_made_once_a_trace_and_never_mixed_up() -> None:
    inventory = grid_inventory(WORDS)
    action = next(template for template in inventory.templates if template.name == "A_action")
    traces = [World(seed, deaths=False).trace(30) for seed in range(8)]
    for _ in range(2):
        for trace in traces:
            for moment in trace.moments:
                assert action.find(trace, {"step": moment.step}).answers == (moment.action,)
    same = replace(traces[0], ended="death")
    assert action.find(same, {"step": 1}) == action.find(traces[0], {"step": 1})


def test_the_words_of_every_named_slot_are_told() -> None:
    words = grid_words(WORDS)
    for template in TEMPLATES.values():
        for slot, kind in template.form.slots.items():
            if kind in ("word", "name") and slot != "keyword":
                assert words[slot.removesuffix("_a").removesuffix("_b")], slot


def test_a_game_of_few_words_is_asked_about_what_it_has() -> None:
    bare = GridVocabulary(
        actions=("go",),
        moves={"go": "right"},
        stats=("life",),
        resources=("gold",),
        terrains=("floor", "wall"),
        walkable=frozenset(("floor",)),
        trees="",
    )
    places = [
        GridState(
            (x, 0), "floor", stats={"life": 3}, items={"gold": x}, seen={(x, 0): "floor", (x + 1, 0): "wall"}
        )
        for x in range(6)
    ]
    walk = Trace([Moment(step, "go", "", places[step - 1], places[step]) for step in range(1, 6)])
    exam = make_exam([QuestionSource(grid_inventory(bare), walk)], game_id="any", run_id=1, seed=1)
    asked = {question.template for question in exam.questions if question.answerable}
    assert {"A_action", "C_most_move", "C_collect_res", "D_displacement", "D_nearest_dir"} <= asked
    assert not asked & {"C_distinct_trees", "F_craft_feasibility", "A_reason", "F_death_reason"}


def test_what_an_event_says_itself_is_not_asked() -> None:
    for seed in range(5):
        for slots in chosen(WALK, "E_state_after_event", seed):
            assert f"your {slots['stat']} first fell" not in str(slots["event"])
