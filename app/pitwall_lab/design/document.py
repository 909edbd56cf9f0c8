"""A design: state, actions, first reward and kind of a module with reasons, as a file to read and edit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from pitwall.core.bounded_reading import read_text
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.validation import first_fault
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.schema.fields import Identifier, ReaderField, Table
from pitwall.games.schema.modules import Learned, Module, Rule, StateInput, VisionInput
from pitwall.games.schema.profile import Game
from pitwall.games.watched_modules import WATCHED, WatchedModule
from pitwall.gsm.rule_module import RuleModule
from pitwall.gsm.versions import ModuleFolder
from pitwall.store.folder_errors import write_file
from pitwall_lab.rewards.source import read_source

DESIGN = "design.json"
_MOST_BYTES = 262_144
_ENDS = "status != 'playing'"


class Alternative(Table):
    """An alternative that was weighed for a part of the design.

    Attributes:
        figure: by which alternatives of the part are compared; None: not measured. unit: of the figure.
    """

    part: Literal["state", "actions", "reward", "period", "kind"]
    name: str
    figure: float | None = None
    unit: str = ""
    chosen: bool = False
    why: str = ""


class Design(Table):
    """`design.json` beside a module's versions.

    Attributes:
        task: what the module shall do, in words. by: who chose. model: its name; empty without a model.
        kind: a policy that sees fields, pictures, or both.
        rules: advice that the training begins with; none: it begins by chance.
        things: fields that the game does not have, read for this module.
        reward: source of the first reward function.
        reasons: of state, actions, reward, period, kind and rules, a sentence for each.
        weighed: the alternatives of each part.
    """

    game: str
    name: Identifier
    task: str = Field(min_length=1, max_length=500)
    by: Literal["search", "model", "operator"] = "search"
    model: str = ""
    reasons: dict[str, str] = Field(default_factory=dict)
    kind: Literal["fields", "pictures", "fields and pictures"]
    state: list[StateInput] = Field(default_factory=list)
    vision: VisionInput | None = None
    actions: list[str] = Field(min_length=2)
    decide_every_ms: float = Field(ge=0, le=10_000)
    rules: list[Rule] = Field(default_factory=list)
    things: list[ReaderField] = Field(default_factory=list)
    reward: str = Field(min_length=1)
    weighed: list[Alternative] = Field(default_factory=list)

    def module(self) -> Module:
        """Return the module that is designed."""
        learned = Learned(
            state=self.state,
            vision=self.vision,
            actions=self.actions,
            history=4,
            decide_every_ms=self.decide_every_ms,
            reward="",
        )
        description = f"Designed for: {self.task}"[:200]
        return Module(name=self.name, description=description, ends=_ENDS, rules=self.rules, learned=learned)


def design_file(data: DataFolder, game_id: str, name: str) -> Path:
    """Return the file of a game's design."""
    return data.modules / game_id / name / DESIGN


def read_design(file: Path, game: Game) -> Design:
    """Read a design that was edited, and check it.

    Raises:
        PitwallError: it cannot be read, or does not fit the game; names file, field, what is expected and how
            to mend it.
    """
    try:
        design = Design.model_validate(json.loads(read_text(file, most_bytes=_MOST_BYTES)))
    except FileNotFoundError:
        raise PitwallError(
            f"{file}: there is no such file.", f'Make a design: pitwall gsm design {game.game_id} --task "…"'
        ) from None
    except json.JSONDecodeError as error:
        raise PitwallError(f"{file}: line {error.lineno}: {error.msg}.", "Mend the JSON there.") from None
    except ValidationError as error:
        where, problem = first_fault(error)
        raise PitwallError(f"{file}: {where}: {problem}.", "Correct that field in the file.") from None
    check_design(design, game, str(file))
    return design


def check_design(design: Design, game: Game, file: str) -> None:
    """Check that a design fits its game.

    Raises:
        PitwallError: names the file, the field, what is expected and how to mend it.
    """
    profile = game.profile
    if design.game != game.game_id:
        raise PitwallError(
            f"{file}: game: {design.game!r}, expected {game.game_id!r}.", "Name the game that it is for."
        )
    fields = {field.name for field in (*profile.fields, *design.things)}
    for number, entry in enumerate(design.state):
        for name in filter(None, (entry.field, entry.minus, *(entry.at or ()))):
            if name not in fields:
                raise PitwallError(
                    f"{file}: state[{number}]: the game has no field {name!r}; expected one of "
                    f"{', '.join(sorted(fields)) or 'none'}.",
                    "Name another field, or take the entry out.",
                )
    space = Vocabulary(profile)
    for number, text in enumerate(design.actions):
        if text and (problem := _action_fault(text, space)):
            raise PitwallError(
                f"{file}: actions[{number}]: {problem} Expected: "
                f"{', '.join(action.name for action in profile.actions)}.",
                "Name an action of the game, or take it out.",
            )
    if (design.kind != "pictures") != bool(design.state) or (design.kind != "fields") != bool(design.vision):
        raise PitwallError(
            f"{file}: kind: {design.kind!r} does not fit: fields need a state, pictures need vision.",
            "Change the kind, or fill in what it sees.",
        )
    try:
        read_source(design.reward, "reward")
    except PitwallError as error:
        raise PitwallError(f"{file}: reward: {error.what}", error.fix) from None
    RuleModule(design.module(), frozenset(fields | {"status"}), origin=file)


def save_design(data: DataFolder, design: Design) -> Path:
    """Keep a design and its module, which drives nothing until a version is promoted; return the file."""
    file = design_file(data, design.game, design.name)
    write_file(file, design.model_dump_json(indent=1, exclude_defaults=False) + "\n")
    watched = WatchedModule(module=design.module(), fields=design.things)
    write_file(file.parent / WATCHED, watched.model_dump_json(indent=1) + "\n")
    return file


def designed_reward(folder: ModuleFolder) -> str | None:
    """Return the first reward of a designed module; None: it was not designed.

    Raises:
        PitwallError: its design cannot be read, or does not fit the game.
    """
    file = folder.root / DESIGN
    return read_design(file, folder.game).reward if file.is_file() else None


def _action_fault(text: str, space: Vocabulary) -> str:
    try:
        space.parse(text)
    except PitwallError as error:
        return error.what
    return ""
