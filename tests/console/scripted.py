"""A session without an engine: tells what a test (or a look at the window) wants told.

`ScriptedSession` keeps to the interface of `link.session.EngineSession`: a real socket wakes the
bridge, commands are kept, and a few are answered as an engine would. `Story` makes up a believable
minute of play. Run as a script it shows the real window with the story playing:

    python -m tests.console.scripted --phase playing --theme light --seconds 5 --shot out.png
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import random
import socket
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitwall.core import commands, telemetry
from pitwall.core.actions import Effect, InputEvent, Proposal, Refusal, SemanticAction, SentEvent
from pitwall.core.clock import NS_PER_MS, NS_PER_S, now_ns
from pitwall.core.errors import ChildDied
from pitwall.core.geometry import Rect, WindowHealth, WindowRef
from pitwall.core.observations import GameStatus, Reading
from pitwall.core.paths import DataFolder
from pitwall.core.runs import RunManifest, RunSummary, Spread
from pitwall.core.signals import Failure, Reason, Route, Signals, Thresholds
from pitwall.core.steps import RunEvent, StepRecord, Timings
from pitwall.link.ring import RingFrame

STATE = telemetry.EngineState
WIDTH, HEIGHT = 288, 512


@dataclass(frozen=True)
class Entry:
    """A known game, as the registry lists it."""

    game_id: str
    name: str
    summary: str = ""
    source: str = "bundled"
    fault: str = ""
    playable: bool = True


GAMES = (
    Entry("flappy", "Flappy Bird", "One button, many pipes"),
    Entry("doom", "Freedoom", "A shooter in chocolate-doom"),
    Entry("broken", "Half a game", "", "user", "plugin.toml has 2 faults", False),
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
        told, self._told = self._told, []
        if self._death is not None:
            if not told:
                raise self._death
            self._theirs.send(b"!")
        return told

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


class Opener:
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
    return RunManifest(
        game_id="flappy",
        game_name="Flappy Bird",
        game_version="1.0.0",
        profile_hash="0" * 64,
        role="bird",
        planner="skills",
        seed=1,
        started_at="2025-01-01T12:00:00.000000Z",
        settings={},
        thresholds={},
        versions={},
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


# ---- pictures


class Scene:
    """A bird between pipes, drawn well enough to judge a picture by."""

    def __init__(self, seed: int = 3) -> None:
        self._random = random.Random(seed)
        self._gaps = [(300 + 144 * n, 150 + self._random.randrange(142)) for n in range(200)]
        self.bird = 250.0

    def readings(self, t: float) -> tuple[Reading, ...]:
        scroll = int(120 * t) % (144 * 150)
        x, gap = next((x - scroll, gap) for x, gap in self._gaps if x - scroll + 52 > 60)
        self.bird += (gap + 55 + 18 * math.sin(7 * t) - self.bird) * 0.12
        y = round(self.bird)
        pipe = Rect(max(0, x), gap, max(1, min(52, WIDTH - x)), 100) if x < WIDTH else None
        return (
            Reading(name="bird_x", value=60, unit="px", found=Rect(60, y - 12, 34, 24)),
            Reading(name="bird_y", value=y, unit="px", found=Rect(60, y - 12, 34, 24)),
            Reading(name="gap_top", value=gap if pipe else None, unit="px", found=pipe),
            Reading(name="gap_bottom", value=gap + 100 if pipe else None, unit="px", found=pipe),
            Reading(name="gap_offset", value=float(y - gap - 50), unit="px"),
            Reading(name="game_over", value=False, box=Rect(60, 180, 168, 48)),
        )

    def frame(self, frame_id: int, t: float, at_ns: int) -> RingFrame:
        """A frame of WIDTH × HEIGHT, BGRX."""
        pixels: NDArray[np.uint8] = np.empty((HEIGHT, WIDTH, 4), np.uint8)
        pixels[:] = (206, 192, 112, 255)
        pixels[330:400:, :] = (180, 214, 140, 255)
        scroll = int(120 * t) % (144 * 150)
        for x, gap in self._gaps:
            left, right = max(0, x - scroll), min(WIDTH, x - scroll + 52)
            if right > left:
                for top, bottom in ((0, gap), (gap + 100, 400)):
                    pixels[top:bottom, left:right] = (46, 190, 115, 255)
                    pixels[top:bottom, left : left + 4] = (70, 230, 170, 255)
        pixels[400:] = (148, 216, 222, 255)
        pixels[400:404] = (60, 170, 90, 255)
        y = round(self.bird)
        pixels[max(0, y - 12) : y + 12, 60:94] = (60, 200, 250, 255)
        pixels[max(0, y - 8) : y, 82:90] = (255, 255, 255, 255)
        return RingFrame(frame_id=frame_id, captured_ns=at_ns, pixels=pixels)


# ---- a minute of play


class Story:
    """Makes up play: the same for the same seed.

    Args:
        began_ns: when the run began, monotonic.
    """

    def __init__(self, began_ns: int, seed: int = 7) -> None:
        self.began_ns = began_ns
        self._random = random.Random(seed)
        self._scene = Scene()
        self._step = 0
        self._frame = 0
        self._next_step_s = 0.4
        self._route: Route | None = None
        self._stall = self._k = self._repeat = 0
        self._failure = Failure.NONE
        self._proposals = 0
        self._action = ""
        self._refused = 0

    def opening(self) -> list[Any]:
        return [
            telemetry.Hello(pid=4242, version="0.1.0"),
            state(STATE.OPENING, text="Waiting for the window of Flappy Bird."),
            opened(),
            window(),
            state(STATE.READY),
        ]

    def beginning(self) -> list[Any]:
        return [began(self.began_ns), state(STATE.PLAYING)]

    def moment(self, t: float) -> tuple[list[Any], RingFrame]:
        """What is told about the frame at `t` seconds into the run."""
        at_ns = self.began_ns + int(t * NS_PER_S)
        records: list[Any] = []
        self._frame += 1
        change = abs(self._random.gauss(0.07, 0.02))
        if t >= self._next_step_s:
            records += self._make_step(t, at_ns)
            self._next_step_s = t + self._random.uniform(0.35, 0.8)
        if any(isinstance(r, telemetry.StepNote) and Reason.SCENE in r.step.reasons for r in records):
            change = 0.62
        readings = self._scene.readings(t)
        held = ("Space",) if self._route is Route.REFLEX and int(t * 8) % 3 == 0 else ()
        signals = Signals(
            change=change,
            progress=self._step,
            stall=self._stall,
            repetition=self._repeat,
            since_strategic=self._k,
            failure=self._failure,
        )
        left = max(0, 4 - self._k)
        badge = f"strategic in {left} step{'s' if left != 1 else ''} (refresh)"
        records.append(
            note(
                at_ns,
                self._frame,
                readings=readings,
                signals=signals,
                route=self._route,
                badge=badge,
                last_action=self._action,
                held=held,
            )
        )
        if self._frame % 30 == 0:
            records.append(self._figures())
        return records, self._scene.frame(self._frame, t, at_ns)

    def _make_step(self, t: float, at_ns: int) -> list[Any]:
        self._step += 1
        self._k += 1
        self._stall = 0 if self._random.random() < 0.45 else self._stall + 1
        self._repeat = 1 if self._random.random() < 0.35 else min(5, self._repeat + 1)
        self._failure = Failure.ERROR if self._step % 23 == 0 else Failure.NONE
        scene = self._step % 17 == 0
        reasons = tuple(
            reason
            for reason, holds in (
                (Reason.REFRESH, self._k >= 4),
                (Reason.SCENE, scene),
                (Reason.STALL, self._stall >= 4),
                (Reason.LOOP, self._repeat >= 5 and self._stall >= 2),
                (Reason.FAILURE, self._failure is Failure.ERROR),
            )
            if holds
        )
        records = self._plan(t, at_ns, reasons) if reasons else []
        reflex = self._step % 9 > 5
        route = Route.STRATEGIC if reasons else Route.REFLEX if reflex else Route.REACTIVE
        records += [
            telemetry.RouteSpan(at_ns=at_ns, route=route),
            telemetry.StepNote(run_id=128, step=self._record(t, at_ns, route, reasons)),
            telemetry.Budgets(calls=self._proposals, calls_cap=600, steps=self._step, steps_cap=150),
        ]
        self._route = route
        return records

    def _record(self, t: float, at_ns: int, route: Route, reasons: tuple[Reason, ...]) -> StepRecord:
        refused = self._step % 31 == 0
        self._action = "flap" if self._step % 3 else "wait"
        key = InputEvent(kind="key_down", key="Space")
        up = InputEvent(kind="key_up", key="Space")
        sent: tuple[SentEvent, ...] = ()
        if self._action == "flap":
            first = SentEvent(
                event=key, sent_ns=None if refused else at_ns, refused=Refusal.FOCUS if refused else None
            )
            sent = (first,) if refused else (first, SentEvent(event=up, sent_ns=at_ns + 60 * NS_PER_MS))
        why = {
            Route.REFLEX: "The bird is 14 px below the gap's centre: fly flaps.",
            Route.REACTIVE: "First candidate of the proposal that is legal now.",
            Route.STRATEGIC: "The plan was due, so a new one was made.",
        }[route]
        return step(
            self._step,
            int(t * NS_PER_S),
            route=route,
            reasons=reasons,
            why=why,
            signals=Signals(
                change=0.07,
                stall=self._stall,
                repetition=self._repeat,
                since_strategic=self._k,
                failure=self._failure,
            ),
            action=SemanticAction(name=self._action),
            sent=sent,
            effect=Effect.CONFIRMED if self._step % 4 else Effect.UNVERIFIED,
            timings=Timings(reaction_ms=2.4, frame_age_ms=1.7),
        )

    def _plan(self, t: float, at_ns: int, reasons: tuple[Reason, ...]) -> list[Any]:
        self._proposals += 1
        self._k = self._stall = 0
        names = tuple(reason.value for reason in reasons)
        run_ns = int(t * NS_PER_S)
        texts = {
            Reason.REFRESH: "4 reactive steps since the last plan: subgoal kept",
            Reason.SCENE: "the picture changed by 0.62: planned anew",
            Reason.STALL: "4 steps without progress: planned anew",
            Reason.LOOP: "flap five times without progress: planned anew",
            Reason.FAILURE: "F2, flap had no effect in 3 frames: planned anew, with the failure as evidence",
        }
        proposal = Proposal(
            proposal_id=self._proposals,
            situation="A pipe comes 120 px ahead and its gap lies 34 px above the bird.",
            subgoal="Pass the next pipe",
            candidates=(SemanticAction(name="flap"), SemanticAction(name="wait")),
            module="fly",
            stop="the pipe has passed or the game is over",
            source="skill “fly through pipes”",
            planned_ns=at_ns,
        )
        records: list[Any] = [
            telemetry.ProposalNote(
                proposal=proposal, state="planned", reasons=names, took_ms=0.4, at_ns=at_ns
            )
        ]
        records += [event("escalation", texts[r], run_ns, self.began_ns, self._step) for r in reasons[:2]]
        if self._step % 31 == 0 or self._step % 11 == 0:
            self._refused += 1
            text = "Space down: focus on another window"
            records.append(event("refusal", text, run_ns + 1, self.began_ns, self._step))
        return records

    def _figures(self) -> telemetry.Stats:
        return telemetry.Stats(
            capture_hz=30.0,
            frames=self._frame,
            dropped_frames=2,
            loop_ms=Spread(p50=0.6, p95=1.1, p99=2.0, n=self._frame),
            reaction_ms=Spread(p50=2.0, p95=3.2, p99=6.1, n=self._step),
            frame_age_ms=Spread(p50=1.3, p95=2.4, p99=4.0, n=self._frame),
            refusals={"focus": self._refused} if self._refused else {},
            cpu_percent=6.0,
        )


def prefill(session: ScriptedSession, seconds: float = 58.0, hz: int = 20) -> Story:
    """A game in view and a run that began so long ago, told at once."""
    story = Story(now_ns() - int(seconds * NS_PER_S))
    session.tell(*story.opening(), *story.beginning())
    for number in range(int(seconds * hz)):
        records, frame = story.moment(number / hz)
        session.tell(*records)
        session.show(frame)
    return story


PHASES: dict[str, Sequence[Any]] = {
    "waiting": (
        state(
            STATE.WAITING,
            "focus",
            "The console has the keyboard. The agent goes on when the game has it again.",
        ),
    ),
    "paused": (state(STATE.PAUSED, "operator", "You paused the agent."),),
    "takeover": (
        state(
            STATE.PAUSED,
            "takeover",
            "You moved the mouse over the game.",
            "Resume looks at the screen afresh and goes on.",
        ),
        event("takeover", "you moved the mouse over the game"),
    ),
    "latched": (
        state(
            STATE.LATCHED,
            "hotkey",
            "Pause/Break was pressed. Every key came up after 2.1 ms.",
            "Resume looks at the screen afresh and goes on.",
        ),
    ),
    "faulty": (
        state(
            STATE.FAILED,
            "ManifestError",
            "half/plugin.toml has 2 faults:\n  half/plugin.toml: actions[0].hold: unknown key; did you mean "
            "'hold_ms'?\n  half/plugin.toml: game.id: 'Half A' has a capital; expected ^[a-z][a-z0-9-]*$\n",
            "Mend them, then run: pitwall games check half/plugin.toml",
        ),
    ),
    "untrusted": (
        state(
            STATE.FAILED,
            "UntrustedPlugin",
            "Half a game wants to run programs from /home/you/games/half, which you have not trusted.",
            "Look at the folder, then run: pitwall games trust half",
        ),
    ),
    "failed": (
        state(
            STATE.FAILED,
            "launch",
            "chocolate-doom was not found, neither on PATH nor in /usr/games.",
            "Install it: sudo apt install chocolate-doom freedoom",
        ),
    ),
}


def main() -> int:
    """Show the real window with the story, and keep a picture of it."""
    options = argparse.ArgumentParser()
    options.add_argument("--phase", default="playing")
    options.add_argument("--theme", default="dark", choices=["dark", "light"])
    options.add_argument("--size", default="1600x1000")
    options.add_argument("--seconds", type=float, default=4.0)
    options.add_argument("--page", default="live")
    options.add_argument("--action", default="", help="table, palette, help, thresholds, fault")
    options.add_argument("--shot", type=Path)
    options.add_argument("--cpu", action="store_true", help="print the processor share of the window")
    arguments = options.parse_args()
    return _show(arguments)


def _show(arguments: argparse.Namespace) -> int:
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication

    from pitwall.console.app import Console
    from pitwall.core.settings import Settings, save_settings

    app = QApplication(sys.argv[:1])
    data = DataFolder(Path(tempfile.mkdtemp(prefix="pitwall-look-")))
    save_settings(data.settings, Settings().with_value("console", "theme", arguments.theme))
    opener = Opener()
    console = Console(app, data, opener, lambda: GAMES, preflight=False)
    width, height = (int(part) for part in arguments.size.split("x"))
    console.window.resize(width, height)
    console.window.show()
    console.window.show_page(arguments.page)
    phase = arguments.phase
    clock = QTimer()
    if phase != "empty":
        console.bridge.open_game("flappy")
        session = opener.last
        if phase == "opening":
            session.tell(state(STATE.OPENING, text="Waiting for the window of Flappy Bird."))
        elif phase == "ready":
            session.tell(*Story(now_ns()).opening())
            session.show(Scene().frame(1, 0.0, now_ns()))
        else:
            story = prefill(session)
            if phase == "lost":
                session.die(log="Traceback (most recent call last):\n  …\nMemoryError")
            elif phase != "playing":
                session.tell(*PHASES[phase])
            else:
                clock.timeout.connect(lambda: _go_on(session, story))
                clock.start(33)
    QTimer.singleShot(900, lambda: _act(console, arguments.action))
    spent: list[Any] = []
    QTimer.singleShot(2_000, lambda: spent.extend((os.times(), now_ns())))
    QTimer.singleShot(int(arguments.seconds * 1000), lambda: _finish(app, arguments, spent))
    app.exec()
    clock.stop()
    console.close()
    return 0


def _go_on(session: ScriptedSession, story: Story) -> None:
    records, frame = story.moment((now_ns() - story.began_ns) / NS_PER_S)
    session.tell(*records)
    session.show(frame)


def _act(console: Any, action: str) -> None:
    from PySide6.QtWidgets import QPushButton

    wanted = {"table": "Show the signals as a table", "thresholds": "All thresholds…"}.get(action)
    if wanted is not None:
        for button in console.window.findChildren(QPushButton):
            if button.accessibleName() == wanted:
                button.click()
    elif action == "palette":
        console.window.show_palette()
    elif action == "help":
        console.window.show_help()
    elif action == "fault":
        console.bridge.report(
            telemetry.Fault(
                what="The disk is full: steps are not saved.",
                fix="Free some space; recording goes on by itself.",
                traceback="OSError: [Errno 28] No space left on device",
            )
        )


def _finish(app: Any, arguments: argparse.Namespace, spent: list[Any]) -> None:
    import subprocess

    if arguments.cpu:
        times = os.times()
        used = times.user + times.system - spent[0].user - spent[0].system
        wall = (now_ns() - spent[1]) / NS_PER_S
        print(f"{100 * used / wall:.1f} % of a core over {wall:.1f} s")  # noqa: T201
    if arguments.shot is not None:
        subprocess.run(["import", "-window", "root", str(arguments.shot)], timeout=30, check=True)
    app.quit()


if __name__ == "__main__":
    sys.exit(main())
