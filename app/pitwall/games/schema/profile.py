"""The profile: what `plugin.toml` may say, as types. Reading it runs no code of the game's folder.

Boxes are in pixels of `screen.width` × `screen.height`, the size the author drew them at; they
scale with the window. Conditions are written in the language of core.conditions.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from pitwall.core.observations import Value
from pitwall.core.signals import Thresholds
from pitwall.games.schema.detectors import Detector
from pitwall.games.schema.exam import ExamTable
from pitwall.games.schema.fields import Box, Identifier, ReaderField, Table
from pitwall.games.schema.invention import InventedModule
from pitwall.games.schema.modules import Module, Scenario

SCHEMA = 1

GameId = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$", max_length=60)]
WhileThinking = Literal["go-on", "hold", "pause"]


class GameInfo(Table):
    """[game]"""

    id: GameId
    name: str = Field(min_length=1, max_length=80)
    version: str = "1.0.0"
    summary: str = ""
    genre: Literal["runner", "arcade", "platformer", "puzzle", "simulation"] = "arcade"
    level: int = Field(2, ge=1, le=5, description="Curriculum level (SPEC §6)")
    while_thinking: WhileThinking = "go-on"
    difficulty: Literal["easy", "medium", "hard"] = "hard"


class Launch(Table):
    """[launch]: words of the command may hold {python}, {folder}, {seed}, {data}."""

    command: list[str] = Field(min_length=1)
    programs: list[str] = Field(
        default_factory=list, description="Programs that must be found, on PATH or in /usr/games"
    )
    install_hint: str = ""
    env: dict[str, str] = Field(default_factory=dict)
    copies: list[str] = Field(
        default_factory=list,
        description="Files of the folder that are laid anew into {data} before each start, for programs "
        "that write into their own settings",
    )
    ready_timeout_s: float = Field(20.0, gt=0, le=300)
    settle_s: float = Field(0.0, ge=0, le=60, description="Wait after the window came")


class Browser(Table):
    """[browser]: a game that is a web page, in a Chromium of its own (the place of [launch]).

    The page's seed, clock and state are reached through the debugging protocol by the process that starts it
    (`pitwall browser-game`); neither the agent nor the engine sees them. A scenario's words become the
    page's query (`level=2`).

    Attributes:
        page: file of the folder, like page/index.html. url: or an address, like chrome://dino.
        state: dotted path of the true state → JavaScript expression, for a page that has no
            `window.gameAPI`, or in place of what its `getState()` says there.
        init: JavaScript run once, as soon as the page is loaded (`gameAPI.init` is called by itself).
        ready: expression that is true once it can be played; empty: `getState()` says ready, playing or menu.
        reset: expression that begins it anew; empty: `gameAPI.reset({seed})`.
        clock: put the page's time (frames, timers, dates) under control: exact pause, resume and speed.
    """

    page: str = ""
    url: str = ""
    state: dict[str, str] = Field(default_factory=dict)
    init: str = ""
    ready: str = ""
    reset: str = ""
    clock: bool = True
    ready_timeout_s: float = Field(30.0, gt=0, le=300)
    install_hint: str = ""


class WindowMatch(Table):
    """[window]: how to know the game's window where it was not launched by us (regular expressions)."""

    title: str = ""
    wm_class: str = ""


class Screen(Table):
    """[screen]: the size at which boxes were drawn.

    Attributes:
        rest_ms: a screen that has not changed for so long has come to rest. A step that is over waits for
            that, or for a new frame; 0 where each action is followed by one picture and no more.
    """

    width: int = Field(gt=0, le=16384)
    height: int = Field(gt=0, le=16384)
    rest_ms: int = Field(40, ge=0, le=5_000)


class Controls(Table):
    """[controls], and per role: what may be pressed at all."""

    keys: list[str] = Field(default_factory=list)
    mouse: bool = False
    hold_ms: tuple[int, int] = (20, 5_000)
    duration_ms: int | None = Field(
        None,
        ge=20,
        le=30_000,
        description="Length of every command of the computer-use interface; else the actions' median",
    )


class Parameter(Table):
    """[actions.parameters.NAME]: an argument merged into the binding. A "text" stands in a `line`."""

    type: Literal["int", "float", "choice", "text"] = "int"
    minimum: float | None = None
    maximum: float | None = None
    choices: list[str] = Field(default_factory=list)
    most: int = Field(0, ge=0, le=200, description="Letters of a text; 0: 60")
    default: str | int | float | None = None


class Cells(Table):
    """actions.cells: a board of equal cells in a box; columns and rows count from 0."""

    box: Box
    columns: int = Field(ge=1, le=1000)
    rows: int = Field(ge=1, le=1000)


