"""A session without an engine: tells what a test (or a look at the window) wants told.

`ScriptedSession` keeps to the interface of `link.session.EngineSession`: a real socket wakes the
bridge, commands are kept, and a few are answered as an engine would. `story` makes up a believable
minute of play, and `look` shows the real window with it.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.plain_records import run_manifest

from pitwall.core import commands, telemetry
from pitwall.core.actions import SemanticAction
from pitwall.core.errors import ChildDied
from pitwall.core.geometry import Rect, WindowHealth, WindowRef
from pitwall.core.observations import GameStatus
from pitwall.core.paths import DataFolder
from pitwall.core.runs import RunManifest, RunSummary
from pitwall.core.signals import Route, Signals, Thresholds
from pitwall.core.steps import RunEvent, StepRecord
from pitwall.games.registry import GameEntry, Source
from pitwall.link.frame_ring import RingFrame

STATE = telemetry.EngineState
WIDTH, HEIGHT = 288, 512


def entry(game_id: str, name: str, summary: str, *, fault: str = "") -> GameEntry:
    """A known game, as the registry lists it."""
    source: Source = "user" if fault else "bundled"
    folder = Path("/nowhere") / game_id
    return GameEntry(
        game_id=game_id,
        name=name,
        summary=summary,
        source=source,
        folder=folder,
        fault=fault,
        playable=not fault,
    )


GAMES = (
    entry("flappy", "Flappy Bird", "One button, many pipes"),
    entry("doom", "Freedoom", "A shooter in chocolate-doom"),
    entry("broken", "Half a game", "", fault="plugin.toml has 2 faults"),
)


class ScriptedSession:
    """Answers as an engine would, without one."""

    pid = 4242

    def __init__(self, data: DataFolder, opening: commands.Open) -> None:
        self.data = data
        self.opening = opening
        self.sent: list[Any] = []
        self.stops = 0
        self.closed = False
        self.alive = True
        self.answers = True
        self._wake, self._theirs = socket.socketpair()
        self._wake.setblocking(False)
        self._told: list[Any] = []
        self._death: ChildDied | None = None
        self._frame: RingFrame | None = None

    def fileno(self) -> int:
        return self._wake.fileno()

    def tell(self, *records: Any) -> None:
        """Telemetry, to be read by the next poll."""
        if not self._told:
            self._theirs.send(b"!")
        self._told += records

    def die(self, what: str = "the engine process was killed by signal 9.", log: str = "") -> None:
        self.alive = False
        self._death = ChildDied(what, "Restart it.", log)
        self._theirs.send(b"!")

    def show(self, frame: RingFrame) -> None:
        self._frame = frame

    def poll(self) -> list[Any]:
        with contextlib.suppress(BlockingIOError):
            self._wake.recv(65_536)
        message, self._told = self._told, []
        if self._death is not None:
            if not message:
                raise self._death
            self._theirs.send(b"!")
        return message

    def frame(self) -> RingFrame | None:
        frame, self._frame = self._frame, None
        return frame

    def send(self, command: Any) -> None:
        self.sent.append(command)
        if not self.answers:
            return
        match command:
            case commands.Start() | commands.Resume():
                self.tell(state(STATE.PLAYING))
            case commands.Pause():
                self.tell(state(STATE.PAUSED, "operator", "You paused the agent."))
            case commands.Stop():
                self.tell(state(STATE.READY))
            case commands.SetThresholds():
                self.tell(telemetry.ThresholdsInForce(thresholds=command.thresholds))
            case _:
                pass

    def flush(self) -> None:
        """Nothing is ever left over here."""

    def emergency_stop(self) -> None:
        self.stops += 1
        self.tell(
            state(
                STATE.LATCHED,
                "console",
                "Emergency stop was pressed in the console. Every key came up after 2.1 ms.",
                "Resume looks at the screen afresh and goes on.",
            )
        )

    def close(self) -> int:
        self.closed = True
        self.alive = False
        self._wake.close()
        self._theirs.close()
        return 0


class ScriptedOpener:
    """Makes scripted sessions and keeps them."""

    def __init__(self, tell: Callable[[ScriptedSession], None] | None = None) -> None:
        self.sessions: list[ScriptedSession] = []
        self._tell = tell

    @property
    def last(self) -> ScriptedSession:
        return self.sessions[-1]

    def __call__(self, data: DataFolder, opening: commands.Open) -> ScriptedSession:
        session = ScriptedSession(data, opening)
        self.sessions.append(session)
        if self._tell is not None:
            self._tell(session)
        return session


# ---- records


def state(
    of: telemetry.EngineState, cause: str = "", text: str = "", fix: str = ""
) -> telemetry.StateChanged:
    return telemetry.StateChanged(state=of, cause=cause, text=text, fix=fix)


def opened() -> telemetry.GameOpened:
    return telemetry.GameOpened(
        game_id="flappy",
        name="Flappy Bird",
        role="bird",
        actions=("flap", "wait"),
        fields={
            "bird_x": "px",
            "bird_y": "px",
            "gap_top": "px",
            "gap_bottom": "px",
            "gap_offset": "px",
            "game_over": "",
        },
        modules=("fly",),
        thresholds=Thresholds(),
        planner="skills",
    )


def window(health: WindowHealth = WindowHealth.VISIBLE) -> telemetry.WindowSeen:
    ref = WindowRef(
        native_id=0x1200007, pid=777, title="Flappy Bird", wm_class="flappy", rect=Rect(40, 60, WIDTH, HEIGHT)
    )
    return telemetry.WindowSeen(window=ref, health=health, backend="window")


def manifest() -> RunManifest:
    return run_manifest(
        game_name="Flappy Bird",
        game_version="1.0.0",
        role="bird",
        started_at="2025-01-01T12:00:00.000000Z",
        screen=(WIDTH, HEIGHT),
    )


def began(at_ns: int, run_id: int = 128) -> telemetry.RunBegan:
    return telemetry.RunBegan(run_id=run_id, manifest=manifest(), at_ns=at_ns)


def ended(run_id: int = 128, seconds: float = 30.0) -> telemetry.RunEnded:
    return telemetry.RunEnded(
        run_id=run_id, summary=RunSummary(outcome="finished", seconds=seconds), keys_down=0
    )


def note(at_ns: int, frame_id: int = 1, **values: Any) -> telemetry.FrameNote:
    fields: dict[str, Any] = {
        "frame_id": frame_id,
        "captured_ns": at_ns,
        "status": GameStatus.PLAYING,
        "readings": (),
        "signals": Signals(),
        "route": Route.REACTIVE,
        "badge": "",
        "last_action": "",
        "held": (),
        "interval_ms": 33.0,
        "age_ms": 1.0,
        "loop_ms": 0.6,
    }
    return telemetry.FrameNote(**{**fields, **values})


def step(number: int, at_ns: int = 0, **values: Any) -> StepRecord:
    fields: dict[str, Any] = {
        "step": number,
        "at_ns": at_ns,
        "frame_id": number,
        "status": GameStatus.PLAYING,
        "route": Route.REACTIVE,
        "reasons": (),
        "why": "",
        "signals": Signals(),
        "action": SemanticAction(name="flap"),
    }
    return StepRecord(**{**fields, **values})


def event(kind: str, text: str, run_ns: int = 0, began_ns: int = 0, number: int = 0) -> telemetry.EventNote:
    return telemetry.EventNote(
        at_ns=began_ns + run_ns, event=RunEvent(at_ns=run_ns, kind=kind, text=text, step=number)
    )
