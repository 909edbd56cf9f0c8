"""`pitwall teach record`: records a person's play for learning; nothing is sent."""

from __future__ import annotations

import contextlib
import dataclasses
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.play import agent_options as options
from pitwall.cli.play.headless import play
from pitwall.cli.reporter import Reporter
from pitwall.cli.virtual_screen import screen_or_virtual
from pitwall.core import commands, telemetry
from pitwall.core.errors import WindowLost
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import byte_size, clock, counted
from pitwall.core.settings import load_settings
from pitwall.core.telemetry import EngineState, TeachNote
from pitwall.desktops.window_search import window_by_id
from pitwall.games.drafting.folder import lay_out_window
from pitwall.games.registry import Registry
from pitwall.link.autoplay import PlayResult

_BARE_HELP = "Record this window (an id of `pitwall windows`); without --game its keys are kept as keys."


def record(
    game: Annotated[str, typer.Option("--game", help="Id of a game, or the path of its folder.")] = "",
    window: Annotated[str, typer.Option(help=_BARE_HELP)] = "",
    minutes: Annotated[
        float | None, typer.Option(min=0.01, help="End after so many minutes of watching; else with Ctrl+C.")
    ] = None,
    scenario: options.ScenarioOption = "",
    seed: options.SeedOption = None,
    role: options.RoleOption = "",
    who: Annotated[str, typer.Option(help="Who plays, in your words.")] = "person",
    instruction: Annotated[str, typer.Option(help="The goal in words.")] = "",
    keep_typing: Annotated[
        bool, typer.Option("--keep-typing", help="Keep typed text as well; otherwise it is left out.")
    ] = False,
    launch: options.LaunchOption = True,
    setting: options.SettingOption = None,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Record how a person plays. Nothing is sent; the stop key or Ctrl+C ends it and keeps the recording."""
    folder = data_folder(data)
    settings = options.thinking_settings(load_settings(folder.settings), folder, setting=setting)
    if keep_typing:
        settings = settings.with_value("teach", "keep_typing", True)
    report = Reporter(json)
    chosen = options.window_id(window)
    mode = commands.PlayMode.chosen_in(settings).as_demonstration
    seconds = 60.0 * minutes if minutes is not None else None
    start = commands.Start(seconds=seconds, mode=mode, who=who or "person", instruction=instruction)
    with screen_or_virtual(), _game(game, chosen) as known:
        opening = commands.Open(
            game=known,
            window_id=chosen,
            launch=launch and bool(game),
            settings=settings,
            seed=seed,
            role=role,
            scenario=scenario,
        )
        result = record_play(folder, opening, start, report)
    note = result.taught
    body = {**recorded(note), "faults": [fault.what for fault in result.faults]}
    report.result(body, kept_lines(note, bare=not game) if note is not None else [])


def record_play(
    data: DataFolder, opening: commands.Open, start: commands.Start, report: Reporter
) -> PlayResult:
    """Record how a person plays, and report the progress."""
    Registry(data).load(opening.game)  # reports its faults before anything is started
    return play(data, opening, start, on_record=_Progress(report, start.seconds))


def recorded(note: TeachNote | None) -> dict[str, Any]:
    """Return a kept demonstration as JSON."""
    return {**(dataclasses.asdict(note) if note else {}), "too_few": too_few(note) if note else []}


def too_few(note: TeachNote) -> list[str]:
    """Return the actions that were pressed too seldom to be learned."""
    return [name for name, count in note.presses.items() if name and count < note.enough]


class _Progress:
    """Prints the progress of a recording."""

    def __init__(self, report: Reporter, seconds: float | None) -> None:
        self._report, self._of_s = report, seconds or 0.0

    def __call__(self, record: Any) -> None:
        match record:
            case TeachNote():
                body = {"presses": record.presses, "pictures": record.pictures, "bytes": record.bytes}
                self._report.progress(record.seconds, self._of_s, progress_line(record), **body)
            case telemetry.StateChanged(state=state, text=text) if text and state is not EngineState.READY:
                self._report.state(" ".join(filter(None, (text, record.fix))))
            case telemetry.Fault(what=problem, fix=fix):
                typer.echo(f"{problem} {fix}", err=True)


def progress_line(note: TeachNote) -> str:
    """Describe a recording in one line: "0:42  jump 41, duck 2 (too few)  3 episodes  4.1 MiB"."""
    pressed = [
        f"{name or 'other keys'} {count}{' (too few)' if name and count < note.enough else ''}"
        for name, count in note.presses.items()
        if name or count
    ]
    return "  ".join(
        (
            clock(note.seconds),
            ", ".join(pressed) or "nothing pressed yet",
            counted(note.episodes, "episode"),
            byte_size(note.bytes),
        )
    )


def kept_lines(note: TeachNote, *, bare: bool) -> Iterator[str]:
    yield progress_line(note)
    if note.typed:
        yield f"{counted(note.typed, 'key')} of typing left out; --keep-typing keeps them."
    if note.left_out:
        yield f"{counted(note.left_out, 'picture')} left out: the disk or the processor was too slow."
    if note.dropped:
        yield f"{counted(note.dropped, 'event')} lost."
    yield f"See: pitwall teach show {note.demonstration}"
    if bare:
        yield (
            "No game describes this window, so nothing learns from it yet. Choose Add a game… or run "
            "`pitwall games new --window ID`, then record again with --game."
        )


@contextlib.contextmanager
def _game(game: str, window: int | None) -> Iterator[str]:
    """Yield the named game, or for the length of the recording a game made of a bare window."""
    if game:
        yield game
        return
    if window is None:
        raise typer.BadParameter("name a game (--game) or a window (--window)")
    match = window_by_id(window)
    if match is None:
        raise WindowLost(f"there is no window {window:#x}.", "List them: pitwall windows")
    with tempfile.TemporaryDirectory(prefix="pitwall-window-") as aside:
        folder = Path(aside) / "bare-window"
        folder.mkdir()
        lay_out_window(match, folder)
        yield str(folder)
