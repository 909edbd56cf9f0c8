"""The operator's end of a real engine, with patience: what these tests are written in."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from tests.patience import LIGHT

from pitwall.core import commands, telemetry
from pitwall.core.errors import ChildDied
from pitwall.core.paths import DataFolder
from pitwall.core.runs import RunOutcome
from pitwall.core.steps import StepRecord
from pitwall.core.telemetry import EngineState
from pitwall.link.engine_session import EngineSession
from pitwall.store.run_reader import RunReader
from workshop.fixtures.simulated_person import SimulatedPerson

Record = TypeVar("Record")

PATIENCE_S = 60.0
"""Longer than anything here takes on a busy machine."""
LONG_HOLDS = LIGHT.with_value("broker", "hold_ms", 30_000)
"""A key that is up before the 20 s of a hold are over was brought up by somebody; no model is loaded."""


def until(probe: Callable[[], Record | None], what: str, timeout_s: float = PATIENCE_S) -> Record:
    """Poll until the probe gives something true; returns it."""
    deadline = time.monotonic() + timeout_s
    while not (result := probe()):
        assert time.monotonic() < deadline, f"not within {timeout_s:g} s: {what}"
        time.sleep(0.01)
    return result


def until_up(hands: SimulatedPerson, timeout_s: float = 10.0) -> None:
    """Wait until no key and no button is down; a hold takes far longer by itself."""
    until(lambda: not hands.keys_down() and not hands.buttons_down(), "every key to be up", timeout_s)


class Pit:
    """An engine beside a game, and everything it told.

    Attributes:
        heard: telemetry, oldest first.
        death: how the engine died, once it did.
    """

    def __init__(self, data: DataFolder, game: str | Path, **opening: Any) -> None:
        self.data = data
        self.game = str(game)
        self.heard: list[Any] = []
        self.death: ChildDied | None = None
        self._at = 0
        self._first = not (data.logs / "engine.log").exists()
        opening = {"launch": False, "settings": LONG_HOLDS, **opening}
        self.session = EngineSession(data, commands.Open(game=self.game, **opening))

    # ---- hearing

    def pump(self, timeout_s: float = 0.05) -> None:
        """Take in what the engine tells, for at most so long."""
        if self.death is not None:
            time.sleep(timeout_s)
            return
        try:
            self.heard += self.session.wait(timeout_s)
        except ChildDied as death:
            self.death = death

    def until(self, probe: Callable[[], Record | None], what: str, timeout_s: float = PATIENCE_S) -> Record:
        """Listen until the probe gives something true; returns it."""
        deadline = time.monotonic() + timeout_s
        while not (result := probe()):
            assert time.monotonic() < deadline, f"not within {timeout_s:g} s: {what}. {self._told()}"
            self.pump(0.02)
        return result

    def expect(
        self,
        kind: type[Record],
        wanted: Callable[[Record], bool] = lambda _: True,
        timeout_s: float = PATIENCE_S,
    ) -> Record:
        """The next record of a kind that fits, after the one expected before."""

        def probe() -> Record | None:
            while self._at < len(self.heard):
                record = self.heard[self._at]
                self._at += 1
                if isinstance(record, kind) and wanted(record):
                    return record
            assert self.death is None, f"the engine died: {self.death} {self.death.traceback}"
            return None

        return self.until(probe, f"a {kind.__name__}", timeout_s)

    def expect_state(
        self, state: EngineState, cause: str | None = None, timeout_s: float = PATIENCE_S
    ) -> telemetry.StateChanged:
        """The next time that the engine comes into a state (for a cause)."""
        return self.expect(
            telemetry.StateChanged,
            lambda r: r.state is state and cause in (None, r.cause),
            timeout_s,
        )

    def all_heard(self, kind: type[Record]) -> list[Record]:
        return [record for record in self.heard if isinstance(record, kind)]

    @property
    def state(self) -> EngineState:
        """The engine's state, as it was told last."""
        return self.all_heard(telemetry.StateChanged)[-1].state

    @property
    def steps(self) -> list[StepRecord]:
        """Steps told as committed."""
        return [note.step for note in self.all_heard(telemetry.StepNote)]

    # ---- asking

    def play(self, **start: Any) -> int:
        """Start a run once the game is in view; returns its id once the agent plays."""
        self.expect_state(EngineState.READY)
        self.session.send(commands.Start(**start))
        run_id = self.expect(telemetry.RunBegan).run_id
        self.expect_state(EngineState.PLAYING)
        return run_id

    def play_again(self, **start: Any) -> int:
        """Begin a further run of the same engine, as if nothing had been told before; returns its id."""
        if self.all_heard(telemetry.RunBegan):
            self.end_run()
        self.heard.clear()
        self._at = 0
        self.session.send(commands.Start(**start))
        run_id = self.expect(telemetry.RunBegan).run_id
        self.expect_state(EngineState.PLAYING)
        return run_id

    def end_run(self) -> None:
        """End the run where one is on, and see the engine ready for the next."""
        if not self.all_heard(telemetry.RunEnded):
            self.send(commands.Stop())
            self.expect(telemetry.RunEnded)
        self.until(lambda: self.state is EngineState.READY, "the engine to be ready again")

    def send(self, command: Any) -> None:
        """Send a command; what was told so far is not expected any more."""
        self.pump(0.0)
        self._at = len(self.heard)
        self.session.send(command)

    def resume(self) -> None:
        """Press Resume, and see the agent play on: a further step is committed."""
        self.send(commands.Resume())
        self.expect_state(EngineState.PLAYING)
        self.expect(telemetry.StepNote)

    def close(self) -> int:
        """End the engine; where it was not killed, its log must hold no traceback."""
        status = self.session.close()
        log = self.data.logs / "engine.log"
        if self.death is None and log.exists():
            text = log.read_text(encoding="utf-8")
            assert "Traceback" not in text, text
            assert "resource_tracker" not in text or not self._first, text
        return status

    def _told(self) -> str:
        message = [r for r in self.heard if not isinstance(r, telemetry.FrameNote | telemetry.Stats)]
        return "Told last:\n" + "\n".join(str(r)[:300] for r in message[-14:])


