"""Defines the operator's commands to the engine, sent by the console or the command standing in for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import Field

from pitwall.core.memories import MemoryEdit
from pitwall.core.settings import Settings
from pitwall.core.signals import Thresholds


class PlayMode(StrEnum):
    """Who plays a run. (How an agent acts, by named actions or by keys and pointer, is `control.interface`.)

    Attributes:
        AGENT: the agent plays.
        PERSON: a person plays; nothing is sent, and each press counts as a step.
        SHADOW: a person plays; the agent decides beside them, and nothing is sent.
        TEACH: a person plays, and a demonstration is recorded; nothing is sent.
        TEACH_WITH_SHADOW: as TEACH, with the agent deciding beside the person.
    """

    AGENT = "agent"
    PERSON = "person"
    SHADOW = "shadow"
    TEACH = "teach"
    TEACH_WITH_SHADOW = "teach-with-shadow"

    @classmethod
    def chosen_in(cls, settings: Settings) -> PlayMode:
        """Return the mode that `control.player` and `control.shadow` choose."""
        if settings.control.player == "agent":
            return cls.AGENT
        return cls.SHADOW if settings.control.shadow else cls.PERSON

    @property
    def by_person(self) -> bool:
        """Return whether a person plays: the broker sends nothing and reports what they press."""
        return self is not PlayMode.AGENT

    @property
    def has_shadow(self) -> bool:
        """Return whether an agent decides beside the person who plays."""
        return self in (PlayMode.SHADOW, PlayMode.TEACH_WITH_SHADOW)

    @property
    def is_demonstration(self) -> bool:
        """Return whether a demonstration is recorded in place of a run."""
        return self in (PlayMode.TEACH, PlayMode.TEACH_WITH_SHADOW)

    @property
    def as_demonstration(self) -> PlayMode:
        """Return the mode in which the person's play is recorded as a demonstration."""
        return PlayMode.TEACH_WITH_SHADOW if self.has_shadow else PlayMode.TEACH

    def stored_in(self, settings: Settings) -> Settings:
        """Return settings whose `control.player` and `control.shadow` choose this mode."""
        if self is PlayMode.TEACH or self is PlayMode.chosen_in(settings):
            return settings
        if self is PlayMode.AGENT:
            return settings.with_value("control", "player", "agent")
        person = settings.with_value("control", "player", "person")
        return person.with_value("control", "shadow", self.has_shadow)


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """First message: which game to stand beside. The engine launches or finds it and shows it.

    Attributes:
        game: id of a known game, or path of a game folder.
        window_id: a window the operator clicked; None: launch the game, or find its window.
        launch: start the game's program where its window is not found.
        game_env: extra environment for the launched game (where evaluation wants its truth).
        settings: settings in force.
        seed: passed to a game that takes one.
        role: role to play; empty: the game's first.
        beside: roles that a person or another agent plays in the same window at the same time.
        console_pids: processes whose windows count as the console's.
        owner: process with whose end a launched game ends; 0: the one that launches it.
        scenario: of the profile, for a game that is launched; empty: none.
        modules: game sense module → version that drives whatever is promoted; "rules", "shipped", "v3".
        explore: share of a policy's decisions that are taken by chance, for a training from live play; of a
            version that learns while it drives, the largest share.
    """

    kind: Literal["open"] = "open"
    game: str
    window_id: int | None = None
    launch: bool = True
    game_env: dict[str, str] = field(default_factory=dict)
    settings: Settings = field(default_factory=Settings)
    seed: int | None = None
    role: str = ""
    beside: tuple[str, ...] = ()
    console_pids: tuple[int, ...] = ()
    owner: int = 0
    scenario: str = ""
    modules: dict[str, str] = field(default_factory=dict)
    explore: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """Begin a run: hands the focus to the game, arms the broker, plays.

    Attributes:
        seconds: end the run by itself after this long; None: until stopped.
        steps, calls, tokens: end the run after so many steps, model calls, or tokens read and written; None:
            no such bound.
        until_over: end the run when the game that was played is over.
        instruction: what to do, in words; empty: the profile's first task, or play.
        mode: who plays; None: the mode that the settings choose. Of a demonstration, `seconds` count while
            the person is watched.
        who: name of the person whose demonstration is recorded.
        repeat: actions of the first steps, before the agent decides: those of an earlier run; an empty one
            does nothing.
    """

    kind: Literal["start"] = "start"
    seconds: float | None = None
    steps: int | None = None
    calls: int | None = None
    tokens: int | None = None
    until_over: bool = False
    instruction: str = ""
    mode: PlayMode | None = None
    who: str = "person"
    repeat: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """Bring every key up and stop deciding; the run goes on when resumed."""

    kind: Literal["pause"] = "pause"


