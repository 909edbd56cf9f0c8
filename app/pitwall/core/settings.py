"""Every setting, declared once: type, default, unit, bounds, description.

The settings page, `pitwall settings` and the README's table are derived from this file.
Stored as `settings.json` in the data folder; a missing key takes its default.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from pitwall.core.errors import SettingsError
from pitwall.core.keys import parse_chord


def _unit(unit: str) -> dict[str, Any]:
    return {"unit": unit}


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class CaptureSettings(_Section):
    """How the game's window is watched."""

    backend: Literal["auto", "window", "screen"] = Field(
        "auto", description="Window pixels (own pixels under any overlay), or a screen region"
    )
    screen_fps: int = Field(
        60,
        ge=1,
        le=240,
        description="Polling rate of the screen-region fallback",
        json_schema_extra=_unit("Hz"),
    )


class PerceptionSettings(_Section):
    """How pixels become fields."""

    text_every_ms: int = Field(
        500,
        ge=50,
        le=60_000,
        description="Cadence of text recognition",
        json_schema_extra=_unit("ms"),
    )


class ControlSettings(_Section):
    """How the agent decides, and the source's ablations of it."""

    planner: Literal["auto", "skills", "model", "random", "idle"] = Field(
        "auto",
        description="Strategic planner; auto: the model where one is chosen, else the skills; random: any "
        "legal action; idle: none at all",
    )
    interface: Literal["semantic", "computer-use"] = Field(
        "semantic", description="Named actions of the game's profile, or keys and pointer as they are"
    )
    protocol: Literal["real-time", "paused"] = Field(
        "real-time", description="paused: the game runs for each action's length only, then stands still"
    )
    player: Literal["agent", "person"] = Field(
        "agent", description="person: nothing is sent, and each key or click of the person counts as a step"
    )
    reactive: Literal["auto", "rules", "model"] = Field(
        "auto", description="Reactive controller; auto: the fast tier's model where one is chosen"
    )
    consult: Literal["in-doubt", "every-step"] = Field(
        "in-doubt",
        description="When the reactive model is asked; in-doubt: only where something speaks against the "
        "plan's next action",
    )
    workflow: Literal["spike", "gamesense"] = Field(
        "spike", description="How the strategic model works: reflect and plan, or GameSense's seven stages"
    )
    routing: Literal["events", "strategic-only", "reactive-only", "fixed-schedule"] = Field(
        "events", description="Who decides which controller acts (ablation)"
    )
    schedule_steps: int = Field(
        4,
        ge=1,
        le=1000,
        description="Fixed schedule: a strategic call each so many steps",
        json_schema_extra=_unit("steps"),
    )
    while_thinking: Literal["profile", "go-on", "hold", "pause"] = Field(
        "profile", description="While the planner thinks: as the game's profile says, or go on, hold, pause"
    )
    override: bool = Field(True, description="The reactive controller may correct a plan locally")
    dropped_in_a_row: int = Field(
        2,
        ge=0,
        le=100,
        description="Late strategic answers dropped before one is taken all the same",
        json_schema_extra=_unit("answers"),
    )

    effect_wait_ms: int = Field(
        400,
        ge=50,
        le=5_000,
        description="How long the next frames may take to show an effect",
        json_schema_extra=_unit("ms"),
    )
    reflex_step_ms: int = Field(
        1_000,
        ge=100,
        le=10_000,
        description="While a module runs, one step is counted this often",
        json_schema_extra=_unit("ms"),
    )

    @property
    def alone(self) -> bool:
        """Whether nobody plans: the reactive controller acts alone."""
        return self.routing == "reactive-only"


