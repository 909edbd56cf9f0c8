"""The profile: the contents of `plugin.toml`, as types. Reading it runs no code of the game's folder.

Boxes are in pixels of `screen.width` × `screen.height`, the size the author drew them at; they
scale with the window. Conditions are written in the language of core.conditions.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from pitwall.core.observations import Value
from pitwall.core.runs import Difficulty
from pitwall.core.signals import Thresholds
from pitwall.games.schema.actions import ActionBinding, Controls, MouseLook
from pitwall.games.schema.detectors import Detector
from pitwall.games.schema.fields import Identifier, ReaderField, Table
from pitwall.games.schema.invention import InventedModule
from pitwall.games.schema.launching import Browser, Launch
from pitwall.games.schema.modules import Module, Scenario
from pitwall.games.schema.passages import Passage

SCHEMA = 1
BARE_WINDOW = "bare-window"
"""Id of the game of a window that has no game's folder."""

TableType = TypeVar("TableType", bound=Table)

GameId = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$", max_length=60)]
WhileThinking = Literal["go-on", "hold", "pause"]


class GameInfo(Table):
    """[game]: the game's name, genre and level, and how the agent treats it."""

    id: GameId = Field(description="Name in commands, folders and the run log")
    name: str = Field(min_length=1, max_length=80, description="Name on the screen")
    version: str = Field("1.0.0", description="Version of the game; a run's manifest names it")
    summary: str = Field("", description="One sentence on what the game is")
    genre: Literal["runner", "arcade", "platformer", "puzzle", "simulation"] = Field(
        "arcade", description="Genre of the curriculum (SPEC §6)"
    )
    level: int = Field(2, ge=1, le=5, description="Curriculum level (SPEC §6)")
    without_skill: Literal["hold", "explore"] = Field(
        "hold",
        description='Where no skill applies: "hold", or "explore": the default agent tries actions and keeps '
        "what raises the score. A game without any skill is explored",
    )
    while_thinking: WhileThinking = Field(
        "go-on",
        description="While the planner thinks: the plan goes on, nothing is pressed, or the game is paused",
    )
    by_turns: bool = Field(
        False, description="Its world stands still until a key is pressed: it needs no pause"
    )
    difficulty: Difficulty = Field("hard", description="Decides the budget of model calls (SPEC §2)")


class WindowMatch(Table):
    """[window]: how to find the game's window where Pitwall did not start it."""

    title: str = Field("", description="Regular expression for the window's title")
    wm_class: str = Field("", description="Regular expression for its class")


class Screen(Table):
    """[screen]: the size at which boxes were drawn."""

    width: int = Field(gt=0, le=16384, description="Width of the picture in which boxes are drawn, in pixels")
    height: int = Field(gt=0, le=16384, description="Height of it")
    rest_ms: int = Field(
        40,
        ge=0,
        le=5_000,
        description="A screen that has not changed for so long has come to rest. A step that is over "
        "waits for that, or for a new frame; 0 where each action is followed by one picture "
        "and no more",
    )


class StatusRules(Table):
    """[status]: conditions, tried in the order terminal, loading, menu, paused, ready, playing.

    Where no condition holds, the game counts as playing.
    """

    terminal: str = Field("", description="Condition under which the game is over")
    loading: str = Field("", description="Condition under which it loads")
    menu: str = Field("", description="Condition under which a menu is open")
    paused: str = Field("", description="Condition under which it is paused")
    ready: str = Field("", description="Condition under which it waits for its start")
    playing: str = Field("", description="Condition under which it is played")


class Pause(Table):
    """[pause]: the keys that pause the game, for `while_thinking = "pause"`."""

    keys: list[str] = Field(min_length=1, description="Keys pressed together to pause")
    resume_keys: list[str] = Field(default_factory=list, description="Keys to go on; empty: the same")

    @property
    def resume(self) -> list[str]:
        """Return the keys that continue the game."""
        return self.resume_keys or self.keys


class ProgressRules(Table):
    """[progress]: fields whose change counts as progress (SPEC §1), by their meaning."""

    position: list[str] = Field(default_factory=list, description="Fields of the player's place")
    facing: list[str] = Field(default_factory=list, description="Fields of the player's direction")
    selection: list[str] = Field(default_factory=list, description="Fields of the selected item")
    inventory: list[str] = Field(default_factory=list, description="Fields of carried things and scores")
    dialogue: list[str] = Field(default_factory=list, description="Fields of menus and dialogues")
    tolerance: dict[str, float] = Field(
        default_factory=dict, description="Field → change of a number that does not count"
    )
    done: str = Field(
        "", description="Condition that marks a task or subgoal done; counted when it becomes true"
    )
    effects: bool = Field(True, description="Whether a confirmed effect counts (productive execution)")