# ---- the run log


def assert_whole(data: DataFolder, run_id: int, told: list[StepRecord], outcome: RunOutcome) -> None:
    """Every step that was told as committed stands in the log, in order, with its image; so does the end."""
    reader = RunReader.open(data)
    try:
        kept = reader.steps(run_id)
        assert [step.step for step in kept] == list(range(1, len(kept) + 1))
        told_here = {step.step: step for step in told}
        assert {step.step: step for step in kept if step.step in told_here} == told_here
        missing = [step.frame_ref for step in kept if not (data.run(run_id) / step.frame_ref).is_file()]
        assert not missing
        ended = reader.run(run_id).summary.outcome
        assert ended == outcome, f"the run is {ended}"
    finally:
        reader.close()


# ---- the engine's processes


@dataclass(frozen=True, slots=True)
class Brokers:
    """Process ids of an engine's two brokers."""

    duty: int
    standby: int


def children_of(parent: int, role: str) -> dict[int, list[str]]:
    """A process's children in a role of the program: process id → words of the command line."""
    children: dict[int, list[str]] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal():
            continue
        with contextlib.suppress(OSError, IndexError, ValueError):
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            words = (entry / "cmdline").read_text().split("\0")
            if int(fields[1]) == parent and role in words:
                children[int(entry.name)] = words
    return children


def brokers_of(engine: int) -> Brokers | None:
    """The two brokers of an engine; None while there are not two."""
    brokers = children_of(engine, "broker")
    for pid, words in brokers.items():
        watched = int(words[words.index("--watch") + 1]) if "--watch" in words else 0
        if watched in brokers:
            return Brokers(duty=watched, standby=pid)
    return None


def is_alive(pid: int) -> bool:
    """Whether a process runs (a zombie does not)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False


def kill(*pids: int, number: signal.Signals = signal.SIGKILL) -> None:
    """Send a signal to processes at once."""
    for pid in pids:
        os.kill(pid, number)