class ModelSettings(_Section):
    """Which model serves which tier, and its limits."""

    fast: str = Field("", description="Model of the reactive controller; empty: the shipped one or none")
    strategic: str = Field(
        "", description="Model of the strategic controller; empty: the shipped one or none"
    )
    analysis: str = Field("", description="Model that works after the run; empty: none")
    evolution: str = Field("", description="Model that improves skills and modules; empty: none")
    shipped: bool = Field(
        True, description="Think with the model that ships with Pitwall where none is chosen; off: skills"
    )
    strategic_temperature: float = Field(
        0.0, ge=0.0, le=2.0, description="Decoding, strategic", json_schema_extra=_unit("")
    )
    fast_temperature: float = Field(
        0.1, ge=0.0, le=2.0, description="Decoding, reactive", json_schema_extra=_unit("")
    )
    seed: int = Field(0, ge=0, le=2**31 - 1, description="Seed of decoding", json_schema_extra=_unit(""))
    description_tokens: int = Field(
        1024, ge=16, le=32_768, description="Longest description", json_schema_extra=_unit("tokens")
    )
    inference_tokens: int = Field(
        800, ge=16, le=32_768, description="Longest task inference", json_schema_extra=_unit("tokens")
    )
    reflection_tokens: int = Field(
        512, ge=16, le=32_768, description="Longest reflection", json_schema_extra=_unit("tokens")
    )
    planning_tokens: int = Field(
        2048, ge=16, le=32_768, description="Longest plan", json_schema_extra=_unit("tokens")
    )
    reactive_tokens: int = Field(
        1024, ge=16, le=32_768, description="Longest reactive reply", json_schema_extra=_unit("tokens")
    )
    image_px: int = Field(
        960, ge=64, le=960, description="Longest side of a picture sent", json_schema_extra=_unit("px")
    )
    recent_steps: int = Field(
        5, ge=0, le=50, description="Recent steps told in a prompt", json_schema_extra=_unit("steps")
    )
    strategic_deadline_ms: int = Field(
        60_000, ge=500, le=600_000, description="Longest strategic call", json_schema_extra=_unit("ms")
    )
    reactive_deadline_ms: int = Field(
        5_000, ge=100, le=600_000, description="Longest reactive call", json_schema_extra=_unit("ms")
    )


Growing = Literal["disable", "freeze", "update"]


class LayerSettings(_Section):
    """The layers of a prompt: their switches, and their caps in items and tokens."""

    l1: Literal["full", "stripped"] = Field("full", description="Operator prompt and protocol")
    l2: Literal["full", "stripped"] = Field("full", description="State schema and legal actions")
    l3: Literal["on", "off"] = Field("on", description="Game knowledge")
    l3_filter: str = Field("", description="Keep only knowledge whose heading holds this text; empty: all")
    l4: Growing = Field("update", description="Episode summaries; freeze: read, do not write")
    l5: Growing = Field("update", description="Skills; freeze: read, do not write")
    l1_tokens: int = Field(600, ge=16, le=32_768, description="Cap of L1", json_schema_extra=_unit("tokens"))
    l2_tokens: int = Field(1200, ge=16, le=32_768, description="Cap of L2", json_schema_extra=_unit("tokens"))
    l3_items: int = Field(12, ge=0, le=1000, description="Cap of L3", json_schema_extra=_unit("items"))
    l3_tokens: int = Field(1200, ge=16, le=32_768, description="Cap of L3", json_schema_extra=_unit("tokens"))
    l4_items: int = Field(6, ge=0, le=1000, description="Cap of L4", json_schema_extra=_unit("items"))
    l4_tokens: int = Field(600, ge=16, le=32_768, description="Cap of L4", json_schema_extra=_unit("tokens"))
    l5_items: int = Field(8, ge=0, le=1000, description="Cap of L5", json_schema_extra=_unit("items"))
    l5_tokens: int = Field(800, ge=16, le=32_768, description="Cap of L5", json_schema_extra=_unit("tokens"))
    state_tokens: int = Field(
        1200, ge=64, le=32_768, description="Cap of the state", json_schema_extra=_unit("tokens")
    )
    thread_messages: int = Field(
        3, ge=0, le=20, description="Messages kept inside one fight", json_schema_extra=_unit("messages")
    )


