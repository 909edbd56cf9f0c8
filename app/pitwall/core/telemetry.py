"""Defines the engine's reports: everything the console and the commands show."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from pitwall.core.actions import Proposal
from pitwall.core.errors import PitwallError
from pitwall.core.geometry import WindowHealth, WindowRef
from pitwall.core.model_telemetry import (
    CallBegan as CallBegan,
)
from pitwall.core.model_telemetry import (
    CallEnded as CallEnded,
)
from pitwall.core.model_telemetry import (
    CallStreamed as CallStreamed,
)
from pitwall.core.model_telemetry import (
    ControllersNote as ControllersNote,
)
from pitwall.core.model_telemetry import (
    MemoryChanged as MemoryChanged,
)
from pitwall.core.model_telemetry import (
    MemoryEdited as MemoryEdited,
)
from pitwall.core.model_telemetry import (
    MemoryOpened as MemoryOpened,
)
from pitwall.core.model_telemetry import (
    ModelHeld as ModelHeld,
)
from pitwall.core.model_telemetry import (
    ModulesNote as ModulesNote,
)
from pitwall.core.model_telemetry import (
    ModuleState as ModuleState,
)
from pitwall.core.model_telemetry import (
    Retrieved as Retrieved,
)
from pitwall.core.model_telemetry import (
    ShadowNote as ShadowNote,
)
from pitwall.core.model_telemetry import (
    ShownPress as ShownPress,
)
from pitwall.core.model_telemetry import (
    TrustNote as TrustNote,
)
from pitwall.core.observations import Detection, GameStatus, Reading
from pitwall.core.runs import RunManifest, RunSummary, Spread
from pitwall.core.signals import Route, Signals, Thresholds
from pitwall.core.steps import RunEvent, StepRecord


class EngineState(StrEnum):
    """Names the engine's present state."""

    OPENING = "opening"
    """Launching the game, waiting for its window."""
    READY = "ready"
    """The game is in view; no run."""
    PLAYING = "playing"
    WAITING = "waiting"
    """A run is on, but the game has not the focus: presses are held back until it has."""
    PAUSED = "paused"
    """By the operator, a takeover, a lost window, or a broker that stood in: resumed on purpose."""
    LATCHED = "latched"
    """Emergency stop. Everything is up; resumed on purpose."""
    FAILED = "failed"
    """The game could not be opened; the engine stays to say why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hello:
    """First message of an engine."""

    kind: Literal["hello"] = "hello"
    pid: int
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GameOpened:
    """The profile was read: what the console shows beside the picture.

    Attributes:
        beside: roles that others play in the same window.
        actions: names of the role's legal actions. fields: state-reader fields with units.
        starts: Pitwall can start the game's program.
    """

    kind: Literal["game_opened"] = "game_opened"
    game_id: str
    name: str
    role: str
    beside: tuple[str, ...] = ()
    actions: tuple[str, ...]
    fields: dict[str, str]
    modules: tuple[str, ...]
    thresholds: Thresholds
    planner: str
    score_field: str = ""
    """The field that counts as the score; empty where none does."""
    starts: bool = True


BEGAN_ANEW = "The game began anew under another process id; play goes on."
"""Text of the event where a game replaced its own program as it started, in mid-run."""
REVIEWING = "reviewing"
"""Cause of a state in which models sum a finished run up and propose skills from it."""
UNSAFE = "unsafe"
"""Cause of a state in which no agent may play: no stop key is heard, or a key cannot be pressed."""
HICCUP = "hiccup"
"""Cause of a pause that ends without the operator: a busy machine gave the loop no time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StateChanged:
    """The engine's state, why, and what to do about it (for the operator to read).

    Attributes:
        stop_keys: keys that could be the stop key, where there is none (cause UNSAFE).
        own_seat: the agent presses with a keyboard and pointer of its own: the operator's stay free.
    """

    kind: Literal["state_changed"] = "state_changed"
    state: EngineState
    cause: str = ""
    text: str = ""
    fix: str = ""
    stop_keys: tuple[str, ...] = ()
    own_seat: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RingOpened:
    """Shared memory that carries the frames; replaces an earlier one."""

    kind: Literal["ring_opened"] = "ring_opened"
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowSeen:
    """The captured window, whenever it is found, moves, is resized, minimised, restored or gone."""

    kind: Literal["window_seen"] = "window_seen"
    window: WindowRef | None
    health: WindowHealth
    backend: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameNote:
    """Reports one frame. May be dropped when the console is slow: newest wins.

    Attributes:
        interval_ms: time since the frame before. age_ms: age when its processing ended.
        loop_ms: processing time. held: keys down now.
        detections: the surest of what the detectors found; in frame pixels.
    """

    kind: Literal["frame_note"] = "frame_note"
    frame_id: int
    captured_ns: int
    status: GameStatus
    readings: tuple[Reading, ...]
    signals: Signals
    route: Route | None
    badge: str
    last_action: str
    held: tuple[str, ...]
    interval_ms: float
    age_ms: float
    loop_ms: float
    detections: tuple[Detection, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StepNote:
    """Reports a step that is saved in the run log: its database transaction was committed."""

    kind: Literal["step_note"] = "step_note"
    run_id: int
    step: StepRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class EventNote:
    """Something for the event list, at a monotonic time (also when no run is on)."""

    kind: Literal["event_note"] = "event_note"
    at_ns: int
    event: RunEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalNote:
    """Reports that the strategic controller's plan changed, is being made, or came too late.

    Attributes:
        proposal: the plan in force; None: there is none.
        state: "thinking": a plan was asked for. "planned": `proposal` is new. "named": the planner named the
            next actions of the same plan without asking a model. "dropped": the new plan came too late.
            "ended": the plan is over.
        took_ms: time the planner took.
    """

    kind: Literal["proposal_note"] = "proposal_note"
    proposal: Proposal | None
    state: Literal["thinking", "planned", "named", "dropped", "ended"]
    reasons: tuple[str, ...] = ()
    took_ms: float = 0.0
    at_ns: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteSpan:
    """Reports one stretch on a route lane: from a time on, this controller drives (None: nobody).

    Attributes:
        state: "" drives · thinking: it was asked and acts when it answers · waiting: the game waits too.
    """

    kind: Literal["route_span"] = "route_span"
    at_ns: int
    route: Route | None
    state: Literal["", "thinking", "waiting"] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budgets:
    """Calls and steps used and allowed; a cap of None is unlimited. Tokens are those of the run so far."""

    kind: Literal["budgets"] = "budgets"
    calls: int
    calls_cap: int | None
    steps: int
    steps_cap: int | None
    fresh_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    plans_dropped: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """Figures once a second."""

    kind: Literal["stats"] = "stats"
    capture_hz: float
    frames: int
    dropped_frames: int
    loop_ms: Spread
    reaction_ms: Spread
    frame_age_ms: Spread
    refusals: dict[str, int] = field(default_factory=dict)
    cpu_percent: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TeachNote:
    """Tells the progress of a demonstration that a person records by playing.

    Attributes:
        demonstration: its id. seconds: how long the person has been watched.
        presses: of each of the game's actions, with zeros; "" for presses of no action. For a game without
            actions: of each key and button.
        enough: an action with fewer presses cannot be learned.
        left_out: pictures that the writer had no time for. typed: presses of typing, which are not kept.
        dropped: lost events. bytes, most_bytes: its size, and its largest allowed size.
        cpu_ms: processor time that recording has taken.
        complete: it has ended, and this is the last note.
    """

    kind: Literal["teach_note"] = "teach_note"
    demonstration: str
    seconds: float
    presses: dict[str, int]
    enough: int
    episodes: int
    pictures: int
    left_out: int
    typed: int
    dropped: int
    bytes: int
    most_bytes: int
    rate_fps: float
    picture_size: tuple[int, int]
    cpu_ms: float
    complete: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RunBegan:
    """A run was written to the log."""

    kind: Literal["run_began"] = "run_began"
    run_id: int
    manifest: RunManifest
    at_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnded:
    """A run's last commit returned."""

    kind: Literal["run_ended"] = "run_ended"
    run_id: int
    summary: RunSummary
    keys_down: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdsInForce:
    """Echo of a change of thresholds."""

    kind: Literal["thresholds_in_force"] = "thresholds_in_force"
    thresholds: Thresholds


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeResult:
    """Reports one preflight check's result.

    Attributes:
        figures: name → value, the unit in the name (stop_ms, leak_pixels).
    """

    kind: Literal["probe_result"] = "probe_result"
    name: str
    passed: bool
    text: str
    fix: str = ""
    figures: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlayToggled:
    """The overlay key was pressed."""

    kind: Literal["overlay_toggled"] = "overlay_toggled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """An error to show: what, how to mend it, and the traceback for the curious."""

    kind: Literal["fault"] = "fault"
    what: str
    fix: str = ""
    traceback: str = ""
    error: str = ""

    @classmethod
    def of(cls, error: PitwallError, traceback: str = "") -> Fault:
        return cls(what=error.what, fix=error.fix, traceback=traceback, error=type(error).__name__)


Telemetry = Annotated[
    Hello
    | GameOpened
    | StateChanged
    | RingOpened
    | WindowSeen
    | FrameNote
    | StepNote
    | EventNote
    | ProposalNote
    | CallBegan
    | CallStreamed
    | CallEnded
    | ControllersNote
    | TrustNote
    | ShadowNote
    | MemoryOpened
    | MemoryEdited
    | MemoryChanged
    | Retrieved
    | ModulesNote
    | RouteSpan
    | Budgets
    | Stats
    | TeachNote
    | RunBegan
    | RunEnded
    | ThresholdsInForce
    | ProbeResult
    | OverlayToggled
    | Fault,
    Field(discriminator="kind"),
]
