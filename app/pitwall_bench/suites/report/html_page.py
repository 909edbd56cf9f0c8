"""A suite's report as one HTML page that needs no network: the file contains everything."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape

from pitwall.core.quantities import date_time, share, tally
from pitwall_bench.suites.comparison import Comparison, compare_suites
from pitwall_bench.suites.human_normalised import PROTOCOL, SOURCE
from pitwall_bench.suites.report import charts as charts
from pitwall_bench.suites.report.figure_format import (
    DEFINITIONS,
    deciders_text,
    interval,
    mean_text,
    share_text,
)
from pitwall_bench.suites.statistics import LEVELS, Row
from pitwall_bench.suites.summary import Summary
from pitwall_evaluation.html_report import page, table


def html_of(summary: Summary, other: Summary | None = None) -> str:
    """Write the page.

    Args:
        other: a suite to compare with.
    """
    return page(f"{summary.name}: suite report", _sections(summary, other))


def _sections(summary: Summary, other: Summary | None) -> Iterator[str]:
    yield _head(summary)
    if summary.comparisons:
        yield _verdicts("Do the agents differ?", summary.comparisons)
    if summary.agents:
        yield _agents(summary)
        yield _maps(summary)
        yield _drawings(summary)
    if summary.human:
        yield _human(summary)
    if summary.climbs:
        yield _climbs(summary)
    if summary.tasks:
        yield _tasks(summary)
    yield _unplayed(summary)
    if other is not None:
        yield _against(summary, other)
    yield _made(summary)


def _head(summary: Summary) -> str:
    when = date_time(summary.at) if summary.at else ""
    played = sum(run.played for run in summary.runs)
    figures = {
        "runs played": f"{played} of {summary.of}",
        "not played": str(len(summary.unplayed)),
        "games": str(len({fact.game for fact in summary.facts})),
        "tasks": str(len(summary.facts)),
        "agents": str(len(summary.agent_names)),
    }
    items = "".join(f"<li><b>{value}</b>{name}</li>" for name, value in figures.items())
    state = "" if summary.state == "done" else f" · <strong>{escape(summary.state)}</strong>"
    about = f"<p>{escape(summary.description)}</p>" if summary.description else ""
    return (
        f"<h1>{escape(summary.name)}</h1>\n"
        f'<p class="dim">Suite {escape(summary.suite)} · begun {when}{state}</p>\n'
        f'{about}\n<ul class="figures">{items}</ul>'
    )


def _verdicts(title: str, comparisons: Sequence[Comparison]) -> str:
    items = "".join(
        f'<li class="{"differs" if comparison.differs else "same"}">{escape(comparison.verdict)}</li>'
        for comparison in comparisons
    )
    return f'<section>\n<h2>{title}</h2>\n<ul class="verdicts">{items}</ul>\n</section>'


def _agents(summary: Summary) -> str:
    rows = []
    for row in summary.agents:
        series = summary.agent_names.index(row.agent) if row.agent in summary.agent_names else 0
        drawn = ""
        if row.success is not None:
            drawn = charts.bar(row.success.share, row.success.exact_low, row.success.exact_high, series)
        iar = "none proposed" if row.iar is None else f"{share(row.iar)} ({tally(row.invalid, '0')})"
        waves = row.waves
        repeats = "–" if waves is None else f"{share(waves.success)} ± {share(waves.success_sd)}"
        cells = [
            _n(str(row.runs)),
            _n(tally(row.unplayed, "0"), "not" if row.unplayed else ""),
            _n(share_text(row.success)),
            f"<td>{drawn}</td>",
            _n(interval(row.success, exact=True)),
            _n(mean_text(row.progress)),
            _n(interval(row.progress)),
            _n(repeats),
            _n("–" if row.step_s is None else f"{row.step_s:.2f}"),
            _n(f"{row.cost.tokens:.0f}" if row.cost else "–"),
            f'<td class="wide">{escape(iar)}</td>',
            f'<td class="wide">{escape(tally(row.refusals, "0"))}</td>',
        ]
        rows.append(f'<tr><th scope="row">{escape(row.agent)}</th>{"".join(cells)}</tr>')
    head = ["Agent", ">Runs", ">Not played", ">Success", "", ">95 % exact", ">Progress", ">95 %"]
    head += [">Over waves", ">s a step", ">Tokens a run", "Invalid", "Refused events"]
    caption = "All tasks together. Intervals of success are exact (Clopper–Pearson): rows pool several tasks."
    warnings = "".join(f'<p class="not">{escape(warning)}</p>' for warning in summary.warnings)
    return (
        f"<section>\n<h2>Agents</h2>\n{table(caption, head, rows)}\n{_control(summary)}{warnings}</section>"
    )


def _control(summary: Summary) -> str:
    """Write who decided, what a step cost, and how often an agent was stuck."""
    rows = [
        f'<tr><th scope="row">{escape(row.agent)}</th><td class="wide">{escape(deciders_text(row))}</td>'
        f"{_n(share_text(row.budgeted))}{_n(_figure(row.strategic_step))}{_n(_figure(row.tokens_step, 0))}"
        f"{_n(share(row.stuck))}{_n(share(row.recovery))}{_n(_figure(row.recovery_ratio))}</tr>"
        for row in summary.agents
    ]
    head = ("Agent", "Decided by", ">Within calls", ">Strategic calls a step", ">Tokens a step")
    return table("Who decided, and at what cost.", (*head, ">Stuck", ">Recovered", ">Ratio"), rows)


def _figure(value: float | None, digits: int = 2) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def _maps(summary: Summary) -> str:
    games = list(dict.fromkeys(row.game for row in summary.games))
    drawn = charts.heat_map(summary.games, summary.agent_names, games)
    note = "Mean progress; below it, how many runs reached the target. Darker is further."
    return (
        "<section>\n<h2>Agents and games</h2>\n"
        f'<figure><div class="scroll">{drawn}</div><figcaption>{note}</figcaption></figure>\n</section>'
    )


def _drawings(summary: Summary) -> str:
    names = summary.agent_names
    radar, scatter = charts.radar(summary.levels, names), charts.scatter(summary.agents, names, summary.front)
    front = ", ".join(summary.front) or "none"
    levels = _grouped(summary.levels, lambda row: f"{row.level} {LEVELS.get(row.level, '')}", "Level")
    genres = _grouped(summary.genres, lambda row: row.genre, "Genre")
    return (
        '<section>\n<h2>Levels, genres and cost</h2>\n<div class="pair">\n'
        f"<figure>{radar}{charts.key(names)}<figcaption>Mean progress by curriculum level; the table below "
        "has the intervals.</figcaption></figure>\n"
        f"<figure>{scatter}{charts.key(names)}<figcaption>Success (exact 95 % interval) against tokens "
        "evaluated and written. No agent succeeds as often for fewer tokens than: "
        f"{escape(front)}.</figcaption></figure>\n</div>\n"
        f"{levels}\n<h2>By genre</h2>\n{genres}\n</section>"
    )


def _grouped(rows: Sequence[Row], called: Callable[[Row], str], head: str) -> str:
    body = [
        f'<tr><th scope="row">{escape(called(row))}</th><td>{escape(row.agent)}</td>{_n(str(row.runs))}'
        f"{_n(share_text(row.success))}{_n(interval(row.success, exact=True))}{_n(mean_text(row.progress))}"
        f"{_n(interval(row.progress))}{_n(tally(row.unplayed, '0'), 'not' if row.unplayed else '')}</tr>"
        for row in rows
    ]
    columns = (head, "Agent", ">Runs", ">Success", ">95 % exact", ">Progress", ">95 %", ">Not played")
    return table("", columns, body)


def _human(summary: Summary) -> str:
    rows = [
        f'<tr><th scope="row">{escape(row.game)}</th><td>{escape(row.agent)}</td>{_n(str(row.score.n))}'
        f"{_n(f'{row.score.mean:,.1f}')}{_n(mean_text(row.normalised))}{_n(interval(row.normalised))}"
        f"{_n(f'{row.random:,g}')}{_n(f'{row.human:,g}')}{_n(f'{row.dqn:,g}')}{_n(share(row.dqn_normalised))}</tr>"
        for row in summary.human
    ]
    head = (
        "Game",
        "Agent",
        ">Runs",
        ">Score",
        ">Human-normalised",
        ">95 %",
        ">Random",
        ">Human",
        ">DQN",
        ">DQN's",
    )
    levels = "".join(f"<li>{escape(level.words)}</li>" for level in summary.human_levels)
    return (
        f"<section>\n<h2>Atari beside published scores</h2>\n<ul>{levels}</ul>\n"
        f"{table(SOURCE, head, rows)}\n<p>{escape(PROTOCOL)}</p>\n</section>"
    )


def _climbs(summary: Summary) -> str:
    rows = []
    for row in summary.climbs:
        ends = ", ".join(str(end) for end in row.ends) or "none is over"
        mean = "–" if row.mean is None else f"{row.mean:.2f} of {row.of}"
        rungs = ", ".join(f"{rung.task} {rung.wins}/{rung.attempts}" for rung in row.rungs)
        rows.append(
            f'<tr><th scope="row">{escape(row.agent)}</th><td>{escape(row.game)}</td>{_n(mean)}'
            f'<td class="wide">{ends}</td><td class="wide">{escape(rungs)}</td></tr>'
        )
    caption = "After a success the next rung, after a failure the same again; where a climb ends counts."
    head = ("Agent", "Game", ">Rungs climbed", "Each climb", "Won of tried, by rung")
    return f"<section>\n<h2>Ladders</h2>\n{table(caption, head, rows)}\n</section>"


def _tasks(summary: Summary) -> str:
    facts = {(fact.game, fact.task): fact for fact in summary.facts}
    rows, game = [], ""
    for row in sorted(summary.tasks, key=lambda row: (row.game, row.task)):
        fact = facts.get((row.game, row.task))
        if row.game != game:
            game = row.game
            about = f"{fact.game_name} · {fact.genre} · level {fact.level}" if fact else row.game
            rows.append(f'<tr class="group"><th colspan="11" scope="colgroup">{escape(about)}</th></tr>')
        best = "–" if row.best is None else f"{row.best:g} {row.unit}".strip()
        read = "" if row.verified else " (read from pixels)"
        invalid = tally(row.invalid, "0") if row.proposed else "none proposed"
        rows.append(
            f'<tr><th scope="row" title="{escape(fact.instruction if fact else "")}">{escape(row.task)}</th>'
            f"<td>{escape(row.agent)}</td>{_n(str(row.runs))}"
            f"{_n(tally(row.unplayed, '0'), 'not' if row.unplayed else '')}"
            f"{_n(share_text(row.success), 'yes' if row.success and row.success.wins else '')}"
            f"{_n(interval(row.success))}{_n(mean_text(row.progress))}{_n(interval(row.progress))}"
            f"{_n(escape(best + read))}{_n(f'{row.steps:.0f}')}"
            f'<td class="wide">{escape(invalid)}</td></tr>'
        )
    head = ["Task", "Agent", ">Runs", ">Not played", ">Success", ">95 % Wilson", ">Progress", ">95 %"]
    head += [">Best score", ">Steps", "Invalid actions"]
    return f"<section>\n<h2>Tasks</h2>\n{table('', head, rows)}\n</section>"


def _unplayed(summary: Summary) -> str:
    if not summary.unplayed:
        note = "Every run that was begun was played to its end."
        return f"<section>\n<h2>Not played</h2>\n<p>{note}</p>\n</section>"
    rows = [
        f'<tr><th scope="row">{escape(text.game)}/{escape(text.task)}</th><td>{escape(text.agent)}</td>'
        f"{_n(str(text.seed))}{_n(str(text.wave + 1))}<td>{escape(text.ended.replace('_', ' '))}</td>"
        f'<td class="wide">{escape(text.why)}</td>{_n(str(text.tries))}</tr>'
        for text in summary.unplayed
    ]
    caption = "These count neither as failures of an agent nor as nothing: they are in no figure above."
    listed = table(caption, ("Task", "Agent", ">Seed", ">Wave", "Ended", "Why", ">Tries"), rows)
    return f"<section>\n<h2>Not played</h2>\n{listed}\n</section>"


def _against(summary: Summary, other: Summary) -> str:
    comparisons = compare_suites(summary.suite, summary.runs, other.suite, other.runs)
    theirs = {(row.agent, row.game, row.task): row for row in other.tasks}
    rows = []
    for row in summary.tasks:
        match = theirs.get((row.agent, row.game, row.task))
        if match is None or row.progress is None or match.progress is None:
            continue
        change = 100 * (row.progress.mean - match.progress.mean)
        rows.append(
            f'<tr><th scope="row">{escape(row.game)}/{escape(row.task)}</th><td>{escape(row.agent)}</td>'
            f"{_n(share_text(row.success))}{_n(share_text(match.success))}"
            f"{_n(mean_text(row.progress))}{_n(mean_text(match.progress))}{_n(f'{change:+.1f}')}</tr>"
        )
    here, there = escape(summary.suite), escape(other.suite)
    head = ["Task", "Agent", f">Success {here}", f">Success {there}"]
    head += [f">Progress {here}", f">Progress {there}", ">Points"]
    both = table("", head, rows) if rows else "<p>No task was played by the same agent in both.</p>"
    return f"{_verdicts(f'Compared with {there}', comparisons)}\n{both}"


def _made(summary: Summary) -> str:
    words, versions = (
        "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in pairs.items())
        for pairs in (DEFINITIONS, summary.versions)
    )
    return (
        f"<section>\n<h2>How the figures are made</h2>\n<dl>{words}</dl>\n"
        f"<h2>Played with</h2>\n<dl>{versions}</dl>\n</section>"
    )


def _n(text: str, kind: str = "") -> str:
    return f'<td class="n {kind}">{text}</td>' if kind else f'<td class="n">{text}</td>'
