"""Plays one run of a night, and says how it ended."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pitwall.cli.play.headless import play
from pitwall.core import commands, telemetry
from pitwall.core.clock import NS_PER_S
from pitwall.core.errors import ChildDied, PitwallError
from pitwall.core.injection import StopCause
from pitwall.core.paths import DataFolder
from pitwall.link.autoplay import AutoPlay
from pitwall_night.session import PlayedRun

_MENU_S = 120.0
"""Longest stay in a menu, or at the game's end, after which a run counts as broken off."""
_HANG_REST_S = 60.0
_BY_PERSON = frozenset({StopCause.HOTKEY, StopCause.CONSOLE, StopCause.TAKEOVER, "operator"})


class OwnRestarts:
    """Counts how often a game began anew by itself in a run.

    Attributes:
        count: windows that came back after they had gone, and programs that were replaced as they started.
    """

    def __init__(self) -> None:
        self.count = 0
        self._gone = False

    def take(self, record: object) -> None:
        """Take a record of the engine's; it may tell the same state again."""
        if isinstance(record, telemetry.EventNote):
            self.count += record.event.text == telemetry.BEGAN_ANEW
        elif isinstance(record, telemetry.StateChanged):
            self.count += self._gone and record.cause == "window_back"
            self._gone = record.cause == "window_gone" or (self._gone and record.cause != "window_back")


def play_run(data: DataFolder, opening: commands.Open, seconds: float) -> PlayedRun:
    """Open the game, play one run of so many seconds, and close the game."""
    start = commands.Start(seconds=seconds)
    autoplay = AutoPlay(start, stop_on_takeover=True, menu_s=_MENU_S, hang_rest_s=_HANG_REST_S)
    steps, restarts = [0, 0], OwnRestarts()

    def count(record: Any) -> None:
        restarts.take(record)
        if isinstance(record, telemetry.StepNote):
            steps[:] = [record.step.step, record.step.at_ns]

    broke = ""
    try:
        play(data, opening, start, autoplay=autoplay, on_record=count)
    except (PitwallError, ChildDied) as error:
        broke = f"{error.what} {error.fix}".strip()
    result, summary = autoplay.result, autoplay.result.summary
    run = PlayedRun(
        run_id=result.run_id,
        seconds=steps[1] / NS_PER_S,
        steps=steps[0],
        own_restarts=restarts.count,
        keys_down=result.keys_down,
    )
    if summary is not None:
        score = summary.score.best if summary.score is not None else None
        run = replace(run, seconds=summary.seconds, steps=summary.steps, score=score)
    if result.asked_to_stop:
        return replace(run, by_person="You stopped it.")
    state = result.idle_state
    if state is not None and state.cause in _BY_PERSON:
        return replace(run, by_person=state.text)
    if result.stuck is not None:
        return replace(run, broke=f"The game stayed in the state {result.stuck}: nobody left its menu.")
    why, fix = result.breakdown
    return replace(
        run, broke=broke or f"{why}{'' if why.endswith(('.', '!')) or not why else '.'} {fix}".strip()
    )
