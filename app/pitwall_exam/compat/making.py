"""Makes an exam by the published rules over one's own episode."""

from __future__ import annotations

from collections.abc import Iterator

from pitwall_exam.compat.episode import Episode
from pitwall_exam.compat.sampling import Drawn, drawn
from pitwall_exam.compat.world import World
from pitwall_exam.questions.abilities import Ability, AnswerKind
from pitwall_exam.questions.making import sealed
from pitwall_exam.questions.paper import Exam, Question

_ABILITIES = {
    "Single‑Hop": Ability.SINGLE_HOP,
    "Multi‑Hop": Ability.MULTI_HOP,
    "Inducing": Ability.INDUCTION,
    "Spatial": Ability.SPATIAL,
    "Time": Ability.TEMPORAL,
    "Logical": Ability.LOGICAL,
    "adversarial": Ability.ADVERSARIAL,
}


def compat_exam(
    episode: Episode,
    *,
    game_id: str,
    run_id: int,
    seed: int,
    horizon: int = 0,
    per_template: int = 2,
    persons: bool = False,
) -> Exam:
    """Make an exam over an episode: the same episode, seed and settings give the same exam everywhere.

    Questions with an empty published answer (the reason of a step without one) are left out, because they
    cannot be marked.

    Args:
        horizon: as published, but 0 for the whole episode. persons: leave out questions about reasons.
    """
    world = World(episode)
    questions = drawn(world, seed=seed, horizon=horizon, per_template=per_template, reasons=not persons)
    return sealed(
        Exam(
            exam_id="",
            rule_set="compat",
            inventory="grid",
            game_id=game_id,
            run_id=run_id,
            seed=seed,
            horizon=horizon,
            per_template=per_template,
            steps=len(episode.steps),
            questions=tuple(_numbered([question for question in questions if question.question.gt != ""])),
        )
    )


def _numbered(drawn_questions: list[Drawn]) -> Iterator[Question]:
    width = max(3, len(str(len(drawn_questions))))
    for number, drawn_question in enumerate(drawn_questions, start=1):
        yield _question(f"{number:0{width}d}", drawn_question)


def _question(number: str, drawn_question: Drawn) -> Question:
    published = drawn_question.question
    truth = published.gt
    lo, hi = (step + 1 for step in published.range)
    return Question(
        id=number,
        template=published.template,
        ability=_ABILITIES[published.type],
        text=published.question,
        slots=drawn_question.slots,
        kind=_kind(truth),
        truth=tuple(map(str, truth)) if isinstance(truth, list) else (str(truth),),
        evidence=drawn_question.evidence,
        lo=lo,
        hi=hi,
    )


def _kind(truth: object) -> AnswerKind:
    if isinstance(truth, int):
        return "integer"
    return "yes-no" if truth in ("yes", "no") else "string"
