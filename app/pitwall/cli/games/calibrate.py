"""`pitwall games calibrate`: measures how far a game's view turns with the mouse."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from pitwall.cli.games.draft_arguments import press_of
from pitwall.cli.games.opening import next_picture, window_number
from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.core.commands import Open
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.desktops.here import this_desktop
from pitwall.engine.drafting.input_trial import InputTrial
from pitwall.engine.drafting.turn_trial import measure_turn
from pitwall.engine.session.game_view import GameView
from pitwall.games.measured_turns import keep_turn
from pitwall.games.registry import Registry
from pitwall.games.schema.actions import MouseLook
from pitwall.games.schema.profile import Game


def calibrate(
    game: str,
    window: Annotated[str, typer.Option("--window", help="Its window's id; see: pitwall windows")] = "",
    press: Annotated[
        list[str] | None,
        typer.Option(help="KEYS or click:X,Y that bring it into play first. Repeatable, in order."),
    ] = None,
    units_per_degree: Annotated[
        float | None, typer.Option(min=0, help="Keep this figure, and measure nothing; 0: the game's own.")
    ] = None,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Turn a game's view once around with the mouse, and keep how many units turn it by one degree."""
    folder = data_folder(data)
    loaded = Registry(folder).load(game)
    look = loaded.profile.mouse_look or MouseLook()
    report = Reporter(json)
    facts: dict[str, float] = {}
    if units_per_degree is None:
        with _trial(loaded, window_number(window), folder, press or ()) as trial:
            turn = measure_turn(
                trial, look, progress=lambda n: report.progress(n, n + 1, f"turning: {n} pictures")
            )
        units_per_degree = turn.units_per_degree
        facts = {"units_around": turn.units_around, "likeness": turn.likeness, "steps": turn.steps}
    kept = look.model_copy(update={"units_per_degree": round(units_per_degree, 4)})
    keep_turn(folder, loaded.game_id, kept if units_per_degree else None)
    now = (Registry(folder).load(game).profile.mouse_look or MouseLook()).units_per_degree
    line = f"{loaded.profile.game.name}: {now:g} units of the mouse turn the view by one degree."
    report.result({"game": loaded.game_id, "units_per_degree": now, **facts}, [line])


@contextlib.contextmanager
def _trial(
    game: Game, window_id: int | None, folder: DataFolder, presses: Sequence[str]
) -> Iterator[InputTrial]:
    """Open a game, and press what brings it into play; a game that was started for this ends afterwards."""
    steps = [press_of(text, "--press") for text in presses]
    if game.profile.mouse_look is None and not game.profile.controls.mouse:
        raise PitwallError(
            f"{game.profile.game.name} may not use the mouse.",
            "Write mouse = true under [controls], and [mouse_look], in its plugin.toml.",
        )
    this_desktop().check()
    view = GameView(game, Open(game=game.reference, window_id=window_id), folder.root)
    try:
        next_picture(view, page_values=False)
        trial = InputTrial(view, game.profile.screen, folder)
        try:
            trial.settle()
            for step in steps:
                trial.press(step)
            yield trial
        finally:
            trial.close()
    finally:
        view.close(close_game=True)
