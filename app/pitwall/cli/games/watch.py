"""`pitwall games watch` and `read`: reads a game while it is played, or one picture of it."""

from __future__ import annotations

import contextlib
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import cv2
import typer

from pitwall.cli.games.new import TEXT_WAIT_S
from pitwall.cli.games.opening import first_draft, opened_view, window_number
from pitwall.cli.games.order import GameSource
from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.core.errors import PitwallError
from pitwall.core.observations import Value
from pitwall.core.paths import DataFolder
from pitwall.core.runs import UNSURE_NUMBER
from pitwall.core.settings import load_settings
from pitwall.engine.drafting.evidence import FieldEvidence
from pitwall.engine.drafting.field_reading import DraftReader, Recogniser, still_frame
from pitwall.engine.drafting.observer import reading_as_json
from pitwall.engine.drafting.window_sampling import KeyListener
from pitwall.engine.drafting.window_sampling import watch as watch_window
from pitwall.games.drafting.draft import Draft
from pitwall.games.drafting.store import read_draft
from pitwall.games.registry import Registry


def watch(
    window: Annotated[
        str, typer.Option("--window", "--from-window", help="A window's id; see: pitwall windows")
    ] = "",
    draft: Annotated[Path | None, typer.Option("--draft", help="Go on with this draft's file.")] = None,
    game: Annotated[str, typer.Option(help="A known game, in place of a draft.")] = "",
    seconds: Annotated[float, typer.Option(min=1, max=3600, help="How long to watch.")] = 60.0,
    find: Annotated[bool, typer.Option(help="Search the last minute for readings.")] = True,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Watch a game being played: suggest thresholds, count how often each field was read, find readings."""
    folder = data_folder(data)
    begun = (
        _draft_of_game(folder, game) if game else first_draft(folder, GameSource(window=window, draft=draft))
    )
    report = Reporter(json)

    def progress(done_s: float, of_s: float) -> None:
        report.progress(round(1000 * done_s), round(1000 * of_s), f"watching: {done_s:.0f} of {of_s:.0f} s")

    with contextlib.ExitStack() as stack:
        view = stack.enter_context(opened_view(begun, window_number(window), folder))
        texts = stack.enter_context(contextlib.closing(Recogniser(folder.logs, wait_s=TEXT_WAIT_S)))
        keys = stack.enter_context(
            contextlib.closing(KeyListener(load_settings(folder.settings), folder.logs))
        )
        watched = watch_window(
            view, begun, seconds, recogniser=texts, progress=progress, keys=keys, find=find
        )
    suggestion = watched.suggestion
    nothing = ["Too little was seen to suggest anything: watch for longer, while the game is played."]
    reasons = [
        f"{key} = {getattr(suggestion.thresholds, key):g}: {why}" for key, why in suggestion.why.items()
    ]
    lines = [
        f"{suggestion.steps} steps in {suggestion.seconds:.0f} s, {suggestion.frames} pictures",
        "d by step: " + ", ".join(f"{key} {value:.3f}" for key, value in suggestion.quantiles.items()),
    ]
    lines += [*(reasons or nothing), *map(evidence_line, watched.fields)]
    lines += [f"found: {proposal.words}" for proposal in watched.proposals]
    body = {"fields": watched.fields, "found": [proposal.as_json() for proposal in watched.proposals]}
    report.result({**asdict(suggestion), "thresholds": suggestion.thresholds, **body}, lines)


def evidence_line(evidence: FieldEvidence) -> str:
    """Return how often a field was read, and its values on five pictures."""
    shown = ", ".join(f"{_plain(value)} at {at_s:.0f} s" for at_s, value in evidence.shown)
    unsure = f". {UNSURE_NUMBER}" if evidence.unsure else ""
    return f"{evidence.name}: read in {evidence.read} of {evidence.of} pictures ({shown}){unsure}"


def _plain(value: Value) -> str:
    return "–" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def read(
    draft: Annotated[Path, typer.Option("--draft", help="A draft's file.")],
    frame: Annotated[Path, typer.Option(help="A picture of the game: PNG or JPEG.")],
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Read every field of a draft in one picture."""
    begun = read_draft(draft)
    pixels = cv2.imread(str(frame)) if frame.is_file() else None
    if pixels is None:
        raise PitwallError(f"{frame} is no picture that can be read.", "Give a PNG or JPEG file.")
    with contextlib.closing(Recogniser(data_folder(data).logs, wait_s=TEXT_WAIT_S)) as texts:
        readings = DraftReader(begun, texts).read_now(still_frame(pixels))  # type: ignore[arg-type]
    lines = (
        f"{name:16s} {'–' if reading.value is None else reading.value} {reading.unit}".rstrip()
        for name, reading in readings.items()
    )
    Reporter(json).result({name: reading_as_json(reading) for name, reading in readings.items()}, lines)


def _draft_of_game(folder: DataFolder, game: str) -> Draft:
    """Return a known game as a draft for watching, without its pictures."""
    profile = Registry(folder).load(game).profile
    plain = [
        field for field in profile.fields if field.kind in ("bar", "colour", "text", "change", "blob", "gap")
    ]
    return Draft(
        game_id=profile.game.id,
        name=profile.game.name,
        window=profile.window,
        command=[],
        screen=profile.screen,
        fields=plain,
        thresholds=profile.trigger,
    )
