"""A console in a process of its own that plays a game, with or without a scripted operator at work.

Run as a program by `workshop.benchmarks.input.operator`; prints the result as JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, QTimer
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from pitwall.console.kit.places import LIVE, MEMORY_PAGE, all_places
from pitwall.console.live.signals.strip_chart import StripChart
from pitwall.console.shell.application import Console
from pitwall.console.shell.placement import Placement
from pitwall.console.shell.program import prepare
from pitwall.console.state.view_state import Phase
from pitwall.core import commands
from pitwall.core.keys import QT_WITHOUT_DEVICES
from pitwall.core.observations import GameStatus
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings, save_settings
from pitwall.games.registry import Registry
from pitwall.link.engine_session import EngineSession
from pitwall.store.true_scores import run_score
from workshop.fixtures.scripted_operator import ScriptedOperator

_PAUSE_S = 1.5
_MOST_HELD_S = 120.0
_ORDINARY = ("escalation", "resumed")


def main() -> int:
    """Play, and print the result."""
    options = argparse.ArgumentParser()
    options.add_argument("--data", type=Path, required=True)
    options.add_argument("--game", required=True)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--seconds", type=float, required=True)
    options.add_argument("--field", default="", help="field whose mean during play replaces the score")
    options.add_argument("--hands", action="store_true", help="the operator works in the console meanwhile")
    options.add_argument("--started", action="store_true", help="play as `pitwall console --start` does")
    options.add_argument(
        "--shared", action="store_true", help="the agent presses with the operator's devices"
    )
    arguments = options.parse_args()
    began = time.monotonic()
    if not arguments.shared:
        os.environ[QT_WITHOUT_DEVICES] = str(os.getpid())
    app, data = QApplication([]), DataFolder(arguments.data)
    save_settings(data.settings, Settings().with_value("broker", "own_seat", not arguments.shared))

    def seeded(folder: DataFolder, opening: commands.Open) -> EngineSession:
        return EngineSession(folder, replace(opening, seed=arguments.seed))

    console = Console(app, data, seeded, Registry(data).games)
    operator = ScriptedOperator()
    if arguments.started:
        opening = commands.Open(game=arguments.game)
        unattended = prepare(app, console, opening, commands.Start(), None)
        assert unattended is not None
    else:
        Placement(console.bridge, console.window)
    console.window.show()
    operator.rest(0.5)
    opened_s = time.monotonic() - began
    result = _played(console, operator, data, arguments) | {"opened_s": opened_s}
    operator.close()
    console.close()
    sys.stdout.write(json.dumps(result) + "\n")
    return 0


def _played(
    console: Console, operator: ScriptedOperator, data: DataFolder, arguments: argparse.Namespace
) -> dict[str, Any]:
    """Open and play the game for the given time, and return the run's figures."""
    state, first = console.bridge.state, time.monotonic()
    if not arguments.started:
        _start_by_hand(console, operator, arguments)
    playing = operator.until(lambda: state.phase is Phase.PLAYING, 90.0)
    to_play_s = time.monotonic() - first
    played = PlayedTime(console, arguments.field)
    turn = 0
    while played.seconds < arguments.seconds and time.monotonic() - first < arguments.seconds + _MOST_HELD_S:
        if arguments.hands:
            _work(console, operator, turn)
        operator.rest(_PAUSE_S)
        turn += 1
    console.bridge.stop()
    operator.until(lambda: state.ended is not None, 30.0)
    score = run_score(data, state.run.run_id, None) if state.run is not None else None
    summary = state.ended.summary if state.ended is not None else None
    events = Counter(f"{event.kind}: {event.text}" for event in state.events if event.kind not in _ORDINARY)
    return {
        "score": played.mean if arguments.field else None if score is None else score.best,
        "playing": playing,
        "played_s": played.seconds,
        "steps": summary.steps if summary is not None else None,
        "ends": played.ends,
        "refusals": summary.refusals if summary is not None else None,
        "told": events,
        "takeovers": summary.takeovers if summary is not None else None,
        "clicks": operator.clicks,
        "landed": operator.landed,
        "missed": operator.missed,
        "to_play_s": to_play_s,
    }


def _start_by_hand(console: Console, operator: ScriptedOperator, arguments: argparse.Namespace) -> None:
    """Open the game and start the agent as a newcomer does: by clicks."""
    state = console.bridge.state
    if arguments.hands and arguments.game == "flappy":
        operator.click(_part(console.window, "Play Flappy"))
    else:
        console.bridge.open_game(arguments.game)
    operator.until(lambda: state.phase is Phase.READY, 90.0)
    operator.click(_part(console.window, "Start"))
    if not operator.until(lambda: state.phase is Phase.PLAYING, 5.0):
        operator.type("F5")  # the game holds the mouse within its window


class PlayedTime:
    """Counts the seconds in which the agent plays, without held time, how often the game ended in them, and a
    field's mean.
    """

    def __init__(self, console: Console, field: str = "") -> None:
        self.seconds, self.ends, self._over = 0.0, 0, False
        self._field, self._values = field, list[float]()
        self._state = console.bridge.state
        self._at = time.monotonic()
        self._clock = QTimer(interval=50)
        self._clock.timeout.connect(self._count)
        self._clock.start()

    def _count(self) -> None:
        before, self._at = self._at, time.monotonic()
        if self._state.phase is Phase.PLAYING:
            self.seconds += self._at - before
            over = self._state.note is not None and self._state.note.status is GameStatus.TERMINAL
            self.ends += over and not self._over
            self._over = over
            readings = self._state.note.readings if self._state.note is not None else ()
            self._values += [
                float(reading.value)
                for reading in readings
                if reading.name == self._field and isinstance(reading.value, int | float)
            ]

    @property
    def mean(self) -> float | None:
        """Return the field's mean over the time played; None if it was never read."""
        return sum(self._values) / len(self._values) if self._values else None


def _part(window: QWidget, name: str) -> QWidget:
    parts = window.findChildren(QWidget)
    return next(part for part in parts if part.isVisible() and part.accessibleName().startswith(name))


def _work(console: Console, operator: ScriptedOperator, turn: int) -> None:
    """Work as a person does between two looks at the game: open each page, change a threshold, search."""
    pages = [place.title for place in all_places() if place.in_rail]
    page = pages[turn % len(pages)]
    operator.click(_part(console.window, f"{page} page"))
    operator.rest(0.3)
    if page == LIVE.title:
        chart = console.window.findChildren(StripChart)[0]
        place = QPoint(chart.width() // 2, chart.height() // 4)
        operator.drag(chart, place, place + QPoint(0, 6))
    elif page == "Memory":
        fields = console.page(MEMORY_PAGE).findChildren(QLineEdit)
        field = next((field for field in fields if field.isVisible() and field.isEnabled()), None)
        if field is not None:
            operator.click(field)
            operator.until(field.hasFocus, 2.0)
            if field.hasFocus():
                operator.type("a")


if __name__ == "__main__":
    sys.exit(main())
