"""`pitwall models train-default`: make the shipped model anew, from a seed, on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.cli.stop_request import stop_requested
from pitwall_lab.cli.arguments import training_packages
from pitwall_lab.training_log import Evaluated, Line, State

_FOLDER = "default-training"


def train_default(
    folder: Annotated[
        Path | None, typer.Option(help="Where it is made; default: in the data folder.", file_okay=False)
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Decides everything.")] = 0,
    steps: Annotated[
        int | None, typer.Option(min=1, help="Gradient steps; default: those of the shipped model.")
    ] = None,
    shards: Annotated[
        int | None, typer.Option(min=1, help="Shards of invented games; default: as shipped.")
    ] = None,
    threads: Annotated[int, typer.Option(min=1, max=64, help="Processor cores.")] = 2,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Train the shipped model anew: lessons, training, file, card. Ctrl+C stops, the same command goes on.

    It needs the extra train (installer/extra train), and up to an hour on two cores.
    """
    from workshop.shipped_model.dataset.dataset_builder import DatasetPlan
    from workshop.shipped_model.training import MODEL, ModelTrainingOrder
    from workshop.shipped_model.training import train_default as train

    home = data_folder(data)
    where = (folder or home.models / _FOLDER).resolve()
    corpus = DatasetPlan(seed=seed) if shards is None else DatasetPlan(seed=seed, invented_shards=shards)
    recipe = {"processes": threads, **({"steps": steps} if steps is not None else {})}
    report = Reporter(json)
    message = _TrainingReport(report)
    with training_packages(), stop_requested() as stopping:
        about = train(
            where,
            ModelTrainingOrder(seed=seed, corpus=corpus, recipe=recipe),
            home,
            workers=threads,
            on_shard=message.shard,
            on_line=message.line,
            should_stop=stopping,
        )
    scores = [
        f"{name}: {score['share']:.1%} of {score['replies']:,} held-out replies to the letter"
        for name, score in about["to_the_letter"].items()
    ]
    end = f"{where / MODEL}: {about['steps']:,} steps{'' if about['done'] else ', not finished'}"
    report.result({"folder": where, **about}, [*scores, end])


class _TrainingReport:
    """Reports the shards of lessons and the lines of the training's log."""

    def __init__(self, report: Reporter) -> None:
        self._report = report
        self._of = 0

    def shard(self, done: int, of: int) -> None:
        """Report how many shards of lessons exist."""
        lines = [f"{of} shards of lessons are there"] if done == of else []
        self._report.event({"lessons": done, "of": of}, *lines)

    def line(self, line: Line) -> None:
        """Report a line of the log."""
        if isinstance(line, State):
            self._of = line.steps
        lines = []
        match line:
            case Evaluated():
                share = f"{line.mean:.1f} % of {line.runs} held-out replies to the letter"
                lines.append(f"step {line.step:,}: {share}")
            case State():
                lines.append(f"step {line.step:,} of {line.steps:,}: {line.state}")
        self._report.event({"progress": line.step, "of": self._of, line.kind: line}, *lines)
