"""The results at a glance: agents with their intervals, the heat map, the levels, cost against success."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from pitwall.console.kit.controls import Choice
from pitwall.console.kit.panes import ScrollPane
from pitwall.console.kit.theme import GAP, PAD, Look
from pitwall.core.quantities import number, share
from pitwall_bench.console.figures import CostKind, Group, agents_of, grouped
from pitwall_bench.console.format import notes, share_words, success_words
from pitwall_bench.console.results.agent_bars import AgentBars
from pitwall_bench.console.results.cost_plot import CostPlot, CostPoint, front
from pitwall_bench.console.results.heat_map import Heat, HeatCell, HeatMap
from pitwall_bench.console.results.human_card import HumanCard
from pitwall_bench.console.results.ladder_climbs import ClimbsCard
from pitwall_bench.console.results.plot_card import PlotCard
from pitwall_bench.suites.results import TaskRun
from pitwall_bench.suites.spec import SuiteSpec
from pitwall_bench.suites.statistics import LEVELS
from pitwall_bench.suites.summary import played_by_others
from pitwall_evaluation.console.data_sheet import Column, count_text
from pitwall_evaluation.console.plot import FIRST_INK
from pitwall_evaluation.console.radar import RadarChart, RadarLine, Spoke


class LevelRadar(RadarChart):
    """Agents over the five curriculum levels: how far each comes where."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, "Levels", [_level(*level) for level in LEVELS.items()])

    def show_lines(self, lines: Sequence[RadarLine], measure: str) -> None:
        """Show other agents."""
        self.show_web(lines, f"{measure.capitalize()} of each agent by curriculum level")


def _level(number: int, name: str) -> Spoke:
    first, _, rest = name.partition(" ")
    words = (f"{number} {name}",) if number == 1 or not rest else (f"{number} {first}", rest)
    return Spoke(words, f"level {number} · {name}")


_WIDE_PX = 860
_COSTS: dict[CostKind, tuple[str, str]] = {
    "seconds_step": ("seconds per step", "s"),
    "tokens_run": ("tokens per run", "tok"),
    "tokens_step": ("tokens per step", "tok"),
}
_SHARES = (
    Column("share", share),
    Column("lower 95 %", share),
    Column("upper 95 %", share),
    Column("played", count_text),
)


class Overview(ScrollPane):
    """Signals: opened(keys): runs of these cells are wanted."""

    opened = Signal(object)

    def __init__(self, look: Look) -> None:
        super().__init__("Results at a glance")
        self._runs: Sequence[TaskRun] = ()
        self._agents: list[str] = []
        self._models: list[str] = []
        self.measure = Choice(
            "Measure",
            (
                ("success", "Success", "Share of played runs that reached their target"),
                ("progress", "Progress", "Mean share of the way from start to target"),
            ),
        )
        self.cost = Choice(
            "Cost",
            (
                ("seconds_step", "s/step", "Seconds of play for each step"),
                ("tokens_run", "tok/run", "Tokens that models read and wrote in a run"),
                ("tokens_step", "tok/step", "The same for each step"),
            ),
        )
        self.bars = PlotCard("Agents", AgentBars(look), tip="Bars: shares. Lines: 95 % intervals.")
        self.heat = PlotCard("Agents × games", HeatMap(look), self.measure)
        self.radar = PlotCard("Levels", LevelRadar(look), height=250)
        self.scatter = PlotCard("Cost against success", CostPlot(look), self.cost, height=250)
        self.human, self.climbs = HumanCard(look), ClimbsCard()
        self.cards = (self.bars, self.heat, self.radar, self.scatter)
        self.measure.chosen.connect(lambda _: self._draw())
        self.cost.chosen.connect(lambda _: self._draw_cost())
        for card, by in ((self.bars, "agent"), (self.heat, "cell"), (self.scatter, "agent")):
            card.opened.connect(lambda key, by=by: self._open(key, by))
        inside = QWidget()
        self._grid = QGridLayout(inside)
        self._grid.setContentsMargins(PAD, GAP, PAD, PAD)
        self._grid.setSpacing(GAP)
        self.setWidget(inside)
        self._wide: bool | None = None
        self._arrange(True)

    def show_runs(self, runs: Sequence[TaskRun], spec: SuiteSpec | None) -> None:
        """Show other results, with agents in the order of the suite."""
        self._runs = runs
        agents = spec.agents if spec is not None else []
        self._models = [agent.name for agent in agents if agent.kind == "model"]
        self._agents = agents_of(runs, [agent.name for agent in spec.agents] if spec is not None else [])
        for card in self.cards:
            card.setVisible(bool(self._agents))
        self.human.show_runs(runs)
        self.climbs.show_climbs(spec, runs)
        self._draw()

    # ---- drawing

    def _draw(self) -> None:
        self._draw_agents()
        heat, rows = heat_of(self._runs, self._agents, self.measure.current)
        self.heat.plot.show_heat(heat)
        self.heat.show_sheet("game · agent", _SHARES, rows)
        lines, rows = levels_of(self._runs, self._agents, self.measure.current)
        self.radar.plot.show_lines(lines, self.measure.current)
        self.radar.say("", self.measure.current)
        self.radar.show_sheet("level · agent", _SHARES, rows)
        self._draw_cost()

    def _by_agent(self) -> list[Group]:
        groups = {group.key: group for group in grouped(self._runs, "agent")}
        return [groups[agent] for agent in self._agents]

    def _draw_agents(self) -> None:
        groups = self._by_agent()
        self.bars.plot.show_groups(groups)
        unverified = sum(group.unverified for group in groups)
        note = f"{unverified:,} scores were read from pixels: shown, and not verified." if unverified else ""
        named = [group.row.model_copy(update={"agent": group.key}) for group in groups]
        warnings = played_by_others(named, self._models)
        note = " ".join(filter(None, (note, *warnings)))
        self.bars.say(note, f"{sum(group.row.runs for group in groups):,} played runs")
        columns = [Column("success", share), *_SHARES[1:3], Column("progress", share), *_SHARES[1:]]
        rows = []
        for group in groups:
            won, far = group.success, group.progress
            rows.append((group.key, (won.value, won.low, won.high, far.value, far.low, far.high, won.of)))
        self.bars.show_sheet("agent", columns, rows)

    def _draw_cost(self) -> None:
        kind = next(kind for kind in _COSTS if kind == self.cost.current)
        words, unit = _COSTS[kind]
        points = []
        for at, group in enumerate(self._by_agent()):
            won = group.success
            figures = (group.cost(kind), won.value, won.low, won.high)
            points.append(CostPoint(group.key, FIRST_INK + at, *figures, success_words(won), group.key))
        self.scatter.plot.show_points(points, words, unit)
        best = [point.name for point in front(points)]
        unknown = [point.name for point in points if not point.known]
        note = (
            f"Dashed: the front. No agent is both cheaper and better than {' or '.join(best)}."
            if best
            else ""
        )
        note += f" Not known of {' and '.join(unknown)}." if unknown else ""
        self.scatter.say(note.strip())
        self.scatter.show_sheet(
            "agent",
            [
                Column(f"{words}, {unit}", lambda value: number(value, unit)),
                Column("success", share),
                *_SHARES[1:3],
                Column("on the front", lambda value: "yes" if value else "no"),
            ],
            [
                (point.name, (point.cost, point.share, point.low, point.high, point.name in best))
                for point in points
            ],
        )

    # ---- inside

    def _open(self, key: str, by: str) -> None:
        game, _, agent = ("", "", key) if by == "agent" else key.partition("~")
        cells = (run.cell for run in self._runs)
        self.opened.emit([cell.key for cell in cells if cell.agent == agent and game in ("", cell.game)])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange(self.viewport().width() >= _WIDE_PX)

    def _arrange(self, wide: bool) -> None:
        if wide == self._wide:
            return
        self._wide = wide
        cards: tuple[QWidget, ...] = (*self.cards, self.human, self.climbs)
        for card in cards:
            self._grid.removeWidget(card)
        beside = ((0, 0, 1, 2), (1, 0, 2, 1), (1, 1, 1, 1), (2, 1, 1, 1), (3, 0, 1, 2), (4, 0, 1, 2))
        places = beside if wide else tuple((at, 0, 1, 1) for at in range(len(cards)))
        for card, place in zip(cards, places, strict=True):
            self._grid.addWidget(card, *place)
        self._grid.setColumnStretch(0, 6)
        self._grid.setColumnStretch(1, 5 if wide else 0)
        for line in range(7):
            self._grid.setRowStretch(line, int(line in (1, 2)) if wide else int(line == 6))


