"""`pitwall memory trust`: the results of each driver beside each model, and a way to reset them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.core.model_telemetry import SITUATION_WORDS
from pitwall.memory.store import MemoryStore
from pitwall_memory_editor.cli.format import reading

_MODEL_LENGTH = 20


def trust(
    game: Annotated[str, typer.Argument(help="Whose game's track record.")],
    forget: Annotated[
        bool, typer.Option("--forget", help="Reset the record: every model has to earn control again.")
    ] = False,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Show the track record that earned control goes by, or forget it."""
    with reading(data) as reader:
        tallies = reader.track_record(game)
    if forget and tallies:
        with MemoryStore.open(data_folder(data), role="memory trust") as store:
            store.forget_track_record(game)
    lines = [
        f"{model[:_MODEL_LENGTH]:{_MODEL_LENGTH}s} {tally.driver:6s} {SITUATION_WORDS[tally.situation]:12s} "
        f"{tally.decisions:,} decisions, progress in {tally.progressed:,} of {tally.steps:,} steps, "
        f"{tally.gained:,} with a gain, {tally.harms:,} harms"
        + (f", {tally.unanswered:,} without an answer" if tally.unanswered else "")
        for model, tally in tallies
    ] or [f"No model has driven {game} yet."]
    lines += ["This record is forgotten."] if forget and tallies else []
    rows = [{"model": model, **asdict(tally)} for model, tally in tallies]
    Reporter(json).result({"game": game, "forgotten": forget and bool(tallies), "tallies": rows}, lines)