class MemorySettings(_Section):
    """What the agent remembers, and the figures of SPEC §3's formulas."""

    form: Literal["layered", "rounds"] = Field(
        "layered", description="The layers of memory, or a rolling window of whole rounds in their place"
    )
    rounds: int = Field(
        2,
        ge=0,
        le=50,
        description="Rounds in a rolling window: picture, text, reasoning, action",
        json_schema_extra=_unit("rounds"),
    )
    write: bool = Field(True, description="The agent writes what it learns; off: it only reads")
    action_bank: bool = Field(True, description="Hints from the state-action memory bank (SA-MB)")
    knowledge_graph: bool = Field(True, description="Hints from the state-action knowledge graph (SA-KG)")
    global_only: bool = Field(False, description="Global memory only: no L3, L4, L5 and no hints")
    write_failures: bool = Field(
        True, description="Keep what failed as well; the source keeps successes and recoveries only"
    )
    act_directly: bool = Field(True, description="A hint that is sure enough may act without a model call")
    embedder: str = Field(
        "", description="Sentence-embedding model of the registry; empty: the installed one"
    )
    hints: int = Field(1, ge=0, le=10, description="Hints told at once", json_schema_extra=_unit("hints"))
    hint_at: float = Field(
        0.85,
        ge=0.0,
        le=1.0,
        description="Semantic part at which an item gives a hint",
        json_schema_extra=_unit(""),
    )
    act_at: float = Field(
        0.92, ge=0.0, le=1.0, description="Semantic part at which it may act", json_schema_extra=_unit("")
    )
    jaccard: float = Field(
        0.55, ge=0.0, le=1.0, description="Weight of J, the token sets' overlap", json_schema_extra=_unit("")
    )
    cosine: float = Field(
        0.45,
        ge=0.0,
        le=1.0,
        description="Weight of C, the token frequencies' cosine",
        json_schema_extra=_unit(""),
    )
    reward: float = Field(
        0.15, ge=0.0, le=1.0, description="Weight of R, the reward average", json_schema_extra=_unit("")
    )
    success: float = Field(
        0.1, ge=0.0, le=1.0, description="Weight of P, the success rate", json_schema_extra=_unit("")
    )
    age_h: float = Field(
        24.0,
        ge=0.01,
        le=1000000.0,
        description="Age at which a score falls to 1/e",
        json_schema_extra=_unit("h"),
    )
    reward_keeps: float = Field(
        0.7,
        ge=0.0,
        le=1.0,
        description="Share of the old reward average that a new reward leaves",
        json_schema_extra=_unit(""),
    )
    graph_neighbours: int = Field(
        5, ge=1, le=100, description="Nearest states asked of the graph", json_schema_extra=_unit("nodes")
    )
    graph_least: float = Field(
        0.85, ge=-1.0, le=1.0, description="Least cosine of a state that counts", json_schema_extra=_unit("")
    )
    graph_likeness: float = Field(
        0.6, ge=0.0, le=1.0, description="Weight of v, a state's cosine", json_schema_extra=_unit("")
    )
    graph_success: float = Field(
        0.4, ge=0.0, le=1.0, description="Weight of ρ, its best success rate", json_schema_extra=_unit("")
    )
    graph_nodes: int = Field(
        10_000, ge=10, le=1_000_000, description="Most states of one game", json_schema_extra=_unit("nodes")
    )
    bank_items: int = Field(
        100_000, ge=10, le=2_000_000, description="Most items of one game", json_schema_extra=_unit("items")
    )
    fuse_bank: float = Field(
        0.75, ge=0.0, le=1.0, description="Weight of SA-MB in the fused score", json_schema_extra=_unit("")
    )
    fuse_graph: float = Field(
        0.25, ge=0.0, le=1.0, description="Weight of SA-KG in the fused score", json_schema_extra=_unit("")
    )
    promote_at: float = Field(
        0.7,
        ge=0.0,
        le=1.0,
        description="Reflection confidence that promotes to the graph",
        json_schema_extra=_unit(""),
    )
    skill_duplicate: float = Field(
        0.85,
        ge=0.0,
        le=1.0,
        description="Cosine at which a proposed skill is refused as known",
        json_schema_extra=_unit(""),
    )
    skill_near: float = Field(
        0.7,
        ge=0.0,
        le=1.0,
        description="Cosine at which triggers decide about merging",
        json_schema_extra=_unit(""),
    )
    skill_doubt: float = Field(
        0.55, ge=0.0, le=1.0, description="Cosine at which a judge is asked", json_schema_extra=_unit("")
    )
    skill_trigger: float = Field(
        0.6,
        ge=0.0,
        le=1.0,
        description="Triggers' Jaccard that merges two skills",
        json_schema_extra=_unit(""),
    )
    skill_trials: int = Field(
        3,
        ge=1,
        le=25,
        description="Resamplings that a new skill is tried by",
        json_schema_extra=_unit("trials"),
    )
    skill_retire: float = Field(
        0.3,
        ge=0.0,
        le=1.0,
        description="Success rate below which a used skill is proposed for removal",
        json_schema_extra=_unit(""),
    )
    skill_retire_uses: int = Field(
        10, ge=1, le=10_000, description="Uses before that is said", json_schema_extra=_unit("uses")
    )


class GsmSettings(_Section):
    """Game sense modules: what may play at frame rate beside a game's own."""

    invent_modules: bool = Field(
        False,
        description="A model may invent rule-based modules of its own, from the next opening of a game on; "
        "off, because models were found to invent many bad ones",
    )


