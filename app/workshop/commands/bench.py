"""`pitwall bench`: measured claims, each against a peer or the bare floor in the same run."""

from __future__ import annotations

from typing import Annotated

import typer

from pitwall.cli.options import JsonOption, print_json
from pitwall.cli.reporter import Reporter
from pitwall.cli.virtual_screen import screen_or_virtual


def bench(
    name: Annotated[str, typer.Argument(help="A benchmark, or all.")],
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer samples: most answer within 40 s, floor within an hour.")
    ] = False,
    games: Annotated[
        list[str] | None,
        typer.Option(
            "--games",
            help="With atari, miniwob, imitate, foreign, learning, operator: this game alone. Repeatable.",
        ),
    ] = None,
    runs: Annotated[
        int | None,
        typer.Option(
            "--runs",
            min=1,
            help="With atari, miniwob, imitate, foreign, learning, operator: runs of each player (10);"
            " night (200).",
        ),
    ] = None,
    minutes: Annotated[
        float,
        typer.Option(
            min=0,
            help="With foreign, learning, operator, night: begin no run after these; what is done is kept."
            " 0: all.",
        ),
    ] = 0.0,
    json: JsonOption = False,
) -> None:
    """Measure, and print one JSON object as the last line."""
    from workshop.benchmarks.catalogue import (  # peers are loaded only where they are measured
        run_all,
        run_one,
    )

    with screen_or_virtual():
        if name == "all":
            results = run_all(quick=quick, say=lambda text: typer.echo(text, err=json))
            print_json({"name": "all", "met": all(r["met"] for r in results), "results": results})
            return
        result = run_one(name, quick=quick, games=games or (), runs=runs, minutes=minutes)
    report = Reporter(json)
    for check in result["checks"]:
        report.line(f"{check['name']}: {check['ours']} {check['unit']}, aim {check['aim']}")
    print_json(result)
