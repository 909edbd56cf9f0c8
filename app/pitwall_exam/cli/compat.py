"""`pitwall exam compat`: compares the `compat` rules with published answers."""

from __future__ import annotations

import json as json_text
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from pitwall.cli.options import JsonOption
from pitwall.cli.reporter import Line, Reporter
from pitwall.core.errors import ExamError
from pitwall_exam.compat.agreement import Agreement, Item, by_template, compared
from pitwall_exam.compat.question_sets import PublishedSet, sets_in

_DISAGREED = 1
_MOST_SHOWN = 30


def compat(
    folder: Annotated[
        Path | None,
        typer.Argument(
            help="Folder (or its parent) with logs.jsonl[.gz], questions_*.jsonl and, for Crafter, map_*.txt."
        ),
    ] = None,
    log: Annotated[Path | None, typer.Option(help="A published log: JSON lines, gzipped or not.")] = None,
    ground: Annotated[
        Path | None, typer.Option("--map", help="Its map, for Crafter: one digit per tile, one line per row.")
    ] = None,
    questions: Annotated[
        list[Path] | None, typer.Option(help="Its published questions; may be given several times.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Answer published questions by the `compat` rules and compare; exit with status 1 if any differs."""
    compared_files = [
        (published, compared(answering, file))
        for published in _sets(folder, log, ground, questions)
        for answering in (published.answering(),)
        for file in published.questions
    ]
    items = [item for _, agreement in compared_files for item in agreement.items]
    agreed = sum(item.agreed for item in items)
    Reporter(json).result(_body(compared_files, items, agreed), _lines(compared_files, items, agreed))
    if agreed != len(items):
        raise typer.Exit(_DISAGREED)


def _sets(
    folder: Path | None, log: Path | None, ground: Path | None, questions: list[Path] | None
) -> tuple[PublishedSet, ...]:
    if folder is not None and (log or ground or questions):
        raise ExamError("A folder names its log, map and questions itself.", "Leave the options out.")
    if folder is not None:
        return sets_in(folder)
    if log is None or not questions:
        raise ExamError(
            "There is nothing to compare.",
            "Name a folder, or --log FILE --questions FILE and, of Crafter, --map FILE.",
        )
    return (PublishedSet(log, ground, tuple(questions)),)


def _body(
    compared_files: list[tuple[PublishedSet, Agreement]], items: list[Item], agreed: int
) -> dict[str, object]:
    return {
        "items": len(items),
        "agreed": agreed,
        "share": agreed / len(items),
        "files": [
            {
                "log": published.log,
                "map": published.ground,
                "questions": agreement.questions,
                "items": len(agreement.items),
                "agreed": agreement.agreed,
            }
            for published, agreement in compared_files
        ],
        "templates": {
            name: {"items": asked, "agreed": same} for name, (asked, same) in by_template(items).items()
        },
        "disagreements": [
            {
                "file": agreement.questions,
                "line": item.line,
                "template": item.template,
                "question": item.question,
                "published": item.published,
                "ours": item.ours,
                "problem": item.problem,
            }
            for _, agreement in compared_files
            for item in agreement.items
            if not item.agreed
        ],
    }


def _lines(
    compared_files: list[tuple[PublishedSet, Agreement]], items: list[Item], agreed: int
) -> Iterator[str | Line]:
    counts = by_template(items)
    width = max(map(len, counts))
    for name, (asked, same) in counts.items():
        yield Line(f"{name:{width}s} {same:5d} of {asked:5d}", colour=None if same == asked else "red")
    yield ""
    for _, agreement in compared_files:
        yield f"{agreement.agreed} of {len(agreement.items)} agree in {agreement.questions}"
    differing = [
        (agreement.questions, item)
        for _, agreement in compared_files
        for item in agreement.items
        if not item.agreed
    ]
    for file, item in differing[:_MOST_SHOWN]:
        yield ""
        if item.problem:
            yield item.problem
            continue
        yield f"{file}:{item.line}: {item.template}: {item.question}"
        yield f"  published {_text(item.published)}"
        yield f"  ours      {_text(item.ours)}"
    if len(differing) > _MOST_SHOWN:
        yield from ("", f"… and {len(differing) - _MOST_SHOWN} more; --json gives all.")
    yield from (
        "",
        Line(f"{agreed} of {len(items)} items agree: {100 * agreed / len(items):.1f} %", bold=True),
    )


def _text(answer: object) -> str:
    return json_text.dumps(answer, ensure_ascii=False)