class Skill(Table):
    """[[skills]]: explicit trigger → short proposal → stop condition (layer L5)."""

    name: str = Field(min_length=1, max_length=80, description="Name by which plans and memory know it")
    when: str = Field(description="Condition under which it applies")
    subgoal: str = Field(description="What it is after, in words")
    situation: str = Field("", description="What the situation is, in words")
    actions: list[str] = Field(
        default_factory=list,
        description="Semantic actions, taken in turn: name or name(arg=value); {FIELD}: those that a field "
        "names as the skill fires, separated by semicolons; done, they are named anew while it goes on",
    )
    module: str = Field("", description="Game sense module that drives instead of actions")
    stop: str = Field("", description="Condition that ends it")
    priority: int = Field(0, description="Where several apply, the highest is taken")
    steps: int = Field(8, ge=1, le=1000, description="Most steps before it counts as done")
    cooldown_steps: int = Field(0, ge=0, le=1000, description="Steps that pass before it may fire again")


class Role(Table):
    """[[roles]]: one controllable side."""

    name: Identifier = Field(description="Name of the side")
    prompt: str = Field("", description="File in the game's folder")
    actions: list[str] = Field(default_factory=list, description="Empty: every action")
    controls: Controls | None = Field(None, description="None: the game's")
    score: str = Field(
        "", description="Dotted path of this side's own score inside the true state; empty: it has none"
    )


class Truth(Table):
    """[truth]: where an evaluator reads the true state. The agent never sees it."""

    kind: Literal["file", "log", "output", "fields"] = Field(
        description='"file": the game (or its browser) writes the state contract as JSON to '
        '$PITWALL_TRUTH, whole each time. "log": lines that it appends to a file. "output": '
        'lines that its program prints. "fields": what the state reader reads from the '
        "pixels, shown as read and never as verified"
    )
    score: str = Field(description="Dotted path inside the state, like game_state.score")
    unit: str = Field("", description="Unit of the score")
    file: str = Field("", description='Of kind "log": its path; may hold {data} and {folder}')
    patterns: dict[str, str] = Field(
        default_factory=dict,
        description='Of "log" and "output": dotted path of the true state → regular expression; its '
        "first group is the value, and the newest line that matches counts",
    )
    fields: dict[str, str] = Field(
        default_factory=dict, description='Of "fields": dotted path → name of a state-reader field'
    )

    @property
    def verified(self) -> bool:
        """Return whether the game itself reports the state."""
        return self.kind != "fields"


class Task(Table):
    """[[tasks]]: an instruction with a verifiable target (SPEC §6)."""

    id: Identifier = Field(description="Name in commands and suites")
    instruction: str = Field(description="What to do, in words")
    score: str | list[str] = Field(
        description="Dotted path inside the true state, or several whose sum counts"
    )
    start: float | Literal["first"] = Field(
        0.0,
        description='Score at the start; "first": as the first state says in which the game can be played',
    )
    target: float = Field(description="Score to reach; more than the start")
    steps: int = Field(100, ge=1, le=100_000, description="Budget of steps")
    seconds: float | None = Field(
        None, gt=0, le=86_400, description="Limit of time beside the budget; not given: none"
    )
    difficulty: Difficulty | None = Field(
        None, description="How hard it is, which decides its call budget (SPEC §2); not given: as the game"
    )
    end: str = Field(
        "",
        description="Dotted path that ends the task when it is true (or not 0), beside what the game "
        "calls terminal",
    )
    standing: str = Field(
        "",
        description="Dotted path of the score that counts when time or steps are used up: of a game that "
        "takes points away, whose `score` tells finished rounds",
    )
    continue_on_fail: bool = Field(
        True, description="A terminal failure begins the game anew within the same budget; the best counts"
    )
    scenario: str = Field("", description="Scenario it is played in; empty: as the game is")
    role: str = Field("", description="Role it is played as; empty: the first")
    other_role: str = Field(
        "",
        description="Role that a second agent or a person plays in the same window at the same time; empty: "
        "nobody does",
    )
    other_instruction: str = Field("", description="What the other role is to do, in words; empty: the same")
    baseline: str = Field(
        "",
        description="Which simple players were seen to solve it, and how often, like `script 20 of 20`; "
        "`none` and what was tried where none did; empty: nobody tried",
    )

    @property
    def scores(self) -> tuple[str, ...]:
        """Return the paths whose sum is the score."""
        return (self.score,) if isinstance(self.score, str) else tuple(self.score)


class Knowledge(Table):
    """[knowledge]: the part of a prompt's layers that the game's folder provides."""

    rules: str = Field(
        "",
        description="Markdown file; each `## heading` with its text is one item of layer L3, and so is "
        "the text before the first",
    )
    things: list[str] = Field(
        default_factory=list,
        description='First words of headings that name a thing ("Card", for "## Card Lantern"): its section '
        "enters before other things' where a field names the thing",
    )
    shared_tokens: int = Field(
        0,
        ge=0,
        le=32_768,
        description="Tokens that knowledge, skills and state share in a prompt: knowledge takes what the "
        "other two leave, so that prompts keep one size; 0: up to its own cap",
    )
    episode_key: list[str] = Field(
        default_factory=lambda: ["role"],
        description='What episode summaries (L4) are kept by: "role", "seed", or names of fields',
    )
    state_key: list[str] = Field(
        default_factory=list,
        description="Fields by which the memory tells states apart, with exact places; empty: all but "
        "places, times and long texts",
    )