class ActionBinding(Table):
    """[[actions]]: a semantic action.

    Exactly one way of acting: `keys` pressed together for `hold_ms`; `sequence` of key taps; `line` typed
    letter by letter, then Enter (`clear_key` throws away what stood there before); `click` at a point, or,
    with `cells`, in the middle of a cell (column, row); `wait`. A value "$NAME" takes the parameter of that
    name; a line may hold several, among other words. `duration_ms` of a line begins with its Enter.
    `effect_wait_ms`: how long after the last press its effect is looked for, where that is not as long as the
    setting control.effect_wait_ms says; short for an action that shows nothing.
    """

    name: Identifier
    description: str = ""
    aliases: list[str] = Field(default_factory=list)
    keys: list[str] = Field(default_factory=list)
    sequence: list[str] = Field(default_factory=list)
    line: str = ""
    clear_key: str = ""
    click: tuple[int, int] | tuple[str, str] | None = None
    cells: Cells | None = None
    button: Literal["left", "middle", "right"] = "left"
    wait: bool = False
    hold_ms: int | str = 60
    gap_ms: int = Field(60, ge=0, le=5_000, description="Pause between taps of a sequence or a line")
    duration_ms: int = Field(250, ge=20, le=30_000)
    expect: str = ""
    effect_wait_ms: int | None = Field(None, ge=0, le=30_000)
    parameters: dict[str, Parameter] = Field(default_factory=dict)


# ---- control


class StatusRules(Table):
    """[status]: conditions, tried in the order terminal, loading, menu, paused, ready, playing.

    Where none is given or none holds, the game counts as playing.
    """

    terminal: str = ""
    loading: str = ""
    menu: str = ""
    paused: str = ""
    ready: str = ""
    playing: str = ""


class Pause(Table):
    """[pause]: how the game is made to stand still, for `while_thinking = "pause"`.

    Attributes:
        keys: pressed together to pause. resume_keys: to go on; empty: the same.
    """

    keys: list[str] = Field(min_length=1)
    resume_keys: list[str] = Field(default_factory=list)

    @property
    def resume(self) -> list[str]:
        """Keys that make it go on."""
        return self.resume_keys or self.keys


class ProgressRules(Table):
    """[progress]: fields whose change counts as progress (SPEC §1), by what they stand for.

    Attributes:
        tolerance: numeric changes up to this much of a field do not count.
        done: condition that marks a task or subgoal done, counted when it becomes true.
        effects: whether a confirmed effect (productive execution) counts.
    """

    position: list[str] = Field(default_factory=list)
    facing: list[str] = Field(default_factory=list)
    selection: list[str] = Field(default_factory=list)
    inventory: list[str] = Field(default_factory=list)
    dialogue: list[str] = Field(default_factory=list)
    tolerance: dict[str, float] = Field(default_factory=dict)
    done: str = ""
    effects: bool = True


class Skill(Table):
    """[[skills]]: explicit trigger → short proposal → stop condition (layer L5)."""

    name: str = Field(min_length=1, max_length=80)
    when: str
    subgoal: str
    situation: str = ""
    actions: list[str] = Field(
        default_factory=list,
        description="Semantic actions, taken in turn: name or name(arg=value); {FIELD}: those that a field "
        "names as the skill fires, separated by semicolons; done, they are named anew while it goes on",
    )
    module: str = Field("", description="Game sense module that drives instead of actions")
    stop: str = ""
    priority: int = 0
    steps: int = Field(8, ge=1, le=1000, description="Most steps before it counts as done")
    cooldown_steps: int = Field(0, ge=0, le=1000)


class Role(Table):
    """[[roles]]: one controllable side."""

    name: Identifier
    prompt: str = Field("", description="File in the game's folder")
    actions: list[str] = Field(default_factory=list, description="Empty: every action")
    controls: Controls | None = Field(None, description="None: the game's")


class Truth(Table):
    """[truth]: where an evaluator reads the true state. The agent never sees it.

    Attributes:
        kind: "file": the game (or the browser it runs in) writes the GameWorld state contract as JSON to
            $PITWALL_TRUTH, whole each time. "log": lines that the game appends to a file. "output": lines
            that its program prints. "fields": what the state reader reads from the pixels: shown as read,
            never as verified.
        file: of kind "log": its path; may hold {data} and {folder}.
        patterns: of "log" and "output": dotted path of the true state → regular expression; its first group
            is the value, and the newest line that matches counts.
        fields: of "fields": dotted path → name of a state-reader field.
    """

    kind: Literal["file", "log", "output", "fields"]
    score: str = Field(description="Dotted path inside the state, like game_state.score")
    unit: str = ""
    file: str = ""
    patterns: dict[str, str] = Field(default_factory=dict)
    fields: dict[str, str] = Field(default_factory=dict)

    @property
    def verified(self) -> bool:
        """Whether it is the game's own word."""
        return self.kind != "fields"


