"""The results of a learner's study: the curve over carried runs with its bands, and the chain of memories."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from pitwall.core.quantities import NONE
from pitwall_bench.study.learner.folder import uses_of
from pitwall_bench.study.learner.gate import PairTrial
from pitwall_bench.study.learner.learner import LearnedRun
from pitwall_bench.study.sheet import StudySheet, tables
from pitwall_bench.suites.report.figure_format import interval, share_text
from pitwall_bench.suites.results import TaskRun
from pitwall_bench.suites.statistics import Mean, Share, mean_of, share_of
from pitwall_evaluation.html_report import figure_table, study_page

MEASURED_HEAD = ("carried runs", "runs measured", "wins", "Wilson 95 %", "score", "mean's 95 %", "skills")
CARRIED_HEAD = ("run", "score", "won", "memory after", "gate", "accepted", "retired", "skills")
_HASH = 12
_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 640, 280, 56, 40, 16


class _Kept(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Measurement(_Kept):
    """A memory after so many carried runs, measured on seeds of its own. uses: decisions of each skill."""

    after: int
    skills: int
    success: Share
    score: Mean
    uses: dict[str, int] = Field(default_factory=dict)
    runs: tuple[dict[str, Any], ...] = ()

    @classmethod
    def of(cls, after: int, skills: int, runs: Sequence[TaskRun]) -> Measurement:
        """Return the measurement that runs make. skills: in use in the memory."""
        scores = [run.score or 0.0 for run in runs]
        return cls(
            after=after,
            skills=skills,
            success=share_of(sum(run.success for run in runs), len(runs)),
            score=mean_of(scores),
            uses=dict(uses_of(runs)),
            runs=tuple(
                {"seed": run.cell.seed, "score": score, "won": run.success}
                for run, score in zip(runs, scores, strict=True)
            ),
        )

    @property
    def sentence(self) -> str:
        """Return its figures as a sentence."""
        return (
            f"After {self.after} carried runs: {share_text(self.success)} won, score {self.score.mean:.1f}."
        )


class LearnerResult(_Kept):
    """A whole study. recorded: runs that were recorded, carried and of the gate."""

    task: str
    recorded: int
    carried: tuple[LearnedRun, ...]
    measured: tuple[Measurement, ...]
    state: Literal["done", "stopped"] = "done"

    @property
    def verdict(self) -> str:
        """Compare the last memory with the frozen one."""
        if len(self.measured) < 2:
            return "Nothing to compare."
        first, last = self.measured[0].success, self.measured[-1].success
        apart = "do not overlap" if last.low > first.high or last.high < first.low else "overlap"
        times = f": {last.share / first.share:.1f} times as often" if first.share else ""
        return (
            f"After {self.measured[-1].after} carried runs it won {last.wins} of {last.runs}, the frozen one "
            f"{first.wins} of {first.runs}{times}; the 95 % intervals {apart}."
        )


def _measured_row(row: Measurement) -> tuple[str, ...]:
    score = f"{row.score.low:.1f} … {row.score.high:.1f}"
    return (
        str(row.after),
        str(row.success.runs),
        share_text(row.success),
        interval(row.success),
        f"{row.score.mean:.1f}",
        score,
        str(row.skills),
    )


def _carried_row(run: LearnedRun) -> tuple[str, ...]:
    return (
        str(run.position + 1),
        f"{run.score:.1f}",
        "yes" if run.won else "no",
        run.after[:_HASH],
        _gate_text(run.trial),
        str(len(run.accepted) or NONE),
        str(len(run.retired) or NONE),
        str(run.skills),
    )


def _gate_text(trial: PairTrial | None) -> str:
    return (
        NONE
        if trial is None
        else f"{trial.verdict}: {trial.gain:+.1f} ± {trial.error:.1f}, {trial.pairs} pairs"
    )


def tables_of(result: LearnerResult) -> Iterator[tuple[str, tuple[str, ...], list[tuple[str, ...]]]]:
    """Return each table: title, head and rows."""
    yield "Measured", MEASURED_HEAD, list(map(_measured_row, result.measured))
    yield "Carried runs and the gate", CARRIED_HEAD, list(map(_carried_row, result.carried))


def sheet_of(result: LearnerResult, suite: str, page: str) -> StudySheet:
    """Return the study as its folder keeps it."""
    parts = ((title, head, rows, "") for title, head, rows in tables_of(result))
    title = f"A learner without a model: {result.task}"
    return StudySheet(title=title, verdict=result.verdict, suites=(suite,), page=page, tables=tables(parts))


def text_lines(result: LearnerResult, table: Callable[..., Iterator[str]]) -> Iterator[str]:
    """Format a study for a terminal."""
    yield f"{result.task}: {len(result.carried)} carried runs, {result.recorded} recorded, {result.state}"
    for title, head, rows in tables_of(result):
        yield from ("", title, *table(head, rows))
    yield from ("", result.verdict)


def html_of(result: LearnerResult) -> str:
    """Write the page with the learning curve."""
    return study_page(f"A learner without a model: {result.task}", _sections(result))


def _sections(result: LearnerResult) -> Iterator[str]:
    yield f"<p>{escape(result.verdict)} Runs recorded, carried and of the gate: {result.recorded}.</p>"
    yield f"<section>\n<h2>Wins over carried runs</h2>\n{curve(result.measured)}\n</section>"
    for title, head, rows in tables_of(result):
        lines = [
            "<tr>" + "".join(f'<td class="n">{escape(cell)}</td>' for cell in row) + "</tr>" for row in rows
        ]
        yield f"<section>\n<h2>{title}</h2>\n{figure_table(head, lines)}\n</section>"
    uses = result.measured[-1].uses if result.measured else {}
    items = "".join(f"<li>{escape(name or 'no skill')}: {count}</li>" for name, count in [*uses.items()][:40])
    yield f"<section>\n<h2>Uses of each skill in the last measurement</h2>\n<ul>{items}</ul>\n</section>"


def curve(measured: Sequence[Measurement]) -> str:
    """Draw the share of wins over carried runs, with Wilson's band."""
    if not measured:
        return ""
    most = max(row.success.high for row in measured) or 1.0
    last = max(row.after for row in measured) or 1
    wide, high = _WIDTH - _LEFT - 16, _HEIGHT - _BOTTOM - _TOP

    def point(after: int, share: float) -> str:
        return f"{_LEFT + wide * after / last:.1f},{_TOP + high * (1 - share / most):.1f}"

    above = [point(row.after, row.success.high) for row in measured]
    below = [point(row.after, row.success.low) for row in reversed(measured)]
    line = " ".join(point(row.after, row.success.share) for row in measured)
    marks = "".join(
        f'<text x="{_LEFT - 8}" y="{_TOP + high * (1 - part / 4) + 4:.0f}" text-anchor="end">'
        f"{100 * most * part / 4:.0f} %</text>"
        for part in range(5)
    )
    marks += "".join(
        f'<text x="{point(row.after, 0).split(",")[0]}" y="{_HEIGHT - 18}" text-anchor="middle">'
        f"{row.after}</text>"
        for row in measured
    )
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" role="img" fill="currentColor" '
        'font-size="12"><title>Share of wins over carried runs, with 95 % bands</title>'
        f'<polygon points="{" ".join([*above, *below])}" fill="#2a78d0" opacity="0.22"/>'
        f'<polyline points="{line}" fill="none" stroke="#2a78d0" stroke-width="2.5"/>{marks}'
        f'<text x="{_LEFT + wide / 2}" y="{_HEIGHT - 2}" text-anchor="middle">carried runs</text></svg>'
    )
