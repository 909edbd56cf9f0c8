"""What the engine tells: everything the console and the commands show."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from pitwall.core.actions import Proposal
from pitwall.core.calls import CallRecord, Purpose, Tier
from pitwall.core.geometry import WindowHealth, WindowRef
from pitwall.core.memories import EditResult, Retrieval
from pitwall.core.observations import Detection, GameStatus, Reading
from pitwall.core.prompts import Prompt
from pitwall.core.runs import RunManifest, RunSummary, Spread
from pitwall.core.signals import Route, Signals, Thresholds
from pitwall.core.steps import RunEvent, StepRecord


class EngineState(StrEnum):
    """What the engine is doing."""

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
        actions: names of the role's legal actions. fields: state-reader fields with units.
    """

    kind: Literal["game_opened"] = "game_opened"
    game_id: str
    name: str
    role: str
    actions: tuple[str, ...]
    fields: dict[str, str]
    modules: tuple[str, ...]
    thresholds: Thresholds
    planner: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StateChanged:
    """The engine's state, why, and what to do about it (for the operator to read)."""

    kind: Literal["state_changed"] = "state_changed"
    state: EngineState
    cause: str = ""
    text: str = ""
    fix: str = ""


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
    """What the loop made of one frame. May be dropped when the console is slow: newest wins.

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
    """A step whose commit returned."""

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
    """The strategic controller's new plan; None: the old one ended.

    Attributes:
        state: "named": the plan goes on with actions named anew; nobody was asked.
        took_ms: time the planner took.
    """

    kind: Literal["proposal_note"] = "proposal_note"
    proposal: Proposal | None
    state: Literal["thinking", "planned", "named", "dropped", "ended"]
    reasons: tuple[str, ...] = ()
    took_ms: float = 0.0
    at_ns: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CallBegan:
    """A model was asked.

    Attributes:
        image_width, image_height: size of the picture sent, 0 for none.
        at_ns: monotonic nanoseconds.
    """

    kind: Literal["call_began"] = "call_began"
    call: int
    step: int
    purpose: Purpose
    tier: Tier
    model: str
    prompt: Prompt
    grammar: str = ""
    image_width: int = 0
    image_height: int = 0
    deadline_ms: int = 0
    at_ns: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CallStreamed:
    """A piece of a reply as it is written. Lossy: `CallEnded` has the whole."""

    kind: Literal["call_streamed"] = "call_streamed"
    call: int
    text: str
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CallEnded:
    """A call that is settled: with its whole reply and what became of it. at_ns: monotonic."""

    kind: Literal["call_ended"] = "call_ended"
    record: CallRecord
    at_ns: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelHeld:
    """A model in the host's memory. Bytes as the library reports them; 0 for an endpoint."""

    name: str
    device: str
    memory_bytes: int = 0
    context: int = 0
    slots: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ControllersNote:
    """Who thinks, whenever that changes.

    Attributes:
        planner: who decides: "skills", "model", "random", "idle" or "person". reactive: "rules" or "model".
        tiers: tier → name of its model.
        held: models in the host's memory.
        loading: name of the model that is being loaded, empty for none.
        text: one sentence for the operator: that the shipped model thinks, or why the planner is not what
            was asked for.
    """

    kind: Literal["mind_note"] = "mind_note"
    planner: str
    reactive: str
    tiers: dict[str, str] = field(default_factory=dict)
    held: tuple[ModelHeld, ...] = ()
    loading: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryOpened:
    """Whose memory is open, and how much of it there is: entries by kind, forgotten ones apart.

    Attributes:
        embedder: name of the embedder of the graph; empty while there is none.
        snapshot: content hash of the memory as the run began; empty where no run is on.
        text: what the operator should know, as one sentence.
    """

    kind: Literal["memory_opened"] = "memory_opened"
    game_id: str
    counts: dict[str, int] = field(default_factory=dict)
    forgotten: int = 0
    embedder: str = ""
    snapshot: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryEdited:
    """Answer to `EditMemory`."""

    kind: Literal["memory_edited"] = "memory_edited"
    edit_id: int
    result: EditResult


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryChanged:
    """Entries were committed, by whoever: views read them anew. All of them where `entry_ids` is empty."""

    kind: Literal["memory_changed"] = "memory_changed"
    entry_ids: tuple[int, ...] = ()
    kinds: tuple[str, ...] = ()
    author: str = "agent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """What the memory was asked before a decision, and its answer."""

    kind: Literal["retrieved"] = "retrieved"
    retrieval: Retrieval
    at_ns: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleState:
    """Which version of a game sense module drives.

    Attributes:
        version: "rules", "shipped", "v3"; empty: none can, it does nothing.
        driven_by: rules or a policy. title: what the version is, in half a sentence.
        fault: why the one that should drive does not.
    """

    name: str
    version: str
    driven_by: Literal["rules", "policy", "nothing"]
    title: str = ""
    fault: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModulesNote:
    """Every game sense module of the game; told when the game is opened and when one is exchanged."""

    kind: Literal["modules"] = "modules"
    modules: tuple[ModuleState, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteSpan:
    """One stretch on a route lane: from a time on, this controller drives (None: nobody).

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
    """One preflight check's result.

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
    | MemoryOpened
    | MemoryEdited
    | MemoryChanged
    | Retrieved
    | ModulesNote
    | RouteSpan
    | Budgets
    | Stats
    | RunBegan
    | RunEnded
    | ThresholdsInForce
    | ProbeResult
    | OverlayToggled
    | Fault,
    Field(discriminator="kind"),
]