class Task(Table):
    """[[tasks]]: an instruction with a verifiable target (SPEC §6).

    Attributes:
        score: dotted path inside the true state, or several whose sum counts.
        start: of the score; "first": as the first state says in which the game can be played.
        end: dotted path that ends the task when it is true (or not 0), beside what the game calls terminal.
        continue_on_fail: a terminal failure begins the game anew within the same budget; the best counts.
        scenario, role: the task is played in and as; empty: as the game is, its first role.
        seconds: beside the budget of steps; None: no limit of time.
    """

    id: Identifier
    instruction: str
    score: str | list[str]
    start: float | Literal["first"] = 0.0
    target: float
    steps: int = Field(100, ge=1, le=100_000)
    seconds: float | None = Field(None, gt=0, le=86_400)
    end: str = ""
    continue_on_fail: bool = True
    scenario: str = ""
    role: str = ""

    @property
    def scores(self) -> tuple[str, ...]:
        """The paths whose sum is the score."""
        return (self.score,) if isinstance(self.score, str) else tuple(self.score)


class Knowledge(Table):
    """[knowledge]: what the game's folder gives to the layers of a prompt.

    Attributes:
        rules: Markdown file; each `## heading` with its text is one item of layer L3, and so is the
            text before the first.
        episode_key: what episode summaries (L4) are kept by: "role", "seed", or names of fields.
    """

    rules: str = ""
    episode_key: list[str] = Field(default_factory=lambda: ["role"])


class Python(Table):
    """[python]: code that runs only after the operator trusted this folder (see games.plugin_code).

    Attributes:
        module: a Python file of the folder, or a package's `__init__.py`; it offers `reader`.
    """

    module: str


class Profile(Table):
    """A whole plugin.toml."""

    schema_version: Literal[1] = Field(1, alias="schema")
    game: GameInfo
    launch: Launch | None = None
    browser: Browser | None = None
    window: WindowMatch = WindowMatch()
    screen: Screen
    controls: Controls = Controls()
    actions: list[ActionBinding] = Field(min_length=1)
    detectors: list[Detector] = Field(default_factory=list)
    fields: list[ReaderField] = Field(default_factory=list)
    scenarios: list[Scenario] = Field(default_factory=list)
    status: StatusRules = StatusRules()
    pause: Pause | None = None
    progress: ProgressRules = ProgressRules()
    trigger: Thresholds = Thresholds()
    skills: list[Skill] = Field(default_factory=list)
    modules: list[Module] = Field(default_factory=list)
    roles: list[Role] = Field(default_factory=list)
    tasks: list[Task] = Field(default_factory=list)
    truth: Truth | None = None
    exam: ExamTable | None = None
    knowledge: Knowledge = Knowledge()
    python: Python | None = None


class Game(BaseModel):
    """A checked profile and where it came from.

    Attributes:
        profile_hash: SHA-256 of plugin.toml, hexadecimal.
        trusted: bundled with the project, or trusted by the operator.
        invented: modules that the data folder keeps beside the author's, in force or not; those in force
            stand in the profile too (see games.inventions).
    """

    model_config = ConfigDict(frozen=True)

    profile: Profile
    folder: Path
    profile_hash: str
    trusted: bool
    source: Literal["bundled", "user", "entry-point", "path"]
    invented: tuple[InventedModule, ...] = ()

    @property
    def game_id(self) -> str:
        return self.profile.game.id

    @property
    def module_names(self) -> list[str]:
        """Every module there is to look at: those in force, then the invented ones at rest."""
        names = [*self.profile.modules, *self.invented]
        return list(dict.fromkeys(one.name for one in names))


def field_of(action: str) -> str:
    """The field that names a skill's actions, of "{FIELD}"; empty for an action of its own."""
    return action[1:-1].strip() if action.startswith("{") and action.endswith("}") else ""


def named_actions(text: str, values: Mapping[str, Value]) -> list[str]:
    """The texts that an action of a skill stands for: itself, or those that its field names now."""
    field = field_of(text)
    if not field:
        return [text]
    named = values.get(field)
    return [part.strip() for part in named.split(";") if part.strip()] if isinstance(named, str) else []
