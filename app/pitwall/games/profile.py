"""The profile: what `plugin.toml` may say, as types. Reading it runs no code of the game's folder.

Boxes are in pixels of `screen.width` × `screen.height`, the size the author drew them at; they
scale with the window. Conditions are written in the language of core.conditions.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from pitwall.core.geometry import Rect
from pitwall.core.signals import Thresholds

SCHEMA = 1

Identifier = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=60)]
GameId = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$", max_length=60)]
Box = tuple[int, int, int, int]
"""x, y, width, height."""
Colour = tuple[
    Annotated[int, Field(ge=0, le=255)],
    Annotated[int, Field(ge=0, le=255)],
    Annotated[int, Field(ge=0, le=255)],
]
"""Red, green, blue."""
WhileThinking = Literal["go-on", "hold", "pause"]


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class GameInfo(_Table):
    """[game]"""

    id: GameId
    name: str = Field(min_length=1, max_length=80)
    version: str = "1.0.0"
    summary: str = ""
    genre: Literal["runner", "arcade", "platformer", "puzzle", "simulation"] = "arcade"
    level: int = Field(2, ge=1, le=5, description="Curriculum level (SPEC §6)")
    while_thinking: WhileThinking = "go-on"
    difficulty: Literal["easy", "medium", "hard"] = "hard"


class Launch(_Table):
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


class WindowMatch(_Table):
    """[window]: how to know the game's window where it was not launched by us (regular expressions)."""

    title: str = ""
    wm_class: str = ""


class Screen(_Table):
    """[screen]: the size at which boxes were drawn."""

    width: int = Field(gt=0, le=16384)
    height: int = Field(gt=0, le=16384)


class Controls(_Table):
    """[controls], and per role: what may be pressed at all."""

    keys: list[str] = Field(default_factory=list)
    mouse: bool = False
    hold_ms: tuple[int, int] = (20, 5_000)


class Parameter(_Table):
    """[actions.parameters.NAME]: an argument merged into the binding."""

    type: Literal["int", "float", "choice"] = "int"
    minimum: float | None = None
    maximum: float | None = None
    choices: list[str] = Field(default_factory=list)
    default: str | int | float | None = None


class Cells(_Table):
    """actions.cells: a board of equal cells in a box; columns and rows count from 0."""

    box: Box
    columns: int = Field(ge=1, le=1000)
    rows: int = Field(ge=1, le=1000)


class ActionBinding(_Table):
    """[[actions]]: a semantic action.

    Exactly one way of acting: `keys` pressed together for `hold_ms`; `sequence` of key taps;
    `click` at a point, or, with `cells`, in the middle of a cell (column, row); `wait`.
    A value "$NAME" takes the parameter of that name.
    """

    name: Identifier
    description: str = ""
    aliases: list[str] = Field(default_factory=list)
    keys: list[str] = Field(default_factory=list)
    sequence: list[str] = Field(default_factory=list)
    click: tuple[int, int] | tuple[str, str] | None = None
    cells: Cells | None = None
    button: Literal["left", "middle", "right"] = "left"
    wait: bool = False
    hold_ms: int | str = 60
    gap_ms: int = Field(60, ge=0, le=5_000, description="Pause between taps of a sequence")
    duration_ms: int = Field(250, ge=20, le=30_000)
    expect: str = ""
    parameters: dict[str, Parameter] = Field(default_factory=dict)


# ---- state reader


class _FieldBase(_Table):
    name: Identifier
    unit: str = ""
    description: str = ""
    box: Box | None = Field(None, description="None: the whole frame")


class BarField(_FieldBase):
    """A bar: filled share 0 … 100 %, by how many columns hold the colour, or by its extent."""

    kind: Literal["bar"]
    colour: Colour
    tolerance: int = Field(40, ge=0, le=255)
    by: Literal["colour", "extent"] = "colour"
    direction: Literal["right", "left", "up", "down"] = "right"


class DigitsField(_FieldBase):
    """A number written with pictures of digits: `templates/0.png` … `9.png` in the game's folder."""

    kind: Literal["digits"]
    templates: str
    threshold: float = Field(0.9, gt=0, le=1)
    most: int = Field(4, ge=1, le=12, description="Most digits")
    signed: bool = False


class ColourField(_FieldBase):
    """Share of a box (0 … 100 %) within `tolerance` of a colour; `at_least` makes it true or false."""

    kind: Literal["colour"]
    colour: Colour
    tolerance: int = Field(30, ge=0, le=255)
    at_least: float | None = Field(None, ge=0, le=100)


class TemplateField(_FieldBase):
    """Whether a picture is seen in the box (normalised correlation ≥ threshold)."""

    kind: Literal["template"]
    template: str
    threshold: float = Field(0.85, gt=0, le=1)


class ChangeField(_FieldBase):
    """Mean absolute change of a box against the previous step's frame, 0 … 100 %."""

    kind: Literal["change"]


class BlobField(_FieldBase):
    """Where a colour is: a coordinate (in `screen` pixels) of the largest patch of it."""

    kind: Literal["blob"]
    colour: Colour
    tolerance: int = Field(30, ge=0, le=255)
    least_px: int = Field(12, ge=1, description="Smaller patches are not seen (screen pixels)")
    value: Literal["x", "y", "left", "right", "top", "bottom", "area", "seen"] = "x"
    pick: Literal["largest", "leftmost", "rightmost", "topmost", "bottommost"] = "largest"