class BrokerSettings(_Section):
    """What may be injected. Hard limits stand in the bounds."""

    actions_per_second: int = Field(
        20,
        ge=1,
        le=50,
        description="Presses and clicks a second",
        json_schema_extra=_unit("1/s"),
    )
    held_keys: int = Field(
        8, ge=1, le=12, description="Keys and buttons held at once", json_schema_extra=_unit("keys")
    )
    hold_ms: int = Field(
        5_000,
        ge=20,
        le=30_000,
        description="Longest hold before a key is brought up",
        json_schema_extra=_unit("ms"),
    )
    observation_age_ms: int = Field(
        250,
        ge=10,
        le=5_000,
        description="Presses answering an older frame are refused",
        json_schema_extra=_unit("ms"),
    )
    heartbeat_ms: int = Field(
        250,
        ge=100,
        le=5_000,
        description="Silence of the engine that counts as a hang",
        json_schema_extra=_unit("ms"),
    )
    takeover: bool = Field(True, description="Human input while the game has the focus pauses the agent")


class HotkeySettings(_Section):
    """The operator's global keys. The stop key works under any modifiers."""

    stop: str = Field("Pause", description="Emergency stop, with any modifiers held")
    pause: str = Field("ScrollLock", description="Pause or resume the agent")
    overlay: str = Field("Shift+F1", description="Show or hide the overlay on the game")

    @field_validator("stop", "pause", "overlay")
    @classmethod
    def _chord(cls, text: str) -> str:
        try:
            modifiers, key = parse_chord(text)
        except KeyError as error:
            raise ValueError(str(error.args[0])) from None
        return "+".join([*sorted(modifiers), key])


class RecordingSettings(_Section):
    """What a run keeps."""

    step_frames: bool = Field(True, description="Keep one image for each step")
    frame_format: Literal["jpg", "png"] = Field("jpg", description="Format of step images")
    jpeg_quality: int = Field(88, ge=30, le=100, description="JPEG quality", json_schema_extra=_unit("%"))
    video: bool = Field(False, description="Keep a video of the whole run")
    video_fps: int = Field(
        15, ge=1, le=60, description="Frame rate of the video", json_schema_extra=_unit("Hz")
    )


class ConsoleSettings(_Section):
    """How the console looks."""

    theme: Literal["dark", "light"] = Field("dark", description="Colours of the window")
    live_fps: int = Field(
        60,
        ge=5,
        le=144,
        description="Most redraws a second of the live view",
        json_schema_extra=_unit("Hz"),
    )
    overlay: bool = Field(True, description="Show the overlay on the game while it plays")
    show_boxes: bool = Field(True, description="Draw state-reader boxes on the live view")
    show_detections: bool = Field(True, description="Draw what detectors found on the live view")
    show_keys: bool = Field(True, description="Draw pressed keys on the live view")
    show_badge: bool = Field(True, description="Draw route and trigger on the live view")
    preflight_done: bool = Field(False, description="The first start's checks were passed")


class Settings(_Section):
    """All settings, by section."""

    capture: CaptureSettings = CaptureSettings()
    perception: PerceptionSettings = PerceptionSettings()
    control: ControlSettings = ControlSettings()
    models: ModelSettings = ModelSettings()
    layers: LayerSettings = LayerSettings()
    memory: MemorySettings = MemorySettings()
    gsm: GsmSettings = GsmSettings()
    broker: BrokerSettings = BrokerSettings()
    hotkeys: HotkeySettings = HotkeySettings()
    recording: RecordingSettings = RecordingSettings()
    console: ConsoleSettings = ConsoleSettings()

    def with_value(self, section: str, name: str, value: object) -> Settings:
        """A copy with one setting changed.

        Raises:
            SettingsError: no such setting, or the value does not fit.
        """
        data = self.model_dump()
        if section not in data or name not in data[section]:
            raise SettingsError(f"there is no setting {section}.{name}.")
        data[section][name] = value
        try:
            return Settings.model_validate(data)
        except ValidationError as error:
            raise SettingsError(f"{section}.{name} = {value!r}: {error.errors()[0]['msg']}.") from None


def load_settings(file: Path) -> Settings:
    """Read settings; a missing file gives the defaults.

    Raises:
        SettingsError: the file is no JSON or a value does not fit; names the key and what fits.
    """
    try:
        return Settings.model_validate_json(file.read_bytes())
    except FileNotFoundError:
        return Settings()
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise SettingsError(
            f"{file}: {where}: {first['msg']}.", "Mend the value, or delete it for the default."
        ) from None
    except OSError as error:
        raise SettingsError(f"{file} cannot be read: {error.strerror}.") from None


def save_settings(file: Path, settings: Settings) -> None:
    """Write settings aside, then rename.

    Raises:
        SettingsError: the folder cannot be written.
    """
    aside = file.with_suffix(".tmp")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        aside.write_text(json.dumps(settings.model_dump(), indent=2) + "\n", encoding="utf-8")
        aside.replace(file)
    except OSError as error:
        raise SettingsError(f"{file} cannot be written: {error.strerror}.") from None