Row = tuple[str, tuple[float, float, float, float]]


def value_of(group: Group, measure: str) -> tuple[float, float, float, float]:
    """Return a group's share with its interval and number of runs."""
    of = group.progress if measure == "progress" else group.success
    return of.value, of.low, of.high, of.of


def heat_of(runs: Sequence[TaskRun], agents: Sequence[str], measure: str) -> tuple[Heat, list[Row]]:
    """Build the heat map of these runs, games by level, and its rows as a table."""
    runs = [run for run in runs if run.cell.rung < 0]
    games = sorted({run.cell.game: run for run in runs}.values(), key=lambda run: (run.level, run.cell.game))
    of_game = {group.key: group for group in grouped(runs, "game")}
    cells: list[list[HeatCell]] = []
    rows: list[Row] = []
    for game in games:
        line = []
        by_agent = {group.key: group for group in grouped(of_game[game.cell.game].runs, "agent")}
        for agent in agents:
            group = by_agent.get(agent)
            line.append(_heat_cell(game.cell.game, agent, group, measure))
            if group is not None:
                rows.append((f"{game.cell.game} · {agent}", value_of(group, measure)))
        cells.append(line)
    named = [(game.cell.game, f"L{game.level} {game.genre}" if game.level else game.genre) for game in games]
    return Heat(named, tuple(agents), cells, measure), rows


def _heat_cell(game: str, agent: str, group: Group | None, measure: str) -> HeatCell:
    if group is None:
        return HeatCell(math.nan)
    read = (
        ("success", f"{share_words(group.success)}, {success_words(group.success)}"),
        ("progress", share_words(group.progress)),
        ("time per step", number(group.seconds_per_step, "s")),
        *((("note", notes(group)),) if notes(group) else ()),
    )
    played = group.row.runs
    note = success_words(group.success) if measure == "success" else f"{played:,} run{'s'[: played != 1]}"
    return HeatCell(value_of(group, measure)[0], note, read, f"{game}~{agent}")


def levels_of(
    runs: Sequence[TaskRun], agents: Sequence[str], measure: str
) -> tuple[list[RadarLine], list[Row]]:
    """Return each agent's shares over the levels, and the same as a table."""
    by_agent = {group.key: group for group in grouped(runs, "agent")}
    lines: list[RadarLine] = []
    rows: list[Row] = []
    for at, agent in enumerate(agents):
        by_level = {group.key: group for group in grouped(by_agent[agent].runs, "level")}
        shares, noted = [], []
        for level, name in LEVELS.items():
            group = by_level.get(str(level))
            shares.append(value_of(group, measure)[0] if group is not None else math.nan)
            noted.append(success_words(group.success) if group is not None else "")
            if group is not None:
                rows.append((f"{level} {name} · {agent}", value_of(group, measure)))
        lines.append(RadarLine(agent, FIRST_INK + at, shares, noted))
    return lines, rows