class GapField(_FieldBase):
    """A gap in the leftmost obstacle of a colour: its edge (in `screen` pixels), or where it stands.

    Columns of the box are scanned from the left; the first run of columns that hold the colour in
    at least `least_px` rows is the obstacle; its longest run of rows without the colour, bounded by
    the colour (or the box) on both sides, is the gap.
    """

    kind: Literal["gap"]
    colour: Colour
    tolerance: int = Field(30, ge=0, le=255)
    least_px: int = Field(8, ge=1)
    value: Literal["top", "bottom", "centre", "left", "right"] = "centre"


class TextField(_FieldBase):
    """Text in a box, read by OCR at its own slower cadence."""

    kind: Literal["text"]
    pattern: str = Field("", description="Regular expression; its first group is the value")
    number: bool = False


class DerivedField(_FieldBase):
    """A calculation on other fields (declared before it)."""

    kind: Literal["derived"]
    value: str


ReaderField = Annotated[
    BarField
    | DigitsField
    | ColourField
    | TemplateField
    | ChangeField
    | BlobField
    | GapField
    | TextField
    | DerivedField,
    Field(discriminator="kind"),
]


# ---- control


class StatusRules(_Table):
    """[status]: conditions, tried in the order terminal, loading, menu, paused, ready, playing.

    Where none is given or none holds, the game counts as playing.
    """

    terminal: str = ""
    loading: str = ""
    menu: str = ""
    paused: str = ""
    ready: str = ""
    playing: str = ""


class ProgressRules(_Table):
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


class Skill(_Table):
    """[[skills]]: explicit trigger → short proposal → stop condition (layer L5)."""

    name: str = Field(min_length=1, max_length=80)
    when: str
    subgoal: str
    situation: str = ""
    actions: list[str] = Field(
        default_factory=list, description="Semantic actions, taken in turn: name or name(arg=value)"
    )
    module: str = Field("", description="Game sense module that drives instead of actions")
    stop: str = ""
    priority: int = 0
    steps: int = Field(8, ge=1, le=1000, description="Most steps before it counts as done")
    cooldown_steps: int = Field(0, ge=0, le=1000)


class Rule(_Table):
    """[[modules.rules]]: the first rule that holds acts."""

    when: str
    action: str
    cooldown_ms: int = Field(0, ge=0, le=60_000)


class Module(_Table):
    """[[modules]]: a rule-based game sense module, run at frame rate."""

    name: Identifier
    description: str = ""
    ends: str = Field(description="Condition that ends it")
    rules: list[Rule] = Field(min_length=1)


class Role(_Table):
    """[[roles]]: one controllable side."""

    name: Identifier
    prompt: str = Field("", description="File in the game's folder")
    actions: list[str] = Field(default_factory=list, description="Empty: every action")
    controls: Controls | None = Field(None, description="None: the game's")


class Truth(_Table):
    """[truth]: where an evaluator reads the true state. The agent never sees it.

    kind "file": the game writes the GameWorld state contract as JSON to $PITWALL_TRUTH, whole each time.
    """

    kind: Literal["file"]
    score: str = Field(description="Dotted path inside the state, like game_state.score")
    unit: str = ""


class Task(_Table):
    """[[tasks]]: an instruction with a verifiable target."""

    id: Identifier
    instruction: str
    score: str = Field(description="Dotted path inside the true state")
    start: float = 0.0
    target: float
    steps: int = Field(100, ge=1, le=100_000)
    continue_on_fail: bool = True


class Knowledge(_Table):
    """[knowledge]: what the game's folder gives to the layers of a prompt.

    Attributes:
        rules: Markdown file; each `## heading` with its text is one item of layer L3, and so is the
            text before the first.
        episode_key: what episode summaries (L4) are kept by: "role", "seed", or names of fields.
    """

    rules: str = ""
    episode_key: list[str] = Field(default_factory=lambda: ["role"])


class Python(_Table):
    """[python]: code that runs only after the operator trusted this folder."""

    module: str


class Profile(_Table):
    """A whole plugin.toml."""

    schema_version: Literal[1] = Field(1, alias="schema")
    game: GameInfo
    launch: Launch | None = None
    window: WindowMatch = WindowMatch()
    screen: Screen
    controls: Controls = Controls()
    actions: list[ActionBinding] = Field(min_length=1)
    fields: list[ReaderField] = Field(default_factory=list)
    status: StatusRules = StatusRules()
    progress: ProgressRules = ProgressRules()
    trigger: Thresholds = Thresholds()
    skills: list[Skill] = Field(default_factory=list)
    modules: list[Module] = Field(default_factory=list)
    roles: list[Role] = Field(default_factory=list)
    tasks: list[Task] = Field(default_factory=list)
    truth: Truth | None = None
    knowledge: Knowledge = Knowledge()
    python: Python | None = None


class Game(BaseModel):
    """A checked profile and where it came from.

    Attributes:
        profile_hash: SHA-256 of plugin.toml, hexadecimal.
        trusted: bundled with the project, or trusted by the operator.
    """

    model_config = ConfigDict(frozen=True)

    profile: Profile
    folder: Path
    profile_hash: str
    trusted: bool
    source: Literal["bundled", "user", "entry-point", "path"]

    @property
    def game_id(self) -> str:
        return self.profile.game.id


def to_rect(box: Box) -> Rect:
    """A box of the manifest as a rectangle."""
    return Rect(*box)
