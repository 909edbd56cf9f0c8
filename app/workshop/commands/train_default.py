"""`pitwall models train-default`: make the shipped model anew, from a seed, on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pitwall.cli.gsm.arguments import training_packages
from pitwall.cli.options import DataOption, JsonOption, data_folder, print_json
from pitwall.cli.stop_request import stop_requested
from pitwall.cli.terminal import print_safely
from pitwall.gsm.training_log import Evaluated, Point, State

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
    told = _Told(json)
    with training_packages(), stop_requested() as stopping:
        about = train(
            where,
            ModelTrainingOrder(seed=seed, corpus=corpus, recipe=recipe),
            home,
            workers=threads,
            on_shard=told.shard,
            on_line=told.line,
            should_stop=stopping,
        )
    if json:
        print_json({"folder": where, **about})
        return
    for name, score in about["to_the_letter"].items():
        print_safely(f"{name}: {score['share']:.1%} of {score['replies']:,} held-out replies to the letter")
    print_safely(f"{where / MODEL}: {about['steps']:,} steps{'' if about['done'] else ', not finished'}")


class _Told:
    """What a training tells on its way."""

    def __init__(self, json: bool) -> None:
        self._json = json
        self._of = 0

    def shard(self, done: int, of: int) -> None:
        """So many shards of lessons are there."""
        if self._json:
            print_json({"lessons": done, "of": of})
        elif done == of:
            print_safely(f"{of} shards of lessons are there")

    def line(self, line: Point | Evaluated | State) -> None:
        """A line of the log."""
        if isinstance(line, State):
            self._of = line.steps
        if self._json:
            body: dict[str, object] = {"progress": line.step, "of": self._of}
            print_json({**body, line.kind: line})
            return
        match line:
            case Evaluated():
                print_safely(
                    f"step {line.step:,}: {line.mean:.1f} % of {line.runs} held-out replies to the letter"
                )
            case State():
                print_safely(f"step {line.step:,} of {line.steps:,}: {line.state}")
