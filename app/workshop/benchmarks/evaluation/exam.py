"""`exam`: how long an exam takes to make, and how well each answerer does.

Generation: the grid inventory over the first 200 and over all of 10,000 steps of one walk through a Crafter
world. Accuracy and F1: exams over seeded Crafter episodes of 200 steps (rules: paper), answered by structured
recall in the templates' own words and in freer ones (`resources/exam/rewordings.toml`); and, where
$PITWALL_BENCH_MODEL names a model, in context and by retrieval in the freer words, as the source asks.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from pitwall.answering.opening import AnswererSpec, open_answerer
from pitwall.answering.session import answer_sheet
from pitwall.core.paths import DataFolder
from pitwall.evaluation.exam.making import exam_of_run
from pitwall.exam.grid.inventory import grid_inventory
from pitwall.exam.grid.manifest_vocabulary import grid_vocabulary
from pitwall.exam.marking.baselines import best_of
from pitwall.exam.marking.scoring import Mark, Marks, pooled
from pitwall.exam.questions.abilities import Ability
from pitwall.exam.questions.making import QuestionSource, make_exam
from pitwall.exam.questions.paper import Exam
from pitwall.exam.questions.rewording import reworded
from pitwall.exam.questions.sheet import AnswererKind
from pitwall.games.registry import Registry
from workshop.benchmarks.benchmark_model import benchmark_model, named_model
from workshop.benchmarks.report import check, figure, report, spread
from workshop.fixtures.crafter_episodes import GAME_ID, play_crafter
from workshop.fixtures.crafter_walk import crafter_walk

AIM_SHORT_S, AIM_LONG_S = 0.1, 5.0
AIM_OVERALL, AIM_HARD = 0.90, 0.75
_SHORT, _LONG = 200, 10_000
_EPISODES = 10
_SEED = 42
_HARD = (Ability.INDUCTION, Ability.SPATIAL)


@dataclass(frozen=True)
class AnswererResult:
    """Holds one answerer's marks over all exams in one wording.

    Attributes:
        seconds: for a question, on average.
    """

    kind: AnswererKind
    wording: str
    marks: Marks
    seconds: float

    @property
    def name(self) -> str:
        """As tables call it."""
        return f"{self.kind}, {self.wording} words"


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
            *_recall_checks(sat[0].marks),
        ],
        episodes=len(exams),
        questions=sum(len(exam.questions) for exam in exams),
        answerers=[_told(one) for one in sat],
        published_best={"name": best.name, "accuracy": best.overall / 100, "f1": best.f1 / 100},
        processor_s=processor_s,
        load_average=os.getloadavg()[0],
    )


def _generation(data: DataFolder, steps: int) -> tuple[dict[str, Any], dict[str, Any], dict[str, float]]:
    """Seconds for the short and the long stretch of one walk, an index made anew each time, and the processor
    time that each took at the median: on a busy machine it is less."""
    profile = Registry(data).load(GAME_ID).profile
    assert profile.exam is not None and profile.exam.grid is not None
    words = grid_vocabulary(profile, profile.exam.grid)
    trace = crafter_walk(words, seed=_SEED, steps=steps)

    def once(length: int, seed: int) -> tuple[float, float]:
        source = QuestionSource(grid_inventory(words), trace.until(length))
        began_s, worked_s = time.perf_counter(), time.process_time()
        make_exam([source], game_id=GAME_ID, run_id=1, seed=seed)
        return time.perf_counter() - began_s, time.process_time() - worked_s

    short, long = [once(_SHORT, seed) for seed in range(9)], [once(steps, seed) for seed in range(3)]
    processor_s = {
        f"{_SHORT} steps": median(one[1] for one in short),
        f"{steps} steps": median(one[1] for one in long),
    }
    return spread([one[0] for one in short]), spread([one[0] for one in long]), processor_s


def _answered(data: DataFolder, exams: Sequence[Exam]) -> list[AnswererResult]:
    free = [reworded(exam) for exam in exams]
    sat = [
        _sat(data, exams, AnswererSpec(kind="recall"), "declared"),
        _sat(data, free, AnswererSpec(kind="recall"), "free"),
    ]
    if named_model():
        model = benchmark_model(data, layers=4, width=256, threads=os.cpu_count() or 1).entry.name
        for kind in ("in-context", "retrieval"):
            sat.append(_sat(data, free, AnswererSpec(kind=kind, model=model), "free"))
    return sat


def _sat(data: DataFolder, exams: Sequence[Exam], wanted: AnswererSpec, wording: str) -> AnswererResult:
    sheets = []
    began_s = time.perf_counter()
    for exam in exams:
        sheet = exam.sheet()
        with open_answerer(wanted, data, sheet) as answerer:
            sheets.append((exam, answer_sheet(answerer, sheet, keep=lambda _: None)))
    asked = sum(len(exam.questions) for exam in exams)
    return AnswererResult(wanted.kind, wording, pooled(sheets), (time.perf_counter() - began_s) / asked)


def _recall_checks(marks: Marks) -> list[dict[str, Any]]:
    wanted = [(marks.overall, AIM_OVERALL), *((marks.of(ability), AIM_HARD) for ability in _HARD)]
    return [
        check(
            f"recall, declared: {mark.ability or 'overall'}",
            "",
            figure(mark.accuracy or 0.0),
            aim=f"≥ {100 * aim:g} %",
            met=(mark.accuracy or 0.0) >= aim,
        )
        for mark, aim in wanted
    ]


def _told(one: AnswererResult) -> dict[str, Any]:
    marks = (one.marks.overall, *one.marks.abilities)
    return {
        "name": one.name,
        "seconds_a_question": one.seconds,
        "abilities": {mark.ability or "overall": _figures(mark) for mark in marks},
    }


def _figures(mark: Mark) -> dict[str, Any]:
    return {"n": mark.n, "accuracy": mark.accuracy, "low": mark.low, "high": mark.high, "f1": mark.f1}
