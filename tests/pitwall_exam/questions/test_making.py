"""Exams are drawn the same way everywhere, balanced, checked, and within their horizon."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from tests.pitwall_exam.questions.general_episode import general_episode

from pitwall_exam.episode.states import FieldState
from pitwall_exam.episode.trace import Trace
from pitwall_exam.general.inventory import GENERAL
from pitwall_exam.marking.scoring import score
from pitwall_exam.questions.abilities import Ability
from pitwall_exam.questions.forms import Form, read_horizon, within
from pitwall_exam.questions.making import QuestionSource, make_exam, paraphrased
from pitwall_exam.questions.paper import Exam
from pitwall_exam.questions.template import Inventory, Template, Truth


def made(trace: Trace[FieldState], *, seed: int = 42, horizon: int = 0, per_template: int = 2) -> Exam:
    return make_exam(
        [QuestionSource(GENERAL, trace)],
        game_id="any",
        run_id=1,
        seed=seed,
        horizon=horizon,
        per_template=per_template,
    )


def test_the_same_seed_gives_the_same_exam_in_another_process(project_root: Path) -> None:
    message = (
        "from general_episode import general_episode; "
        "from pitwall_exam.questions.making import QuestionSource, make_exam;"
        "from pitwall_exam.general.inventory import GENERAL;"
        "source = QuestionSource(GENERAL, general_episode(120));"
        "print(make_exam([source], game_id='any', run_id=1, seed=42).model_dump_json())"
    )
    places = (f"{project_root}/app", f"{project_root}/tests/pitwall_exam/questions")
    result = subprocess.run(
        [sys.executable, "-c", message],
        env={**os.environ, "PYTHONHASHSEED": "7", "PYTHONUTF8": "1", "PYTHONPATH": os.pathsep.join(places)},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    exam = made(general_episode(120))
    assert Exam.model_validate_json(result.stdout) == exam
    assert exam.exam_id != made(general_episode(120), seed=43).exam_id


@pytest.mark.parametrize("per_template", [1, 2, 3])
def test_no_template_asks_more_than_it_may_and_nothing_is_asked_twice(per_template: int) -> None:
    exam = made(general_episode(120), per_template=per_template)
    plain = Counter(question.template for question in exam.questions if question.answerable)
    broken = Counter(item.template for item in exam.questions if not item.answerable)
    assert max(plain.values()) == per_template
    assert max(broken.values()) <= per_template
    assert len({element.text.casefold() for element in exam.questions}) == len(exam.questions)
    assert len({part.id for part in exam.questions}) == len(exam.questions)


def test_all_seven_abilities_are_asked_and_adversarial_ones_are_no_more_than_others() -> None:
    exam = made(general_episode(200))
    counts = Counter(question.ability for question in exam.questions)
    assert set(counts) == set(Ability)
    others = [counts[item] for item in Ability if item is not Ability.ADVERSARIAL]
    assert min(others) <= counts[Ability.ADVERSARIAL] <= max(others)


def test_a_question_is_adversarial_just_where_it_has_no_answer() -> None:
    for question in made(general_episode(200)).questions:
        assert (question.ability is Ability.ADVERSARIAL) == (not question.answerable)


def test_the_place_of_a_question_does_not_say_that_it_has_no_answer() -> None:
    answerable = [question.answerable for question in made(general_episode(200)).questions]
    plain = answerable.count(True)
    assert answerable[:plain].count(False) > answerable[plain:].count(False) > 0


def test_every_truth_is_what_its_template_finds_and_earns_the_full_mark() -> None:
    trace = general_episode(150)
    templates = {item.name: item for item in GENERAL.templates}
    for question in made(trace).questions:
        template = templates[question.template]
        slots = template.form.read(read_horizon(question.text)[0])
        assert slots is not None
        result = template.find(trace, slots)
        assert (result.answers or ("not answerable",)) == question.truth
        assert score(question, question.truth[0]) == 1.0


def test_a_horizon_begins_questions_about_a_stretch_and_hides_what_comes_later() -> None:
    trace = general_episode(200)
    long, short = made(trace, horizon=50), made(Trace(trace.moments[:50]), horizon=50)
    assert [item.text for item in long.questions] == [element.text for element in short.questions]
    assert [part.truth for part in long.questions] == [piece.truth for piece in short.questions]
    ranged = {template.name for template in GENERAL.templates if template.ranged}
    for question in long.questions:
        assert question.text.startswith("From step 1 to 50, ") == (question.template in ranged)
        assert question.hi <= 50
        assert all(step <= 50 for step in question.evidence)


def test_a_horizon_keeps_the_capital_and_is_read_back() -> None:
    asked = within("Which step is it?", 50)
    assert asked == "From step 1 to 50, Which step is it?"
    assert read_horizon(asked) == ("Which step is it?", 50)
    assert read_horizon("Which step is it?") == ("Which step is it?", 0)


@pytest.mark.parametrize("steps", [0, 1, 2, 3])
def test_the_shortest_episodes_are_asked_as_far_as_they_say_anything(steps: int) -> None:
    exam = made(general_episode(steps))
    assert exam.steps == steps
    assert bool(exam.questions) == bool(steps)
    assert all(1 <= question.lo <= question.hi <= steps for question in exam.questions)


def test_two_inventories_ask_over_traces_of_their_own() -> None:
    first, second = general_episode(60, seed=1), general_episode(60, seed=2)
    other = replace(GENERAL, name="other")
    exam = make_exam(
        [QuestionSource(GENERAL, first), QuestionSource(other, second)], game_id="any", run_id=1, seed=42
    )
    assert exam.inventory == "general+other"
    assert len({question.text.casefold() for question in exam.questions}) == len(exam.questions)


def test_persons_are_not_asked_about_reasons() -> None:
    reasons = {template.name for template in GENERAL.templates if template.by_reason}
    sources = [QuestionSource(GENERAL, general_episode(100))]
    exam = make_exam(sources, game_id="any", run_id=1, seed=42, persons=True)
    assert reasons and not reasons & {question.template for question in exam.questions}


def test_a_truth_that_nobody_could_be_marked_by_is_not_asked() -> None:
    def template(kind: str, answer: str) -> Template[FieldState]:
        return Template(
            f"T_{kind}",
            Ability.SINGLE_HOP,
            Form(f"A {kind}?"),
            kind,  # type: ignore[arg-type]
            lambda _trace, _chance: [{}],
            lambda _trace, _slots: Truth((answer,), (1,)),
        )

    wrong = [
        ("integer", "many"),
        ("float", "nan"),
        ("yes-no", "perhaps"),
        ("string", "(aside)"),
        ("list", ""),
    ]
    broken = Inventory("broken", tuple(template(kind, answer) for kind, answer in wrong))
    exam = make_exam([QuestionSource(broken, general_episode(5))], game_id="any", run_id=1, seed=42)
    assert exam.questions == ()


def test_another_wording_is_asked_and_the_exam_becomes_another() -> None:
    exam = made(general_episode(30))
    first = exam.questions[0]
    other = paraphrased(exam, {first.id: "Say it freely?"}, by="rewordings")
    assert other.questions[0].asked == "Say it freely?"
    assert other.sheet().questions[0].text == "Say it freely?"
    assert other.sheet(worded="declared").questions[0].text == first.text
    assert other.exam_id != exam.exam_id
