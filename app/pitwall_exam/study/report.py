"""The report of a study, as text and as one HTML page that needs no network."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape
from itertools import product

from pitwall.core.quantities import NONE
from pitwall.games.registry import Registry
from pitwall_evaluation.html_report import figure_cells, figure_table, study_page
from pitwall_exam.marking.baselines import BASELINES, Games
from pitwall_exam.marking.distances import DistanceMark
from pitwall_exam.marking.scoring import Mark
from pitwall_exam.plugin_table.schema import ExamTable
from pitwall_exam.questions.abilities import Ability
from pitwall_exam.study.plan import StudyPlan
from pitwall_exam.study.results import EmembenchResult, SittingResult

_Table = tuple[str, Sequence[str], list[Sequence[str]], str]
_PER_CENT = 100
SENTENCES = {
    "marks": "Per cent with 95 % intervals over questions. Where rules read, they look a question up in what "
    "the recalled entries say of single steps, and nowhere else; they cannot use a sum that an entry tells.",
    "recall": "Recall turns a question back into its template and looks it up in the whole record. It is a "
    "product's ability and no answerer of the paper: do not compare it with the rows below.",
    "paper": "Published rows are of other episodes, other players and models of 32 billion parameters and "
    "more: they give a scale. There a model wrote the memories; here rules wrote them.",
    "distance": "Answerable questions, by the steps from their newest evidence to the last step asked about.",
    "rounds": "Accuracy over all questions of an exam that was made after so many steps.",
    "modes": "Interactive: the model that answers has played the episode. Fixed history: others played it. "
    "The difference is interactive less fixed, in points; the episodes, and so the questions, differ.",
    "cost": "Seconds of a question are medians on this machine; tokens are prompt and reply of all calls.",
}


def games_kind(game: str, registry: Registry) -> Games:
    """Return the paper's group of a game."""
    table = registry.load(game.partition("/")[0]).profile.table(ExamTable)
    return "text" if table is not None and table.text is not None else "visual"


def tables_of(result: EmembenchResult, kinds: dict[str, Games]) -> Iterator[_Table]:
    """Return each table: title, head, rows and a sentence below it."""
    plan = result.plan
    for game in plan.games:
        of_game = [row for row in result.sittings if row.game == game]
        for agent, horizon in product(plan.agents, plan.horizons):
            rows = [row for row in of_game if (row.agent, row.horizon) == (agent, horizon)]
            if rows:
                title = _title(game, agent, plan)
                yield _marks_table(title, horizon, rows, kinds[game])
                yield _distance_table(title, horizon, rows)
        if len(plan.horizons) > 1:
            for agent in plan.agents:
                yield _rounds_table(_title(game, agent, plan), [row for row in of_game if row.agent == agent])
        if plan.model in plan.agents:
            yield _modes_table(game, of_game, plan)


def _title(game: str, agent: str, plan: StudyPlan) -> str:
    """Name a game, who played it, and the paper's mode where a model answers."""
    title = game if len(plan.agents) == 1 else f"{game} played by {agent}"
    if not plan.model:
        return title
    return f"{title}, {'interactive' if agent == plan.model else 'fixed history'}"


def _rounds_table(title: str, rows: Sequence[SittingResult]) -> _Table:
    """Set accuracy against the steps that were played before the exam."""
    horizons = sorted({row.horizon for row in rows}, key=lambda horizon: (horizon == 0, horizon))
    marks = {(row.name, row.horizon): _mark(row.marks[0]) for row in rows}
    names = dict.fromkeys(row.name for row in rows)
    lines: list[Sequence[str]] = [
        (name, *(marks.get((name, horizon), NONE) for horizon in horizons)) for name in names
    ]
    return f"{title}: by steps played", ("answerer", *map(_extent, horizons)), lines, SENTENCES["rounds"]


def _modes_table(game: str, rows: Sequence[SittingResult], plan: StudyPlan) -> _Table:
    """Compare answers about the model's own episodes with those about other agents' episodes."""
    lines: list[Sequence[str]] = []
    for own in (row for row in rows if row.agent == plan.model):
        others = (row for row in rows if row.agent != plan.model)
        same = [row for row in others if (row.name, row.horizon) == (own.name, own.horizon)]
        for fixed in same:
            gaps = (_gap(mine, theirs) for mine, theirs in zip(own.marks, fixed.marks, strict=True))
            lines.append((f"{own.name}, {_extent(own.horizon)}, against {fixed.agent}", *gaps))
    head = ("answerer", "all", *(ability.value for ability in Ability))
    return f"{game}: interactive less fixed history", head, lines, SENTENCES["modes"]


def _gap(mine: Mark, theirs: Mark) -> str:
    if mine.accuracy is None or theirs.accuracy is None:
        return NONE
    return f"{_PER_CENT * (mine.accuracy - theirs.accuracy):+.0f}"