class Python(Table):
    """[python]: code that runs only after the operator trusted this folder (see games.plugin_loader)."""

    module: str = Field(
        description="A Python file of the folder, or a package's `__init__.py`; it offers `reader`"
    )


class Profile(Table):
    """A whole plugin.toml."""

    schema_version: Literal[1] = Field(1, alias="schema", description="Version of this format")
    game: GameInfo = Field(description="Who the game is")
    launch: Launch | None = Field(None, description="How its program is started")
    browser: Browser | None = Field(None, description="Or the web page that it is")
    window: WindowMatch = Field(
        WindowMatch(), description="How to find its window where Pitwall did not start it"
    )
    screen: Screen = Field(description="Size at which boxes and points are given")
    controls: Controls = Field(Controls(), description="Keys and pointer that are allowed")
    mouse_look: MouseLook | None = Field(None, description="How its view turns with the mouse")
    actions: list[ActionBinding] = Field(min_length=1, description="Actions, by name")
    detectors: list[Detector] = Field(default_factory=list, description="Detectors of things in the picture")
    fields: list[ReaderField] = Field(default_factory=list, description="Values that the state reader reads")
    scenarios: list[Scenario] = Field(default_factory=list, description="Ways to start it")
    status: StatusRules = Field(
        StatusRules(), description="Conditions under which it plays, is paused, is over"
    )
    passages: list[Passage] = Field(
        default_factory=list, description="How menus, end screens and pauses are left"
    )
    pause: Pause | None = Field(None, description="Keys that pause it")
    progress: ProgressRules = Field(ProgressRules(), description="Which fields count as progress")
    trigger: Thresholds = Field(Thresholds(), description="When a new plan is due")
    skills: list[Skill] = Field(
        default_factory=list, description="When this holds, do that, until then (layer L5)"
    )
    modules: list[Module] = Field(default_factory=list, description="Routines at frame rate")
    roles: list[Role] = Field(
        default_factory=list, description="Sides that can be controlled; none: one side with every action"
    )
    tasks: list[Task] = Field(default_factory=list, description="Instructions with a verifiable target")
    truth: Truth | None = Field(None, description="Where an evaluator reads the true state")
    knowledge: Knowledge = Field(Knowledge(), description="Knowledge of the game for prompts")
    python: Python | None = Field(None, description="Code of the folder that runs once it is trusted")

    def table(self, model: type[TableType]) -> TableType | None:
        """Return the table of this type, which a package added; None: the manifest has none."""
        values = (getattr(self, name) for name in type(self).model_fields)
        return next((value for value in values if isinstance(value, model)), None)

    @property
    def score_field(self) -> str:
        """Return the state-reader field of the score; empty where there is none."""
        truth = self.truth
        named = truth.fields.get(truth.score, "") if truth is not None else ""
        known = [*self.progress.inventory, *(field.name for field in self.fields)]
        return named or next((name for name in known if "score" in name), "")

    @property
    def gain_fields(self) -> list[str]:
        """Return the fields whose growth is gain: the score, else whatever is carried or counted."""
        named = self.truth.fields.get(self.truth.score, "") if self.truth is not None else ""
        counted = self.progress.inventory
        return [named] if named else [name for name in counted if "score" in name] or counted


class Game(BaseModel):
    """A checked profile and its source.

    Attributes:
        folder: where its files are read and run: of a trusted game the private copy.
        origin: the operator's own folder, of which `folder` is a copy; None: `folder` is it.
        profile_hash: SHA-256 of plugin.toml, hexadecimal.
        trusted: bundled with the project, or trusted by the operator.
        invented: invented modules of the data folder, in force or not; those in force are in the profile, too
            (see games.invented_modules).
    """

    model_config = ConfigDict(frozen=True)

    profile: Profile
    folder: Path
    origin: Path | None = None
    profile_hash: str
    trusted: bool
    source: Literal["bundled", "user", "entry-point", "path"]
    invented: tuple[InventedModule, ...] = ()

    @property
    def game_id(self) -> str:
        return self.profile.game.id

    @property
    def own_folder(self) -> Path:
        """Return the operator's own folder of the game, as messages and commands name it."""
        return self.origin or self.folder

    @property
    def reference(self) -> str:
        """Return the name by which another command finds the game: its id, or its folder if not listed."""
        return str(self.own_folder) if self.source == "path" else self.game_id

    @property
    def module_names(self) -> list[str]:
        """Return the names of all modules: those in force, then the invented modules at rest."""
        names = [*self.profile.modules, *self.invented]
        return list(dict.fromkeys(name.name for name in names))


def field_of(action: str) -> str:
    """Return the field of a skill's action "{FIELD}"; empty for any other action."""
    return action[1:-1].strip() if action.startswith("{") and action.endswith("}") else ""


def named_actions(text: str, values: Mapping[str, Value]) -> list[str]:
    """Return the actions that a skill's action stands for: itself, or those that its field names now."""
    field = field_of(text)
    if not field:
        return [text]
    named = values.get(field)
    return [part.strip() for part in named.split(";") if part.strip()] if isinstance(named, str) else []
