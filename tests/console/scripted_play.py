"""A made-up minute of play: pictures, and everything an engine would tell about them."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from tests.console.scripted_session import (
    HEIGHT,
    STATE,
    WIDTH,
    ScriptedSession,
    began,
    event,
    note,
    opened,
    state,
    step,
    window,
)

from pitwall.core import telemetry
from pitwall.core.actions import Effect, InputEvent, Proposal, Refusal, SemanticAction, SentEvent
from pitwall.core.clock import NS_PER_MS, NS_PER_S, now_ns
from pitwall.core.geometry import Rect
from pitwall.core.model_telemetry import Agreement, Disagreement
from pitwall.core.observations import Reading
from pitwall.core.runs import Spread
from pitwall.core.signals import Failure, Reason, Route, Signals
from pitwall.core.steps import StepRecord, Timings
from pitwall.link.frame_ring import RingFrame


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


class ScriptedPlay:
    """Makes up play: the same for the same seed.

    Args:
        began_ns: when the run began, monotonic.
    """

    def __init__(self, began_ns: int, seed: int = 7) -> None:
        self.began_ns = began_ns
        self.plans = True
        """Whether the skill planner plans where the trigger calls; else somebody else does."""
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
        records = self._plan(t, at_ns, reasons) if reasons and self.plans else []
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
            Reason.REFRESH: "4 steps since the last plan: subgoal kept",
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
            source="skill:fly through pipes",
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


def prefill(session: ScriptedSession, seconds: float = 58.0, hz: int = 20) -> ScriptedPlay:
    """A game in view and a run that began so long ago, told at once."""
    story = ScriptedPlay(now_ns() - int(seconds * NS_PER_S))
    session.tell(*story.opening(), *story.beginning())
    for number in range(int(seconds * hz)):
        records, frame = story.moment(number / hz)
        session.tell(*records)
        session.show(frame)
    return story


TAUGHT = telemetry.TeachNote(
    demonstration="20261123-192500-flappy",
    seconds=42.5,
    presses={"flap": 41, "dive": 2, "": 3},
    enough=20,
    episodes=3,
    pictures=812,
    left_out=0,
    typed=4,
    dropped=0,
    bytes=4_300_000,
    most_bytes=1 << 30,
    rate_fps=20.0,
    picture_size=(144, 256),
    cpu_ms=900.0,
)
"""A demonstration after 42 s."""


def began_beside() -> telemetry.RunBegan:
    """A run that a person plays with the skills beside them, begun 42 s ago."""
    run = began(now_ns() - 42 * NS_PER_S)
    control = {"player": "person", "shadow": True, "planner": "skills"}
    settings = {"control": control, "models": {"strategic": ""}}
    return replace(run, manifest=replace(run.manifest, planner="person", settings=settings))


def shadow_note(moment: int = 0, *, spans: int = 40, kappa_low: float = 0.3) -> telemetry.ShadowNote:
    """What is told of an agent beside a person: Space is pressed by both, ArrowLeft by the person alone."""
    at_ns = now_ns()

    def press(by: Literal["person", "agent"], label: str, down_ms: int, up_ms: int) -> telemetry.ShownPress:
        down_ns, up_ns = at_ns - down_ms * NS_PER_MS, at_ns - up_ms * NS_PER_MS
        return telemetry.ShownPress(by=by, label=label, down_ns=down_ns, up_ns=up_ns)

    before = [
        press("person", "Space", 8_000, 6_900),
        press("agent", "Space", 8_200, 7_000),
        press("person", "ArrowLeft", 4_000, 2_500),
        press("agent", "Space", 1_500, 100),
        press("person", "Space", 1_300, 50),
    ]
    return telemetry.ShadowNote(
        at_ns=at_ns,
        agreement=Agreement(
            decisions=spans * 40,
            spans=spans,
            share=0.87,
            low=0.73,
            high=0.94,
            kappa=0.58,
            kappa_low=kappa_low,
            kappa_high=0.8,
            tolerance_ms=250.0,
        ),
        person=("Space",),
        presses=tuple(before),
        moments=(
            Disagreement(
                at_ns=at_ns - 4_000 * NS_PER_MS, until_ns=at_ns - 2_500 * NS_PER_MS, person=("ArrowLeft",)
            ),
            Disagreement(at_ns=at_ns - moment * NS_PER_MS, until_ns=at_ns, agent=("Space",)),
        ),
    )


PHASES: dict[str, Sequence[Any]] = {
    "teach": (state(STATE.PLAYING, text="You play, and it is recorded."), TAUGHT),
    "shadow": (
        state(STATE.PLAYING, text="You play; the agent only decides."),
        began_beside(),
        shadow_note(),
    ),
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
