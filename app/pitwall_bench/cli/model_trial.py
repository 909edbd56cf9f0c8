"""`pitwall models trial`: plays a bundled game with a model and without it."""

from __future__ import annotations

from typing import Annotated

import typer

from pitwall.cli.models.format import NameArgument
from pitwall.cli.models.probing import with_click_test
from pitwall.cli.options import INTERRUPTED, DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.cli.stop_request import stop_requested
from pitwall.models.registry import ModelRegistry
from pitwall_bench.playing.model_trial import SECONDS, TASK, forget_trial, try_model

TaskOption = Annotated[str, typer.Option("--task", help="GAME/TASK to play; see: pitwall task list")]


def trial(
    name: NameArgument,
    task: TaskOption = "",
    seconds: Annotated[
        float | None, typer.Option(min=30, help="How long it may take; 120 s by default.")
    ] = None,
    forget: Annotated[
        bool, typer.Option("--forget", help="Delete the runs of a trial that was stopped.")
    ] = False,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Play a bundled game with a model and without it, and say whether the model is better than the skills.

    An interrupted trial pauses; the same command continues it. The result is saved on the model's card.
    """
    folder, report = data_folder(data), Reporter(json)
    entry = ModelRegistry(folder).get(name)
    if forget:
        report.result({"forgotten": name, "was_there": forget_trial(folder, name)}, ["Its runs are deleted."])
        return
    if entry.sees and entry.click_test is None:
        from pitwall.models.host_client import HostClient

        with HostClient(folder.logs, data=folder.root) as client:
            entry = with_click_test(client, entry, folder, report)
    wanted_s = seconds or SECONDS
    with stop_requested() as stopping:
        result = try_model(
            folder,
            entry,
            task=task or TASK,
            seconds=wanted_s,
            tell=lambda done, text: report.progress(
                round(done),
                round(wanted_s),
                f"{done:.0f} of {wanted_s:.0f} s; {text}".rstrip("; "),
                doing=text,
            ),
            should_stop=stopping,
        )
    report.end_progress()
    if result is None:
        text = "The trial is paused. Run the same command to continue."
        report.result({"state": "paused", "what": text}, [text])
        raise typer.Exit(INTERRUPTED)
    body = {"state": "done", "name": name, "sentence": result.sentence, **result.model_dump(mode="json")}
    report.result(body, [result.sentence])
