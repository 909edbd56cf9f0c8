"""Compares two agents, or two suites: which differences are real, and which are noise."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal

from pitwall.console.kit.controls import Choice
from pitwall.console.kit.elements import Card, EmptyState, KeyValue, Label, column, holder, row
from pitwall.console.kit.form.inputs import Combo
from pitwall.console.kit.panes import ScrollPane
from pitwall.console.kit.theme import GAP, PAD, STEP, Look
from pitwall.core.quantities import local_time, share
from pitwall_bench.console.figures import agents_of, group_of, grouped
from pitwall_bench.console.format import share_words, success_words
from pitwall_bench.console.results.paired_plot import NOISE, Pair, PairsPlot
from pitwall_bench.console.results.plot_card import PlotCard
from pitwall_bench.suites.catalogue import SuiteRun
from pitwall_bench.suites.comparison import ALPHA, Comparison, compared
from pitwall_bench.suites.results import TaskRun
from pitwall_evaluation.console.data_sheet import Column

_ALL = ""


@dataclass(frozen=True, slots=True)
class ComparisonSide:
    """A side of a comparison: an agent of a suite, or all of its agents."""

    name: str
    runs: Sequence[TaskRun]


class CompareView(ScrollPane):
    """Chooses two sides and shows the verdict. Signals: opened(keys): of the suite in view."""

    opened = Signal(object)

    def __init__(self, look: Look) -> None:
        super().__init__("Comparison")
        self._run: SuiteRun | None = None
        self._others: Sequence[SuiteRun] = ()
        self.suites = (Combo("First suite", width=120), Combo("Second suite", width=120))
        self.agents = (Combo("First agent", width=120), Combo("Second agent", width=120))
        self.measure = Choice(
            "Compared by",
            (
                ("success", "Success", "Fisher's exact test"),
                ("progress", "Progress", "Paired permutation test over the same tasks and seeds"),
            ),
        )
        self._verdict = Label("", "strong", wrap=True)
        self._why = Label("", "dim", wrap=True)
        self._facts = [KeyValue(name) for name in ("Success", "Progress", "Pairs", "Difference in progress")]
        self._card = Card(self._verdict, self._why, *self._facts, gap=STEP)
        self.plot = PairsPlot(look)
        self.pairs = PlotCard("Game by game", self.plot, self.measure)
        self.pairs.opened.connect(self._open)
        self._empty = EmptyState(
            "Nothing to compare yet",
            "Two agents of a suite, or two suites, are compared here, with tests of their differences.",
        )
        a, b = zip(self.agents, self.suites, strict=True)
        parts = (row(*a, Label("with", "dim"), *b, None), self._empty, self._card, self.pairs, None)
        self.setWidget(holder(column(*parts, margins=(PAD, GAP, PAD, PAD))))
        for which, combo in enumerate(self.suites):
            combo.chosen.connect(lambda _, which=which: self._suite_taken(which))
        for combo in self.agents:
            combo.chosen.connect(lambda _: self._draw())
        self.measure.chosen.connect(lambda _: self._draw())

    @property
    def verdict_text(self) -> str:
        """Return the shown verdict."""
        return self._verdict.full_text()

    @property
    def against(self) -> str:
        """Return the suite compared with the one in view; empty if both sides belong to it."""
        keys = [combo.current for combo in self.suites]
        here = self._run.key if self._run is not None else ""
        return next((str(key) for key in keys if key and key != here), "")

    def show_run(self, run: SuiteRun, others: Sequence[SuiteRun]) -> None:
        """Show a suite and the suites it can be compared with; the choice stays if possible."""
        fresh = self._run is None or self._run.key != run.key
        self._run = run
        self._others = [other for other in others if other.key != run.key and other.runs]
        shelf = [run, *self._others]
        for combo in self.suites:
            combo.offer(
                [(run.key, f"{run.key} · {local_time(run.at)}") for run in shelf],
                run.key if fresh else combo.current,
            )
        for which in (0, 1):
            self._fill_agents(which, fresh=fresh)
        self._draw()

    def choose(self, which: int, suite: str, agent: str) -> None:
        """Choose a side, as the operator does."""
        for combo, key in ((self.suites[which], suite), (self.agents[which], agent)):
            combo.setCurrentIndex(max(0, combo.findData(key)))

    def _suite_taken(self, which: int) -> None:
        self._fill_agents(which, fresh=False)
        self._draw()

    def _fill_agents(self, which: int, *, fresh: bool) -> None:
        run = self._suite(which)
        agents = agents_of(run.runs) if run is not None else []
        combo = self.agents[which]
        kept = combo.current
        if fresh or kept is None:
            kept = agents[which] if len(agents) > which else _ALL
        combo.offer([*agents, (_ALL, "all agents")], kept)

    def _suite(self, which: int) -> SuiteRun | None:
        key = self.suites[which].current
        return next((run for run in (self._run, *self._others) if run is not None and run.key == key), None)

    def side(self, which: int) -> ComparisonSide:
        """Return the runs of a side."""
        run, agent = self._suite(which), self.agents[which].current
        if run is None:
            return ComparisonSide("", ())
        runs = [
            task_run
            for task_run in run.runs
            if task_run.cell.rung < 0 and agent in (_ALL, task_run.cell.agent)
        ]
        several = self.suites[0].current != self.suites[1].current
        name = agent or "all agents"
        return ComparisonSide(f"{name} in {run.key}" if several else name, runs)

    def _draw(self) -> None:
        a, b = on_common_tasks(self.side(0), self.side(1))
        same = self.suites[0].current == self.suites[1].current
        same = same and self.agents[0].current == self.agents[1].current
        comparisons = compared([(a.name, a.runs, b.name, b.runs)]) if not same else []
        self._card.setVisible(bool(comparisons))
        self.pairs.setVisible(bool(comparisons))
        self._empty.setVisible(not comparisons)
        if not comparisons:
            why = (
                "Choose another agent or suite on one side."
                if same
                else "There is no task that both sides have played."
            )
            self._empty.say("Nothing to compare yet", why)
            return
        self._show_verdict(a, b, comparisons[0])
        self._show_pairs(a, b)

    def _show_verdict(self, a: ComparisonSide, b: ComparisonSide, comparison: Comparison) -> None:
        head, *figures = re.split(r" \((.*?)\)", comparison.verdict)
        sign = "≠" if comparison.differs else "≈"
        self._verdict.set_text(f"{sign} {head}")
        self._why.set_text("; ".join(part for part in figures if part.strip()))
        self._card.set_tone("ok" if comparison.differs else "neutral")
        groups = [group_of(side.name, side.runs) for side in (a, b)]
        success = [
            f"{group.key} {share_words(group.success)}, {success_words(group.success)}" for group in groups
        ]
        progress = [f"{group.key} {share_words(group.progress)}" for group in groups]
        difference = "–"
        if comparison.difference is not None and comparison.low is not None and comparison.high is not None:
            low, high = 100 * comparison.low, 100 * comparison.high
            difference = f"{100 * comparison.difference:+.1f} ({low:+.1f} … {high:+.1f}) percentage points"
        values = (
            " · ".join(success),
            " · ".join(progress),
            f"{comparison.pairs:,} pairs of runs: same task, seed and wave (repeat)",
        )
        for line, value in zip(self._facts, (*values, difference), strict=True):
            line.set_value(value)

    def _show_pairs(self, a: ComparisonSide, b: ComparisonSide) -> None:
        measure = self.measure.current
        pairs = pairs_of(a, b, measure)
        self.plot.show_pairs(pairs, a.name, b.name, measure)
        self.pairs.say(
            "Points: shares. Lines: 95 % intervals. A difference counts below p = 0.05, corrected for the "
            "number of games (Holm); the rest is called inside the noise.",
            f"{a.name} · {b.name}",
        )
        self.pairs.show_sheet(
            "game",
            [
                *(Column(f"{a.name}: {word}", share) for word in ("share", "low", "high")),
                *(Column(f"{b.name}: {word}", share) for word in ("share", "low", "high")),
                Column("differs", lambda value: "yes" if value else "no"),
                Column("difference, points"),
            ],
            [
                (
                    pair.name,
                    (
                        *(pair.a.value, pair.a.low, pair.a.high, pair.b.value, pair.b.low, pair.b.high),
                        pair.differs,
                        100 * (pair.a.value - pair.b.value),
                    ),
                )
                for pair in pairs
            ],
        )

    def _open(self, game: str) -> None:
        if self._run is None:
            return
        agents = {self.agents[which].current for which in (0, 1)}
        here = [run.cell for run in self._run.runs if run.cell.game == game and run.cell.rung < 0]
        self.opened.emit([cell.key for cell in here if cell.agent in agents or _ALL in agents])


def on_common_tasks(a: ComparisonSide, b: ComparisonSide) -> tuple[ComparisonSide, ComparisonSide]:
    """Return both sides' runs of the tasks that both played: nothing else can be compared."""
    played = [
        {(run.cell.game, run.cell.task) for run in side.runs if run.played and run.cell.rung < 0}
        for side in (a, b)
    ]
    both = played[0] & played[1]
    first, second = (
        ComparisonSide(side.name, [run for run in side.runs if (run.cell.game, run.cell.task) in both])
        for side in (a, b)
    )
    return first, second


def pairs_of(a: ComparisonSide, b: ComparisonSide, measure: str) -> list[Pair]:
    """Compare the games that both sides played, each over the tasks that both played."""
    a, b = on_common_tasks(a, b)
    sides = [{group.key: group for group in grouped(side.runs, "game")} for side in (a, b)]
    games = [game for game in sides[0] if game in sides[1]]
    comparisons = compared([(a.name, sides[0][game].runs, b.name, sides[1][game].runs) for game in games])
    pairs = []
    for game, comparison in zip(games, comparisons, strict=True):
        of = [side[game].success if measure == "success" else side[game].progress for side in sides]
        differs = (comparison.success_p if measure == "success" else comparison.progress_p) < ALPHA
        better = a.name if of[0].value > of[1].value else b.name
        verdict = f"{better} better" if differs else NOISE
        pairs.append(Pair(game, of[0], of[1], verdict, differs, comparison.verdict))
    return pairs