@dataclass(frozen=True, slots=True, kw_only=True)
class Resume:
    """Go on after a pause, a takeover or an emergency stop, after a fresh look at the screen."""

    kind: Literal["resume"] = "resume"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepLast:
    """Keep the last 30 s of the run's film as a clip; the run goes on."""

    kind: Literal["keep_last"] = "keep_last"


@dataclass(frozen=True, slots=True, kw_only=True)
class BorrowKeyboard:
    """Let the operator type in the console: the agent rests, and the game stands still where it can be held.

    Attributes:
        hold: whether the game is to stand still.
    """

    kind: Literal["borrow_keyboard"] = "borrow_keyboard"
    hold: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ReturnKeyboard:
    """Hand the keyboard focus back to the game that is being played."""

    kind: Literal["return_keyboard"] = "return_keyboard"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """End the run. The game stays in view."""

    kind: Literal["stop"] = "stop"


@dataclass(frozen=True, slots=True, kw_only=True)
class EmergencyStop:
    """Latch the broker. (The console also pulls the stop line, which needs no engine.)"""

    kind: Literal["emergency_stop"] = "emergency_stop"


@dataclass(frozen=True, slots=True, kw_only=True)
class SetThresholds:
    """Change the trigger's thresholds; in force from the next step."""

    kind: Literal["set_thresholds"] = "set_thresholds"
    thresholds: Thresholds


@dataclass(frozen=True, slots=True, kw_only=True)
class SetSettings:
    """Change settings (tier models and ablation switches among them): in force from the next step where
    they can be, else from the next start."""

    kind: Literal["set_settings"] = "set_settings"
    settings: Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class ChooseWindow:
    """Play another window (the operator clicked it)."""

    kind: Literal["choose_window"] = "choose_window"
    window_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChooseVersion:
    """Let a version of a game sense module drive while the game is open, whatever is promoted.

    Attributes:
        version: "rules", "shipped", "v3"; empty: follow the promotions again.
        explore: as of `Open`, from now on.
    """

    kind: Literal["choose_version"] = "choose_version"
    module: str
    version: str
    explore: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """Run a preflight check: its results come as `ProbeResult`.

    Attributes:
        name: capture, leak, input (a harmless key round trip), stop (latency of the stop key).
    """

    kind: Literal["probe"] = "probe"
    name: Literal["capture", "leak", "input", "stop"]
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadModel:
    """Load a model of the registry into the host now."""

    kind: Literal["load_model"] = "load_model"
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UnloadModel:
    """Free a model; a tier that uses it loads it again when it next calls."""

    kind: Literal["unload_model"] = "unload_model"
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EditMemory:
    """Edit the memory: every edit of it or none. Answered by `MemoryEdited`.

    Attributes:
        author: the operator, or the agent where a command that plays or learns beside the engine writes.
    """

    kind: Literal["edit_memory"] = "edit_memory"
    edit_id: int
    edits: tuple[MemoryEdit, ...]
    author: Literal["operator", "agent"] = "operator"


@dataclass(frozen=True, slots=True, kw_only=True)
class Quit:
    """End the run if there is one, close the game if it was launched, and end the engine."""

    kind: Literal["quit"] = "quit"


Command = Annotated[
    Open
    | Start
    | Pause
    | Resume
    | KeepLast
    | BorrowKeyboard
    | ReturnKeyboard
    | Stop
    | EmergencyStop
    | SetThresholds
    | SetSettings
    | ChooseWindow
    | ChooseVersion
    | Probe
    | LoadModel
    | UnloadModel
    | EditMemory
    | Quit,
    Field(discriminator="kind"),
]
