"""Measures the cost of recording a person's play, and whether events are lost.

The peer is the bare loop that shows a 60 Hz window: the same engine before recording begins, with the same
keys pressed. Processor time is that of all threads of the engine and its brokers.
"""

from __future__ import annotations

import contextlib
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pitwall.core import commands
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings
from pitwall.core.telemetry import EngineState, StateChanged, TeachNote
from pitwall.demonstrations.folder import DemonstrationFolder
from pitwall.link.engine_session import EngineSession
from workshop.benchmarks.engine.motion_play import make_game, motion_window
from workshop.benchmarks.report import check, figure, report
from workshop.fixtures.cpu_time import cpu_seconds, descendants
from workshop.fixtures.simulated_person import SimulatedPerson

_MOST_PERCENT = 5.0
_PATIENCE_S = 60.0
_RATE_FPS = 30
"""The fastest rate that a guess sets."""
_KEYS = ("Space", "ArrowLeft")
_DOWN_S, _UP_S = 0.06, 0.065


def run(*, quick: bool) -> dict[str, Any]:
    """Show the window, then record it, equally long."""
    seconds = 15.0 if quick else 60.0
    with tempfile.TemporaryDirectory(prefix="pitwall-bench-") as scratch, motion_window():
        data = DataFolder(Path(scratch) / "data")
        game = make_game(Path(scratch))
        settings = Settings().with_value("teach", "pictures_fps", _RATE_FPS)
        session = EngineSession(data, commands.Open(game=str(game), launch=False, settings=settings))
        try:
            bare_s, taught_s, pressed, note = _measured(session, seconds)
        finally:
            session.close()
        kept = DemonstrationFolder(data).open(note.demonstration)
        downs = sum(event.kind == "key_down" for event in kept.events())
        ups = sum(event.kind == "key_up" for event in kept.events())
    own, bare = note.cpu_ms / 10 / seconds, 100 * bare_s / seconds
    cost = max(own, 100 * taught_s / seconds - bare)  # a busy machine's noise may outweigh the difference
    lost = 2 * len(pressed) - downs - ups
    return report(
        "teach",
        [
            check(
                "recording, of one processor core",
                "%",
                figure(cost),
                peer=("the bare loop", bare),
                ratio=(bare + cost) / bare if bare else None,
                aim=f"≤ {_MOST_PERCENT:g} %",
                met=cost <= _MOST_PERCENT,
            ),
            check("events lost", "events", figure(float(lost)), aim="0", met=lost == 0 and note.dropped == 0),
        ],
        seconds=seconds,
        presses=len(pressed),
        pictures=note.pictures,
        pictures_left_out=note.left_out,
        rate_fps=note.rate_fps,
        picture_size=note.picture_size,
        kib_a_second=note.bytes / 1024 / seconds,
        own_cpu_percent=own,
        difference_percent=100 * taught_s / seconds - bare,
    )


def _measured(session: EngineSession, seconds: float) -> tuple[float, float, list[str], TeachNote]:
    """Return the processor seconds without and with recording, the pressed keys, and the recording's note."""
    _until(session, _has_state(EngineState.READY))
    session.send(commands.Start(mode=commands.PlayMode.TEACH, who="warm-up"))  # the window gets the focus
    _until(session, lambda record: isinstance(record, TeachNote))
    session.send(commands.Stop())
    _until(session, lambda record: isinstance(record, TeachNote) and record.complete)
    with _hands():
        bare_s = _cpu_of(session, seconds)
    session.send(commands.Start(mode=commands.PlayMode.TEACH))
    _until(session, _has_state(EngineState.PLAYING))
    with _hands() as pressed:
        taught_s = _cpu_of(session, seconds)
    session.send(commands.Stop())
    note = _until(session, lambda record: isinstance(record, TeachNote) and record.complete)
    return bare_s, taught_s, pressed, note


def _has_state(state: EngineState) -> Callable[[object], bool]:
    return lambda record: isinstance(record, StateChanged) and record.state is state


def _cpu_of(session: EngineSession, seconds: float) -> float:
    """Return the seconds of processor time that the engine and its brokers use in a span."""
    pids = descendants(session.pid)
    before, until = cpu_seconds(pids), time.monotonic() + seconds
    while time.monotonic() < until:
        session.wait(0.1)
    return cpu_seconds(pids) - before


def _until(session: EngineSession, probe: Callable[[Any], bool]) -> Any:
    """Return the first record that the probe accepts.

    Raises:
        PitwallError: it did not come, or the engine failed; includes the engine's words.
    """
    until = time.monotonic() + _PATIENCE_S
    while time.monotonic() < until:
        for record in session.wait(0.5):
            if probe(record):
                return record
            if isinstance(record, StateChanged) and record.state is EngineState.FAILED:
                raise PitwallError(record.text, record.fix)
    raise PitwallError("the benchmark's window was not recorded: the engine did not get that far.")


@contextlib.contextmanager
def _hands() -> Iterator[list[str]]:
    """Press keys eight times a second until the block ends; yields the keys pressed so far."""
    pressed: list[str] = []
    over = threading.Event()

    def press() -> None:
        hands = SimulatedPerson()
        while not over.is_set():
            key = _KEYS[len(pressed) % len(_KEYS)]
            hands.key(key, down=True)
            time.sleep(_DOWN_S)
            hands.key(key, down=False)
            pressed.append(key)
            over.wait(_UP_S)

    thread = threading.Thread(target=press, name="hands")
    thread.start()
    try:
        yield pressed
    finally:
        over.set()
        thread.join()
