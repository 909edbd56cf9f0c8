"""`exam`: how long an exam takes to make, and how well each answerer does.

Generation: the grid inventory over the first 200 and over all of 10,000 steps of one walk through a Crafter
world. Accuracy and F1: exams over seeded Crafter episodes of 200 steps (rules: paper) in free words, as the
source asks, answered by structured recall; and, if $PITWALL_BENCH_MODEL names a model, in context and by
retrieval.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from pitwall.core.paths import DataFolder
from pitwall.games.registry import Registry
from pitwall_exam.answering.opening import AnswererSpec
from pitwall_exam.grid.inventory import grid_inventory
from pitwall_exam.grid.vocabulary import grid_vocabulary
from pitwall_exam.making.making import exam_of_run
from pitwall_exam.marking.baselines import best_of
from pitwall_exam.plugin_table.schema import ExamTable
from pitwall_exam.questions.making import QuestionSource, make_exam
from pitwall_exam.questions.paper import Exam
from pitwall_exam.questions.rewording import reworded
from workshop.benchmarks.benchmark_model import benchmark_model, named_model
from workshop.benchmarks.evaluation.sitting import Sitting, sit
from workshop.benchmarks.report import check, report, spread
from workshop.fixtures.crafter_episodes import GAME_ID, play_crafter
from workshop.fixtures.crafter_walk import crafter_walk

AIM_SHORT_S, AIM_LONG_S = 0.1, 5.0
_SHORT, _LONG = 200, 10_000
_EPISODES = 10
_SEED = 42


def run(*, quick: bool) -> dict[str, Any]:
    """Measure both."""
    with tempfile.TemporaryDirectory(prefix="pitwall-bench-", ignore_cleanup_errors=True) as scratch:
        data = DataFolder(Path(scratch))
        steps = _LONG // 10 if quick else _LONG
        short, long, processor_s = _generation(data, steps)
        runs = [
            play_crafter(data, seed=seed, steps=_SHORT) for seed in range(1, 2 if quick else _EPISODES + 1)
        ]
        exams = [exam_of_run(data, run_id, seed=_SEED).exam for run_id in runs]
        sat = _answered(data, exams)
    best = best_of("visual")
    return report(
        "exam",
        [
            check(
                f"made of {_SHORT} steps",
                "s",
                short,
                aim=f"≤ {AIM_SHORT_S:g} s",
                met=short["p50"] <= AIM_SHORT_S,
            ),
            check(
                f"made of {steps:,} steps",
                "s",
                long,
                aim=f"≤ {AIM_LONG_S:g} s",
                met=long["p50"] <= AIM_LONG_S,
            ),
        ],
        episodes=len(exams),
        questions=sum(len(exam.questions) for exam in exams),
        answerers=[sitting.by_ability() for sitting in sat],
        published_best={"name": best.name, "accuracy": best.overall / 100, "f1": best.f1 / 100},
        processor_s=processor_s,
        load_average=os.getloadavg()[0],
    )


def _generation(data: DataFolder, steps: int) -> tuple[dict[str, Any], dict[str, Any], dict[str, float]]:
    """Return the seconds for the short and the long part of one walk, and the median processor time of
    each, which is lower on a busy machine.
    """
    profile = Registry(data).load(GAME_ID).profile
    exam = profile.table(ExamTable)
    assert exam is not None and exam.grid is not None
    words = grid_vocabulary(profile, exam.grid)
    trace = crafter_walk(words, seed=_SEED, steps=steps)

    def once(length: int, seed: int) -> tuple[float, float]:
        source = QuestionSource(grid_inventory(words), trace.until(length))
        began_s, worked_s = time.perf_counter(), time.process_time()
        make_exam([source], game_id=GAME_ID, run_id=1, seed=seed)
        return time.perf_counter() - began_s, time.process_time() - worked_s

    short, long = [once(_SHORT, seed) for seed in range(9)], [once(steps, seed) for seed in range(3)]
    processor_s = {
        f"{_SHORT} steps": median(sample[1] for sample in short),
        f"{steps} steps": median(sample[1] for sample in long),
    }
    return spread([sample[0] for sample in short]), spread([sample[0] for sample in long]), processor_s


def _answered(data: DataFolder, exams: Sequence[Exam]) -> list[Sitting]:
    free = [reworded(exam) for exam in exams]
    kinds: list[AnswererSpec] = [AnswererSpec(kind="recall")]
    if named_model():
        model = benchmark_model(data, layers=4, width=256, threads=os.cpu_count() or 1).entry.name
        kinds += [AnswererSpec(kind=kind, model=model) for kind in ("in-context", "retrieval")]
    return [sit(data, free, kind, "free") for kind in kinds]
