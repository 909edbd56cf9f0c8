"""Draws an exam: seeded, balanced, checked, and some of its preconditions broken on purpose (SPEC §7)."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from statistics import fmean
from typing import Any, Generic, TypeVar

from pitwall_exam.episode.trace import Trace
from pitwall_exam.questions.abilities import Ability
from pitwall_exam.questions.checking import faults_of
from pitwall_exam.questions.forms import Slots, within
from pitwall_exam.questions.paper import Exam, Question, RuleSet
from pitwall_exam.questions.sheet import NOT_ANSWERABLE
from pitwall_exam.questions.template import Inventory, Template, Truth

S = TypeVar("S")

TRIES = 40
"""Most fillings tried for one template. It bounds the time for long runs."""


@dataclass(frozen=True)
class QuestionSource(Generic[S]):
    """A set of question templates (an inventory) and the episode that the right answers are computed from."""

    inventory: Inventory[S]
    trace: Trace[S]


@dataclass
class _Drawn:
    """The questions drawn for one template: those with an answer, and those without."""

    answerable: list[Question] = field(default_factory=list)
    broken: list[Question] = field(default_factory=list)


def make_exam(
    sources: Sequence[QuestionSource[Any]],
    *,
    game_id: str,
    run_id: int,
    seed: int,
    horizon: int = 0,
    per_template: int = 2,
    rule_set: RuleSet = "paper",
    persons: bool = False,
) -> Exam:
    """Make an exam over one run: the same traces, seed and settings give the same exam everywhere.

    Questions of the six plain abilities always have an answer. Adversarial questions come from the same
    templates, with a broken precondition; there are as many of them as an ability has on average.

    Args:
        sources: at least one inventory, each with its own trace of the same run.
        horizon: questions and truths cover steps 1 … horizon; 0: the whole episode.
        per_template: most questions of one template, and most adversarial questions of it.
        persons: leave out questions about reasons, which persons do not give.
    """
    steps = max((len(source.trace) for source in sources), default=0)
    asked: set[str] = set()
    drawn = [
        of_template
        for source in sources
        for of_template in _drawn(source, seed, horizon, per_template, persons, asked)
    ]
    questions = [question for of_template in drawn for question in of_template.answerable]
    places = random.Random(f"{seed}/places")
    for question in _adversarial(drawn, seed, per_template):  # among the others: no place gives them away
        questions.insert(places.randint(0, len(questions)), question)
    return sealed(
        Exam(
            exam_id="",
            rule_set=rule_set,
            inventory="+".join(source.inventory.name for source in sources),
            game_id=game_id,
            run_id=run_id,
            seed=seed,
            horizon=horizon,
            per_template=per_template,
            steps=steps,
            questions=tuple(_numbered(questions)),
        )
    )


def sealed(exam: Exam) -> Exam:
    """Return the exam with an id computed from its contents."""
    body = exam.model_dump_json(exclude={"exam_id"})
    return exam.model_copy(update={"exam_id": hashlib.sha256(body.encode()).hexdigest()[:12]})


def paraphrased(exam: Exam, texts: Mapping[str, str], *, by: str) -> Exam:
    """Return the exam with other wordings.

    Args:
        texts: question id → wording; other questions keep the template's words.
        by: "model NAME" or "rewordings".
    """
    questions = tuple(
        question.model_copy(update={"paraphrase": texts.get(question.id, "")}) for question in exam.questions
    )
    return sealed(exam.model_copy(update={"questions": questions, "paraphrased": by}))


def _drawn(
    source: QuestionSource[Any], seed: int, horizon: int, per_template: int, persons: bool, asked: set[str]
) -> Iterator[_Drawn]:
    """Draw the questions of each template; `asked` collects their texts: no question is asked twice."""
    trace = source.trace.until(horizon) if horizon else source.trace
    if not len(trace):
        return
    drawn_by = f"{seed}/{_episode_hash(trace)}/{source.inventory.name}"
    for template in source.inventory.templates:
        if not (persons and template.by_reason):
            chance = random.Random(f"{drawn_by}/{template.name}")  # by its text: the same in every process
            yield _of_template(template, trace, chance, horizon, per_template, asked)


def _episode_hash(trace: Trace[Any]) -> str:
    """Hash the actions of an episode, so that other episodes are asked about other steps."""
    done = "\n".join(moment.action for moment in trace.moments)
    return hashlib.sha256(done.encode("utf-8", "replace")).hexdigest()[:12]


def _of_template(
    template: Template[Any],
    trace: Trace[Any],
    chance: random.Random,
    horizon: int,
    most: int,
    asked: set[str],
) -> _Drawn:
    drawn = _Drawn()
    for slots in islice(template.choose(trace, chance), TRIES):
        if len(drawn.answerable) >= most and len(drawn.broken) >= most:
            break
        text = within(template.form.ask(slots), horizon if template.ranged else 0)
        if text.casefold() in asked:
            continue
        asked.add(text.casefold())
        question = _question(template, text, slots, template.find(trace, slots), len(trace))
        kept = drawn.answerable if question.answerable else drawn.broken
        if len(kept) < most and not faults_of(question, template, len(trace)):
            kept.append(question)
    return drawn


def _question(template: Template[Any], text: str, slots: Slots, truth: Truth, last: int) -> Question:
    lo, hi = asked_about(slots, last)
    return Question(
        id="",
        template=template.name,
        ability=template.ability if truth.answers else Ability.ADVERSARIAL,
        text=text,
        slots=slots,
        kind=template.kind,
        truth=truth.answers or (NOT_ANSWERABLE,),
        evidence=truth.steps,
        lo=lo,
        hi=hi,
    )


def asked_about(slots: Slots, last: int) -> tuple[int, int]:
    """Return the first and last step that the slots ask about: `lo` to `hi`, `step`, or the episode."""
    step = slots.get("step")
    if isinstance(step, int):
        return step, step
    lo, hi = slots.get("lo", 1), slots.get("hi", last)
    return (lo, hi) if isinstance(lo, int) and isinstance(hi, int) else (1, last)


def _adversarial(drawn: Sequence[_Drawn], seed: int, per_template: int) -> list[Question]:
    """Pick questions without an answer from as many templates as possible, one of each in turn."""
    wanted = _even_share([question for of_template in drawn for question in of_template.answerable])
    order = [of_template for of_template in drawn if of_template.broken]
    random.Random(f"{seed}/adversarial").shuffle(order)
    turns = (
        of_template.broken[turn]
        for turn in range(per_template)
        for of_template in order
        if turn < len(of_template.broken)
    )
    picked = {id(question) for question in islice(turns, wanted)}
    return [question for of_template in drawn for question in of_template.broken if id(question) in picked]


def _even_share(questions: Sequence[Question]) -> int:
    """Return the mean number of questions of the abilities that have any; 1 if none has."""
    counts: dict[Ability, int] = {}
    for question in questions:
        counts[question.ability] = counts.get(question.ability, 0) + 1
    return round(fmean(counts.values())) if counts else 1


def _numbered(questions: Sequence[Question]) -> Iterator[Question]:
    width = max(3, len(str(len(questions))))
    for number, question in enumerate(questions, start=1):
        yield question.model_copy(update={"id": f"{number:0{width}d}"})
