"""Every setting, declared once: type, default, unit, bounds, description. Models' are in `calls`.

The settings page, `pitwall settings` and the README's table are derived from this file.
Stored as `settings.json` in the data folder; a missing key takes its default.
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError, model_validator

from pitwall.core.bounded_reading import read_json, read_model
from pitwall.core.calls import ModelSettings as ModelSettings
from pitwall.core.errors import DamagedFile, SettingsError
from pitwall.core.input_settings import BrokerSettings, HotkeySettings, SettingsSection
from pitwall.core.model_telemetry import TrustPin, WorkflowName
from pitwall.core.paths import write_whole
from pitwall.core.validation import bounded_number, first_fault


class CaptureSettings(SettingsSection):
    """Sets how the game's window is watched."""

    backend: Literal["auto", "window", "screen"] = Field(
        "auto", description="Window pixels (own pixels under any overlay), or a screen region"
    )
    screen_fps: int = bounded_number(60, 1, 240, "Polling rate of the screen-region fallback", "Hz")


class PerceptionSettings(SettingsSection):
    """Sets how pixels become fields."""

    text_every_ms: int = bounded_number(500, 50, 60_000, "Cadence of text recognition", "ms")


class ControlSettings(SettingsSection):
    """Sets how the agent decides, with the source's ablations of it."""

    planner: Literal["auto", "skills", "model", "explore", "random", "idle"] = Field(
        "auto",
        description="Strategic planner; auto: the model where one is chosen, else the skills, and the "
        "default agent where the game has none; explore: the default agent, which tries actions and keeps "
        "what raises the score; random: any legal action; idle: none at all",
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
    shadow: bool = Field(
        False,
        description="While a person plays, the chosen agent decides beside them and sends nothing; how far "
        "the two agree is shown",
    )
    grant_at: float = bounded_number(
        0.8,
        0.0,
        1.0,
        "Share of the decisions on which an agent must agree with a person before it is first given control",
    )
    reactive: Literal["auto", "rules", "model"] = Field(
        "auto", description="Reactive controller; auto: the fast tier's model where one is chosen"
    )
    consult: Literal["in-doubt", "every-step"] = Field(
        "in-doubt",
        description="When the reactive model is asked; in-doubt: only where something speaks against the "
        "plan's next action",
    )
    workflow: WorkflowName = Field(
        "spike", description="How the strategic model works: reflect and plan, or a published baseline's way"
    )
    routing: Literal["events", "strategic-only", "reactive-only", "fixed-schedule"] = Field(
        "events", description="Who decides which controller acts (ablation)"
    )
    schedule_steps: int = bounded_number(
        4, 1, 1000, "Fixed schedule: a strategic call each so many steps", "steps"
    )
    while_thinking: Literal["profile", "go-on", "hold", "pause"] = Field(
        "profile", description="While the planner thinks: as the game's profile says, or go on, hold, pause"
    )
    override: bool = Field(True, description="The reactive controller may correct a plan locally")
    enforce_evidence: bool = Field(
        True, description="What brought no progress cannot be chosen by a model for a growing number of steps"
    )
    trust: TrustPin = Field(
        "earned",
        description="Who decides where a model is chosen; earned: the model where it does no worse than the "
        "skills, else it is tried now and then; or always the one named",
    )
    stand_in: Literal["skills", "hold", "random"] = Field("skills", description="Plans where no model does")
    dropped_in_a_row: int = bounded_number(
        2, 0, 100, "Late strategic answers dropped in a row before the next late one is used", "answers"
    )
    effect_wait_ms: int = bounded_number(
        400, 50, 5_000, "How long the next frames may take to show an effect", "ms"
    )
    reflex_step_ms: int = bounded_number(
        1_000, 100, 10_000, "While a module runs, a step is counted once per this time", "ms"
    )

    @property
    def alone(self) -> bool:
        """Return whether nobody plans: the reactive controller acts alone."""
        return self.routing == "reactive-only"

    @property
    def may_escalate(self) -> bool:
        """Return whether a plan is made when the reactive controller asks for it."""
        return self.routing == "events"


Growing = Literal["disable", "freeze", "update"]


class LayerSettings(SettingsSection):
    """The layers of a prompt: their switches, and their caps in items and tokens."""

    l1: Literal["full", "stripped"] = Field("full", description="Operator prompt and protocol")
    l2: Literal["full", "stripped"] = Field("full", description="State schema and legal actions")
    l3: Literal["on", "off"] = Field("on", description="Game knowledge")
    l3_filter: str = Field("", description="Keep only knowledge whose heading holds this text; empty: all")
    l4: Growing = Field("update", description="Episode summaries; freeze: read, do not write")
    l5: Growing = Field("update", description="Skills; freeze: read, do not write")
    modules: bool = Field(True, description="A plan may name a module, which then drives")
    l1_tokens: int = bounded_number(600, 16, 32_768, "Cap of L1", "tokens")
    l2_tokens: int = bounded_number(1200, 16, 32_768, "Cap of L2", "tokens")
    l3_items: int = bounded_number(60, 0, 1000, "Cap of L3", "items")
    l3_tokens: int = bounded_number(1600, 16, 32_768, "Cap of L3", "tokens")
    l4_items: int = bounded_number(6, 0, 1000, "Cap of L4", "items")
    l4_tokens: int = bounded_number(600, 16, 32_768, "Cap of L4", "tokens")
    l5_items: int = bounded_number(8, 0, 1000, "Cap of L5", "items")
    l5_tokens: int = bounded_number(800, 16, 32_768, "Cap of L5", "tokens")
    state_tokens: int = bounded_number(1200, 64, 32_768, "Cap of the state", "tokens")
    thread_messages: int = bounded_number(3, 0, 20, "Messages kept inside one fight", "messages")


class MemorySettings(SettingsSection):
    """Sets what the agent remembers and recalls, by the figures of SPEC §3's formulas."""

    form: Literal["layered", "rounds"] = Field(
        "layered", description="The layers of memory, or a rolling window of whole rounds in their place"
    )
    rounds: int = bounded_number(
        2, 0, 50, "Rounds in a rolling window: picture, text, reasoning, action", "rounds"
    )
    write: bool = Field(True, description="The agent writes what it learns; off: it only reads")
    action_bank: bool = Field(True, description="Hints from the state-action memory bank (SA-MB)")
    knowledge_graph: bool = Field(True, description="Hints from the state-action knowledge graph (SA-KG)")
    global_only: bool = Field(False, description="No hints, no L4, no L5; of L3 what the game ships")
    controllers: Literal["own", "both", "swapped", "shared"] = Field(
        "own", description="Which controller reads the bank's hints, and which the graph's fragments"
    )
    graph_tokens: int = bounded_number(300, 0, 32_768, "Cap of the graph's fragments in a prompt", "tokens")
    write_failures: bool = Field(
        True, description="Keep failures too; the published method keeps successes and recoveries only"
    )
    act_directly: bool = Field(True, description="A hint that is sure enough may act without a model call")
    embedder: str = Field(
        "", description="Sentence-embedding model of the registry; empty: the installed one"
    )
    hints: int = bounded_number(1, 0, 10, "Hints given at once", "hints")
    hint_at: float = bounded_number(0.85, 0.0, 1.0, "Semantic part at which an item gives a hint")
    act_at: float = bounded_number(0.92, 0.0, 1.0, "Semantic part at which it may act")
    jaccard: float = bounded_number(0.55, 0.0, 1.0, "Weight of J, the token sets' overlap")
    cosine: float = bounded_number(0.45, 0.0, 1.0, "Weight of C, the token frequencies' cosine")
    reward: float = bounded_number(0.15, 0.0, 1.0, "Weight of R, the reward average")
    success: float = bounded_number(0.1, 0.0, 1.0, "Weight of P, the success rate")
    age_h: float = bounded_number(24.0, 0.01, 1000000.0, "Age at which a score falls to 1/e", "h")
    reward_keeps: float = bounded_number(
        0.7, 0.0, 1.0, "Share of the old reward average that a new reward leaves"
    )
    graph_neighbours: int = bounded_number(5, 1, 100, "Nearest states asked of the graph", "nodes")
    graph_least: float = bounded_number(0.85, -1.0, 1.0, "Least cosine of a state that counts")
    graph_likeness: float = bounded_number(0.6, 0.0, 1.0, "Weight of v, a state's cosine")
    graph_success: float = bounded_number(0.4, 0.0, 1.0, "Weight of ρ, its best success rate")
    graph_nodes: int = bounded_number(10_000, 10, 1_000_000, "Most states of one game", "nodes")
    bank_items: int = bounded_number(100_000, 10, 2_000_000, "Most items of one game", "items")
    fuse_bank: float = bounded_number(0.75, 0.0, 1.0, "Weight of SA-MB in the fused score")
    fuse_graph: float = bounded_number(0.25, 0.0, 1.0, "Weight of SA-KG in the fused score")
    promote_at: float = bounded_number(0.7, 0.0, 1.0, "Reflection confidence that promotes to the graph")
    skill_duplicate: float = bounded_number(
        0.85, 0.0, 1.0, "Cosine at which a proposed skill is refused as known"
    )
    skill_near: float = bounded_number(0.7, 0.0, 1.0, "Cosine at which triggers decide about merging")
    skill_doubt: float = bounded_number(0.55, 0.0, 1.0, "Cosine at which a judge is asked")
    skill_trigger: float = bounded_number(0.6, 0.0, 1.0, "Triggers' Jaccard that merges two skills")
    skill_trials: int = bounded_number(3, 1, 25, "Resamplings that a new skill is tried by", "trials")
    skill_retire: float = bounded_number(
        0.3, 0.0, 1.0, "Success rate below which a used skill is proposed for removal"
    )
    skill_retire_uses: int = bounded_number(
        10, 1, 10_000, "Uses before a skill is proposed for removal", "uses"
    )


class GsmSettings(SettingsSection):
    """Game sense modules: what may play at frame rate beside a game's own."""

    invent_modules: bool = Field(
        False,
        description="A model may invent rule-based modules of its own, from the next opening of a game on; "
        "off, because models were found to invent many bad ones",
    )


class RecordingSettings(SettingsSection):
    """Chooses what a run keeps."""

    step_frames: bool = Field(True, description="Keep one image for each step")
    frame_format: Literal["jpg", "png"] = Field("jpg", description="Format of step images")
    jpeg_quality: int = bounded_number(88, 30, 100, "JPEG quality", "%")
    video: bool = Field(True, description="Keep a film of the whole run")
    video_fps: int = bounded_number(15, 1, 60, "Most pictures a second of the film", "Hz")
    video_px: int = bounded_number(960, 160, 3_840, "Longest side of the film", "px")
    video_most_mib: int = bounded_number(
        4_096, 16, 10_000_000, "Room for all films; the oldest go first, kept films stay", "MiB"
    )
    sound: bool = Field(
        True, description="Record with the film what the computer plays, where PulseAudio or PipeWire runs"
    )


class TeachSettings(SettingsSection):
    """Sets what is kept while a person demonstrates."""

    pictures_fps: int = bounded_number(0, 0, 60, "Most pictures kept; 0: by how fast the game is", "Hz")
    picture_px: int = bounded_number(
        0, 0, 1920, "Longest side of a kept picture; 0: the window's, divided down to 256 or less", "px"
    )
    most_mib: int = bounded_number(1_024, 1, 1_000_000, "Largest demonstration; it ends there", "MiB")
    enough: int = bounded_number(20, 1, 10_000, "Presses of an action below which it counts as too few")
    corrections: bool = Field(
        True,
        description="Keep what you do after you took over from the agent, until you give back, to learn from",
    )
    keep_typing: bool = Field(False, description="Keep typed text as well; off: it is left out")


class ConsoleSettings(SettingsSection):
    """Sets how the console looks."""

    theme: Literal["dark", "light"] = Field("dark", description="Colours of the window")
    language: Literal["en", "de"] = Field("en", description="Language of the window")
    advanced: bool = Field(
        False, description="Show every setting, and the words of the papers in place of plain ones"
    )
    live_fps: int = bounded_number(60, 5, 144, "Most redraws a second of the live view", "Hz")
    overlay: bool = Field(True, description="Show the overlay on the game while it plays")
    show_boxes: bool = Field(True, description="Draw state-reader boxes on the live view")
    show_detections: bool = Field(True, description="Draw what detectors found on the live view")
    show_keys: bool = Field(True, description="Draw pressed keys on the live view")
    show_badge: bool = Field(True, description="Draw route and trigger on the live view")
    keyboard_in_game: bool = Field(
        True, description="While the agent plays, clicks in the console leave the keyboard with the game"
    )
    back_to_game_s: int = bounded_number(
        10, 0, 120, "Idle time after which a borrowed keyboard goes back to the game; 0: never", "s"
    )
    hold_while_typing: bool = Field(
        True, description="Pause the game while you type in the console, where the game can be paused"
    )
    strip: bool = Field(
        True, description="Where the whole window does not fit beside the game, show a strip beside the game"
    )
    live_layout: str = Field(
        "", description="Places and sizes of the Live page's panes, as they were left; empty: as delivered"
    )
    pane_layout: str = Field(
        "", description="Places and sizes of the panes of the other pages; empty: as delivered"
    )
    last_game: str = Field("", description="Game that was opened last, which is offered first")
    tour_done: bool = Field(False, description="The tour of the window was gone through or skipped")
    preflight_done: bool = Field(False, description="The first start's checks were passed")


class Settings(SettingsSection):
    """Holds all settings, by section."""

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
    teach: TeachSettings = TeachSettings()
    console: ConsoleSettings = ConsoleSettings()

    def with_value(self, section: str, name: str, value: object) -> Settings:
        """Return a copy with one changed setting.

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
            raise SettingsError(f"{section}.{name}: {first_fault(error)[1]}.".replace("?.", "?")) from None


class _Stored(Settings):
    """Holds the settings as their file has them, with the version of its form."""

    schema_version: Literal[1] = Field(1, alias="schema")

    @model_validator(mode="before")
    @classmethod
    def _earlier_defaults(cls, given: object) -> object:
        """Files without a size for all films were written when films were off unless they were asked for."""
        recording = given.get("recording") if isinstance(given, dict) else None
        if isinstance(given, dict) and isinstance(recording, dict) and "video_most_mib" not in recording:
            return {**given, "recording": {key: value for key, value in recording.items() if key != "video"}}
        return given


def load_settings(file: Path) -> Settings:
    """Read settings; a missing file gives the defaults.

    Raises:
        SettingsError: the file is not JSON, a value does not fit (the error names key and bounds), or a newer
            Pitwall wrote it.
    """
    try:
        stored = read_model(_Stored, file)
    except FileNotFoundError:
        return Settings()
    except DamagedFile as error:
        if error.key == "schema":
            raise SettingsError(
                f"{file} was written by a newer Pitwall (schema {_schema_of(file)}; this one knows up to 1).",
                "Update Pitwall, or set PITWALL_DATA to another folder.",
            ) from None
        raise SettingsError(error.what, "Mend the value, or delete it for the default.") from None
    return Settings(**{name: getattr(stored, name) for name in Settings.model_fields})


def _schema_of(file: Path) -> str:
    with contextlib.suppress(OSError, DamagedFile, AttributeError):  # AttributeError: no object
        return repr(read_json(file).get("schema"))
    return "unknown"


def save_settings(file: Path, settings: Settings) -> None:
    """Write the settings to a temporary file, then rename it.

    Raises:
        SettingsError: the folder cannot be written.
    """
    try:
        write_whole(file, json.dumps({"schema": 1, **settings.model_dump()}, indent=2) + "\n")
    except OSError as error:
        raise SettingsError(f"{file} cannot be written: {error.strerror}.") from None
