"""`recall`: how well structured recall understands questions, by game, wording and ability.

Ten seeded episodes of Crafter and ten of the text adventure, up to 200 steps each (rules: paper), asked in
the templates' own words and in freer ones (`resources/exam/rewordings.toml`). If $PITWALL_BENCH_MODEL names a
model, it words some questions of each template as well. Only paraphrases that pass the checks of
`pitwall_exam/answering/paraphrase.py` are asked; the others are counted by reason.
"""

from __future__ import annotations

import random
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pitwall.core.paths import DataFolder
from pitwall_exam.answering.model_calls import ModelCaller
from pitwall_exam.answering.opening import AnswererSpec
from pitwall_exam.answering.paraphrase import Paraphraser
from pitwall_exam.making.making import exam_of_run
from pitwall_exam.questions.making import paraphrased
from pitwall_exam.questions.paper import Exam, Question
from pitwall_exam.questions.rewording import reworded
from workshop.benchmarks.benchmark_model import benchmark_model, named_model
from workshop.benchmarks.evaluation.sitting import Sitting, sit
from workshop.benchmarks.report import check, figure, report
from workshop.fixtures.crafter_episodes import play_crafter
from workshop.fixtures.story_episodes import play_story

AIM = 0.90
GAMES: dict[str, Callable[..., int]] = {"crafter": play_crafter, "story": play_story}
_EPISODES, _STEPS, _QUICK_STEPS = 10, 200, 30
_SEED = 42
_WORDED = 2
"""Questions of each template that a model words, drawn from all episodes."""
_DEADLINE_S = 120.0
_RECALL = AnswererSpec(kind="recall")


def run(*, quick: bool) -> dict[str, Any]:
    """Measure both games."""
    with tempfile.TemporaryDirectory(prefix="pitwall-bench-", ignore_cleanup_errors=True) as scratch:
        results = {
            name: _measured(DataFolder(Path(scratch) / name), play, quick=quick)
            for name, play in GAMES.items()
        }
    sittings = [(game, sitting) for game, (sat, _, _) in results.items() for sitting in sat]
    return report(
        "recall",
        [
            check(
                f"{game}: {sitting.name}",
                "",
                figure(sitting.marks.overall.accuracy or 0.0),
                aim=f"≥ {100 * AIM:g} %",
                met=(sitting.marks.overall.accuracy or 0.0) >= AIM,
            )
            for game, sitting in sittings
        ],
        games={
            game: {
                "episodes": len(exams),
                "questions": sum(len(exam.questions) for exam in exams),
                "wordings": [sitting.by_ability() for sitting in sat],
                "model": dropped,
            }
            for game, (sat, exams, dropped) in results.items()
        },
    )


def _measured(
    data: DataFolder, play: Callable[..., int], *, quick: bool
) -> tuple[list[Sitting], list[Exam], dict[str, Any]]:
    episodes, steps = (1, _QUICK_STEPS) if quick else (_EPISODES, _STEPS)
    runs = [play(data, seed=seed, steps=steps) for seed in range(1, episodes + 1)]
    exams = [exam_of_run(data, run_id, seed=_SEED).exam for run_id in runs]
    sat = [
        sit(data, exams, _RECALL, "declared"),
        sit(data, [reworded(exam) for exam in exams], _RECALL, "free"),
    ]
    model_facts: dict[str, Any] = {}
    if named_model():
        worded, model_facts = _in_a_models_words(data, exams)
        sat += [sit(data, worded, _RECALL, "a model's")] if worded else []
    return sat, exams, model_facts


def _in_a_models_words(data: DataFolder, exams: Sequence[Exam]) -> tuple[list[Exam], dict[str, Any]]:
    """Return the exams with only the questions that a model could reword, and the outcome of the others."""
    model = benchmark_model(data, layers=4, width=256, threads=1)
    texts: dict[int, dict[str, str]] = {}
    dropped = Counter[str]()
    drawn = _drawn(exams)
    with ModelCaller(data, model.entry, deadline_s=_DEADLINE_S) as asker:
        paraphraser = Paraphraser(asker)
        for number, question in drawn:
            wording = paraphraser.paraphrase(question.text, map(str, question.slots.values()), lambda: False)
            assert wording is not None  # nobody stops it
            if wording.text:
                texts.setdefault(number, {})[question.id] = wording.text
            else:
                dropped[re.sub(r"'.*'", "…", wording.problem)] += 1
    worded = [
        paraphrased(
            exams[number].model_copy(
                update={
                    "questions": tuple(
                        wording for wording in exams[number].questions if wording.id in wordings
                    )
                }
            ),
            wordings,
            by=f"model {model.entry.name}",
        )
        for number, wordings in sorted(texts.items())
    ]
    kept = len(drawn) - dropped.total()
    return worded, {
        **model.conditions,
        "asked": len(drawn),
        "kept": kept,
        "dropped": dict(dropped.most_common()),
        "texts": [
            {"asked": wording.text, "worded": wording.paraphrase}
            for exam in worded
            for wording in exam.questions
        ],
    }


def _drawn(exams: Sequence[Exam]) -> list[tuple[int, Question]]:
    """Draw some questions of each template, each with the number of its exam."""
    pool = [(number, question) for number, exam in enumerate(exams) for question in exam.questions]
    random.Random(_SEED).shuffle(pool)
    seen = Counter[str]()
    drawn = []
    for number, question in pool:
        seen[question.template] += 1
        if seen[question.template] <= _WORDED:
            drawn.append((number, question))
    return drawn
