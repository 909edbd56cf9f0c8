"""`pitwall exam answer`: an answerer sits an exam; with --json a line an answer, as the Exam page reads it."""

from __future__ import annotations

from typing import Annotated

import typer

from pitwall.cli.options import DataOption, JsonOption


def answer(
    exam: Annotated[str, typer.Argument(help="Id of an exam, or the beginning of one.")],
    answerer: Annotated[
        str,
        typer.Option(help="recall, in-context, retrieval, person-closed or person-open."),
    ] = "recall",
    model: Annotated[str, typer.Option(help="Model of the registry that answers (or plans recall).")] = "",
    memory: Annotated[str, typer.Option(help="Snapshot of the memory; default: as it stands.")] = "",
    turns: Annotated[int, typer.Option(min=0, max=10, help="Turns of context; 0: the source's.")] = 0,
    declared: Annotated[
        bool, typer.Option("--declared", help="Ask in the templates' own words, paraphrases aside.")
    ] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Do not go on with an unfinished sitting.")] = False,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Have an exam answered. Ctrl+C ends it cleanly; asked for again, it goes on where it was."""
    raise NotImplementedError
