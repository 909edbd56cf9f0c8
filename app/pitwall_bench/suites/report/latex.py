r"""A suite's tables as LaTeX (booktabs), for use in a paper with \input."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pitwall_bench.suites.human_normalised import PROTOCOL, SOURCE, HumanRow
from pitwall_bench.suites.statistics import LEVELS, Mean, Row, Share
from pitwall_bench.suites.summary import Summary

_HUMAN_NOTE = f"{SOURCE} {PROTOCOL}"
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def latex_of(summary: Summary) -> str:
    r"""Write the tables of agents, levels and tasks; they need \usepackage{booktabs}."""
    name = escaped(summary.name)
    agents = _table(
        f"{name}: success and progress in \\%, with 95\\,\\% intervals "
        "(Clopper--Pearson; Student's t up to five runs, else bootstrap).",
        ("Agent", "Runs", "Not played", "Success", "Progress", "IAR"),
        (_agent(row) for row in summary.agents),
    )
    levels = _table(
        f"{name}: by curriculum level.",
        ("Level", "Agent", "Runs", "Success", "Progress"),
        (_level(row) for row in summary.levels),
    )
    tasks = _table(
        f"{name}: by task, with Wilson's 95\\,\\% intervals of success.",
        ("Game", "Task", "Agent", "Runs", "Success", "Progress", "Steps"),
        (_task(row) for row in summary.tasks),
    )
    human = _table(
        f"{name}: human-normalised scores in \\%, with 95\\,\\% intervals. {escaped(_HUMAN_NOTE)}",
        ("Game", "Agent", "Runs", "Score", "Human-normalised", "Random", "Human", "DQN"),
        (_human(row) for row in summary.human),
    )
    tasks += human if summary.human else ""
    return f"% Needs \\usepackage{{booktabs}}.\n{agents}\n{levels}\n{tasks}"


def escaped(text: str) -> str:
    """Escape a text for LaTeX."""
    return "".join(_SPECIAL.get(character, character) for character in text)


def _table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    body = "\n".join(f"{' & '.join(row)} \\\\" for row in rows)
    columns = "l" * len(head)
    return (
        "\\begin{table}\n\\centering\n"
        f"\\caption{{{caption}}}\n\\begin{{tabular}}{{{columns}}}\n\\toprule\n"
        f"{' & '.join(head)} \\\\\n\\midrule\n{body}\n\\bottomrule\n\\end{{tabular}}\n\\end{{table}}\n"
    )


def _agent(row: Row) -> Sequence[str]:
    iar = "--" if row.iar is None else f"{100 * row.iar:.1f}"
    unplayed = str(sum(row.unplayed.values()))
    return escaped(row.agent), str(row.runs), unplayed, _share(row.success), _mean(row.progress), iar


def _level(row: Row) -> Sequence[str]:
    level = f"{row.level} {escaped(LEVELS.get(row.level, ''))}"
    return level, escaped(row.agent), str(row.runs), _share(row.success), _mean(row.progress)


def _task(row: Row) -> Sequence[str]:
    names = (escaped(row.game), escaped(row.task), escaped(row.agent), str(row.runs))
    return *names, _share(row.success, exact=False), _mean(row.progress), f"{row.steps:.1f}"


def _human(row: HumanRow) -> Sequence[str]:
    names = (escaped(row.game), escaped(row.agent), str(row.score.n), f"{row.score.mean:.1f}")
    return *names, _mean(row.normalised), f"{row.random:g}", f"{row.human:g}", f"{row.dqn:g}"


def _share(share: Share | None, *, exact: bool = True) -> str:
    if share is None:
        return "--"
    low, high = (share.exact_low, share.exact_high) if exact else (share.low, share.high)
    return f"{100 * share.share:.1f} [{100 * low:.1f}, {100 * high:.1f}]"


def _mean(mean: Mean | None) -> str:
    if mean is None:
        return "--"
    bounds = f" [{100 * mean.low:.1f}, {100 * mean.high:.1f}]" if mean.n > 1 else ""
    return f"{100 * mean.mean:.1f}{bounds}"