def _marks_table(name: str, horizon: int, rows: Sequence[SittingResult], games: Games) -> _Table:
    head = ("answerer", "questions", "all", "F1", *(ability.value for ability in Ability), "s", "tokens")
    ours = [
        (
            row.name,
            f"{row.marks[0].n}{f', {row.problems} without answer' if row.problems else ''}",
            _mark(row.marks[0]),
            NONE if row.marks[0].f1 is None else f"{_PER_CENT * row.marks[0].f1:.0f}",
            *(_mark(mark) for mark in row.marks[1:]),
            f"{row.seconds:.2f}",
            f"{row.tokens:.0f}",
        )
        for row in rows
    ]
    published = [
        (
            f"the paper, table {row.table}: {row.who}",
            NONE,
            f"{row.overall:.0f}",
            f"{row.f1:.0f}",
            *(f"{row.of(ability):.0f}" for ability in Ability),
            NONE,
            NONE,
        )
        for row in BASELINES
        if (row.games, row.horizon) == (games, _extent(horizon))
    ]
    episodes = rows[0].episodes
    title = f"{name}, {episodes} {'episode' if episodes == 1 else 'episodes'}, {_extent(horizon)}"
    return (
        title,
        head,
        [*ours, *published],
        " ".join(SENTENCES[name] for name in ("marks", "recall", "paper", "cost")),
    )


def _distance_table(name: str, horizon: int, rows: Sequence[SittingResult]) -> _Table:
    head = ("answerer", *(f"{mark.span} steps" for mark in rows[0].distances))
    lines = [(row.name, *(_mark(mark) for mark in row.distances)) for row in rows]
    counts = ("questions", *(str(mark.n) for mark in rows[0].distances))
    return (
        f"{name}, {_extent(horizon)}: by distance of the evidence",
        head,
        [counts, *lines],
        (SENTENCES["distance"]),
    )


def _extent(horizon: int) -> str:
    return f"steps 1 to {horizon}" if horizon else "whole episode"


def _mark(mark: Mark | DistanceMark) -> str:
    if mark.accuracy is None or mark.low is None or mark.high is None:
        return NONE
    low, high = (f"{_PER_CENT * bound:.0f}" for bound in (mark.low, mark.high))
    return f"{_PER_CENT * mark.accuracy:.0f} [{low} … {high}]"


def text_lines(
    result: EmembenchResult, kinds: dict[str, Games], table: Callable[..., Iterator[str]]
) -> Iterator[str]:
    """Format a study for a terminal. table: aligns a head and rows."""
    seeds = ", ".join(map(str, result.plan.seeds))
    yield f"EMemBench: {', '.join(result.plan.games)}, seeds {seeds}, {result.state}"
    yield from (f"No exam about {episode}: {why}" for episode, why in result.unplayed.items())
    for title, head, rows, below in tables_of(result, kinds):
        yield from ("", title, *table(head, rows), below)


def html_of(result: EmembenchResult, kinds: dict[str, Games]) -> str:
    """Write the page."""
    return study_page("EMemBench: what answerers remember", _sections(result, kinds))


def _sections(result: EmembenchResult, kinds: dict[str, Games]) -> Iterator[str]:
    plan = result.plan
    state = "" if result.state == "done" else f" · <strong>{result.state}</strong>"
    reader = f"read by {escape(plan.model)}" if plan.model else "read by rules, without a model"
    yield (
        f'<p class="dim">{escape(", ".join(plan.games))} · seeds {", ".join(map(str, plan.seeds))} · '
        f"played by {escape(', '.join(plan.agents))} · at most {plan.steps} steps · "
        f"{plan.retrieved} entries a question · {reader}{state}</p>"
    )
    yield "".join(
        f'<p class="not">No exam about {escape(episode)}: {escape(why)}</p>'
        for episode, why in result.unplayed.items()
    )
    for title, head, rows, below in tables_of(result, kinds):
        yield (
            f"<section>\n<h2>{escape(title)}</h2>\n"
            f"{figure_table(head, map(_row, rows))}\n"
            f'<p class="dim">{escape(below)}</p>\n</section>'
        )
    used = {row.name: row.uses for row in result.sittings}
    items = "".join(
        f"<li><strong>{escape(name)}</strong>: {escape('; '.join(uses))}</li>" for name, uses in used.items()
    )
    yield f"<section>\n<h2>What each answerer was given</h2>\n<ul>{items}</ul>\n</section>"


def _row(cells: Sequence[str]) -> str:
    dim = ' class="dim"' if cells[0].startswith(("paper", "the paper")) else ""
    name = f'<th scope="row" class="wide">{escape(cells[0])}</th>'
    return f"<tr{dim}>{name}{figure_cells(cells[1:])}</tr>"
