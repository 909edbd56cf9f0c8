"""`pitwall campaign`: hostile cases by the hundred, drawn from a seed; what was tried and what fell short."""

from __future__ import annotations

import json as json_lines
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.cli.stop_request import stop_requested
from pitwall.cli.virtual_screen import screen_or_virtual
from pitwall.core.errors import PitwallError
from pitwall.core.quantities import counted

if TYPE_CHECKING:
    from workshop.campaigns.harness import Verdict

_FOLDER = "campaigns"


def campaign(
    names: Annotated[
        list[str], typer.Argument(help="Campaigns; list, for those there are; table, for results.")
    ],
    seed: Annotated[int, typer.Option(min=0, help="Decides every case.")] = 1,
    count: Annotated[
        int | None, typer.Option(min=1, help="How many cases; default: all there are, or 100.")
    ] = None,
    only: Annotated[
        int | None, typer.Option(min=0, help="Try this one case again, and keep nothing.")
    ] = None,
    anew: Annotated[bool, typer.Option("--anew", help="Forget earlier verdicts of this seed.")] = False,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Try hostile cases; status 1: some fell short. Ctrl+C stops, the same command goes on."""
    from workshop.campaigns.catalogue import CAMPAIGNS, campaign_named  # each brings the rooms that it tries

    folder, report = data_folder(data).root / _FOLDER, Reporter(json)
    if names == ["list"]:
        tries = {key: item.tries for key, item in CAMPAIGNS.items()}
        report.result(tries, (f"{key:20s} {text}" for key, text in tries.items()))
        return
    if names == ["table"]:
        results = [json_lines.loads(file.read_text("utf-8")) for file in sorted(folder.glob("*.json"))]
        report.result(results, _table(results))
        return
    short = 0
    for name, element in [(name, campaign_named(name)) for name in names]:
        most = element.cases() if element.cases is not None else None
        number = min(count or most or 100, most or count or 100)
        indices: range | list[int] = range(number) if only is None else [only]
        kept = folder / f"{name}-{seed}.jsonl" if only is None else None
        if anew and kept is not None:
            kept.unlink(missing_ok=True)
        result = _run(name, element, kept, report, seed=seed, indices=indices)
        if kept is not None:
            written = json_lines.dumps(result, indent=1, ensure_ascii=False)
            kept.with_suffix(".json").write_text(written, "utf-8")
        report.result(result, _lines(result))
        short += len(result["fell_short"])
    if short:
        raise typer.Exit(1)


def _run(
    name: str, hostile: Any, kept: Path | None, report: Reporter, *, seed: int, indices: range | list[int]
) -> dict[str, Any]:
    from workshop.campaigns.harness import Record, run_campaign, summary
    from workshop.campaigns.isolation import warm_up

    record, last = Record(kept), indices[-1]
    message = Reporter(json=False)  # progress goes to a terminal's standard error, whatever the answer is

    def tell(verdict: Verdict) -> None:
        if verdict.fell_short:
            report.line(f"case {verdict.index} fell short: {verdict.fell_short}")
        message.progress(verdict.index + 1, last + 1, f"{name}: case {verdict.index + 1:,} of {last + 1:,}")

    try:
        with stop_requested() as stopping, screen_or_virtual() if hostile.screen else nullcontext():
            if hostile.alone:
                warm_up()
            run_campaign(hostile, record, seed=seed, indices=indices, should_stop=stopping, on_verdict=tell)
    finally:
        message.end_progress()
    if len(indices) == 1:
        record.verdicts = {0: record.verdicts[last]} if last in record.verdicts else {}
    result = summary(name, hostile, record, seed=seed, count=len(indices))
    if not result["done"]:
        raise PitwallError("no case was tried.", "Run it again: it goes on where it was.")
    return result


def _lines(result: dict[str, Any]) -> list[str]:
    short = len(result["fell_short"])
    ends = ", ".join(f"{number:,} {outcome}" for outcome, number in result["outcomes"].items())
    lines = [f"{counted(result['done'], 'case')} of {result['count']:,} in {result['seconds']:.0f} s: {ends}"]
    lines += [f"again: {item['again']}" for item in result["fell_short"]]
    lines += _figure_rows(result["figures"])
    return [*lines, f"{short:,} fell short" if short else "none fell short"]


def _figure_rows(figures: list[dict[str, Any]]) -> list[str]:
    """Return a table of what was measured, a row for each case."""
    heads = list(dict.fromkeys(key for row in figures for key in row))
    if not heads:
        return []
    rows = [["-" if row.get(head) is None else str(row[head]) for head in heads] for row in figures]
    return [f"| {' | '.join(row)} |" for row in (heads, ["---"] * len(heads), *rows)]


def _table(results: list[dict[str, Any]]) -> list[str]:
    """Return the rows of the manual's page on reliability."""
    rows = [
        f"| {result['name']} | {result['tries']} | {result['done']:,} | {len(result['fell_short']):,} "
        f"| {result['seed']} | {result['date']} |"
        for result in results
    ]
    return [
        "| campaign | what is tried | cases | fell short | seed | date |",
        "|---|---|---|---|---|---|",
        *rows,
    ]
