"""`pitwall runs`: lists and shows recorded runs."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from typing import Annotated

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.cli.runs.format import figures_json, run_line, run_lines
from pitwall.core.quantities import counted
from pitwall.store.film_budget import film_is_kept, keep_film
from pitwall.store.run_reader import RunReader


def runs(
    run_id: Annotated[int | None, typer.Argument(help="Show this run with its steps.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="Most runs (or steps) to list.")] = 50,
    search: Annotated[str, typer.Option(help="Only runs whose game contains this text.")] = "",
    game: Annotated[str, typer.Option("--game", help="Id of a game; empty: every game.")] = "",
    keep: Annotated[
        bool | None,
        typer.Option(
            "--keep-film/--drop-film",
            help="Keep this run's film whatever its size, or let it go as others do.",
        ),
    ] = None,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """List the runs, newest first, or show one."""
    folder = data_folder(data)
    with contextlib.closing(RunReader.open(folder)) as reader:
        report = Reporter(json)
        if run_id is None and keep is not None:
            raise typer.BadParameter("name the run whose film is meant: pitwall runs RUN --keep-film.")
        if run_id is None:
            rows = reader.runs(limit=limit, search=search, game_id=game)
            count = reader.count(search, game)
            wanted = " ".join(filter(None, (game, search)))
            lines = [*map(run_line, rows), *_listed(len(rows), count, "run", wanted)]
            if not count and not wanted and folder.database.is_file():
                lines.append(
                    f"If {folder.database.name} was copied while a run was played, the run stands in "
                    f"{folder.database.name}-wal: copy that file beside it as well."
                )
            report.result(rows, lines)
            return
        row, steps = reader.run(run_id), reader.steps(run_id, limit=limit)
        if keep is not None:
            keep_film(folder, run_id, keep)
        film = {"there": folder.video(run_id).is_file(), "kept": film_is_kept(folder, run_id)}
        body = {"run": row, "figures": figures_json(row.summary), "film": film, "steps": steps}
        more = _listed(len(steps), row.summary.steps, "step")
        shown = itertools.chain(run_lines(row, steps, reader.calls_by_step(run_id)), more)
        report.result({**body, "events": reader.events(run_id)}, shown)


def _listed(shown: int, count: int, noun: str, search: str = "") -> Iterator[str]:
    """Say how many there are beside those that are listed, or that there are none."""
    if shown < count:
        yield f"{shown:,} of {counted(count, noun)}. All: --limit {count}"
    elif noun == "run" and not count:
        yield f"No run matches {search!r}." if search else "No runs yet. Make one: pitwall demo"
