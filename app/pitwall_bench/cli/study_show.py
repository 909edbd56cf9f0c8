"""`pitwall study show`: a study's tables, curves, memories and skills, as the Evaluate page has them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter, table
from pitwall.core.errors import PitwallError
from pitwall.core.quantities import NONE, counted
from pitwall_bench.study.sheet import Study, study_in
from pitwall_bench.suites.folder import open_suite
from pitwall_bench.suites.learning import CurvePoint, Learning
from pitwall_bench.suites.report.figure_format import interval, share_text

_HASH = 12
_SKILLS_HEAD = ("skill", "state", "accepted after run", "retired after run", "used", "used in measured runs")
_MOST_SKILLS = 40


def show(
    study: Annotated[str, typer.Argument(help="Its id, or that of a suite whose runs share a memory.")],
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Show a study's cells, its learning curves, the chain of its memories, and its skills.

    Two memories beside each other: pitwall memory diff BEFORE AFTER --data SUITE_FOLDER/memory
    """
    folder = data_folder(data)
    shown = study_in(folder, open_suite(folder, study).suite)
    if not shown.there:
        raise PitwallError(
            f"{study} is no study, and no runs of it share a memory.",
            "See: pitwall study list; pitwall suite show",
        )
    Reporter(json).result(shown, _lines(shown))


def _lines(study: Study) -> Iterator[str]:
    sheet = study.sheet
    if sheet is not None:
        yield sheet.title
        for each in sheet.tables:
            yield from ("", each.title, *table(each.head, each.rows), *filter(None, [each.note]))
        yield from ("", sheet.verdict)
    for chain in study.chains:
        yield from ("", *_chain_lines(chain))


def _chain_lines(chain: Learning) -> Iterator[str]:
    yield f"{chain.chain} of {chain.suite}: {counted(len(chain.steps), 'carried run')}"
    for title, points in (("Memories, measured", chain.measured), ("Newest carried runs", chain.carried)):
        if points:
            head = ("after", title, "95 %", "score", "95 %")
            yield from ("", *table(head, [_point(point) for point in points]))
    steps = [
        (
            str(step.number),
            f"{step.score:.1f}",
            f"{step.before[:_HASH]} → {step.after[:_HASH]}",
            f"{step.entries:,}",
            str(len(step.accepted) or NONE),
            str(len(step.retired) or NONE),
            step.verdict or NONE,
        )
        for step in chain.steps
    ]
    yield from ("", *table(("run", "score", "memory", "entries", "accepted", "retired", "gate"), steps))
    skills = [
        (
            skill.name,
            skill.status or NONE,
            ", ".join(map(str, skill.accepted)) or NONE,
            ", ".join(map(str, skill.retired)) or NONE,
            f"{skill.uses:,}",
            f"{skill.measured:,}",
        )
        for skill in chain.skills[:_MOST_SKILLS]
    ]
    if skills:
        yield from ("", *table(_SKILLS_HEAD, skills))
    if more := len(chain.skills) - len(skills):
        yield f"and {counted(more, 'more skill')}: --json lists all"
    if chain.problem:
        yield f"Its memories cannot be read: {chain.problem}"
    yield f"Two memories beside each other: pitwall memory diff BEFORE AFTER --data {chain.memory}"


def _point(point: CurvePoint) -> tuple[str, ...]:
    score = point.score
    return (
        str(point.after),
        share_text(point.success),
        interval(point.success),
        f"{score.mean:.1f}",
        f"{score.low:.1f} … {score.high:.1f}",
    )
