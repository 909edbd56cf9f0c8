"""Adds modules that were learned by watching: DATA/modules/GAME/MODULE/watched.json, never the game's folder.

A declared module that has no rules and that no skill starts gets its skill here too, once it can play.

The operator made one by recording play of a game whose author declared none. The registry joins them when it
loads a game: the module, names for the keys that were pressed and have none, and, once a version of it was
promoted, the skill that starts it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from pydantic import Field

from pitwall.core.bounded_reading import read_json, read_model
from pitwall.core.errors import DamagedFile
from pitwall.core.keys import KEYS
from pitwall.core.paths import DataFolder
from pitwall.games.schema.actions import ActionBinding, Controls, Parameter
from pitwall.games.schema.fields import Table
from pitwall.games.schema.modules import Learned, Module, VisionInput
from pitwall.games.schema.profile import Game, Profile, Role, Skill
from pitwall.store.folder_errors import write_file

WATCHED = "watched.json"
WATCHED_MODULE = "watched"
"""The module that a game without any gets."""
UNNAMED = "key "
"""What stands before the name of a key that none of the game's actions presses."""
_MOUSE = "mouse "
_WHEEL = "wheel "
_ENDS = "status != 'playing'"
_PRIORITY = 5


class WatchedModule(Table):
    """`watched.json`: the module, and the actions that its keys need beside the game's own."""

    module: Module
    actions: list[ActionBinding] = Field(default_factory=list)


def with_watched(game: Game, data: DataFolder) -> Game:
    """Join a game with the modules that were learned by watching it."""
    alone = [one.name for one in game.profile.modules if not one.rules]
    game = with_started(game, [one for one in alone if _promoted(data.modules / game.game_id / one)])
    profile = game.profile
    for file in sorted((data.modules / game.game_id).glob(f"[a-z]*/{WATCHED}")):
        try:
            watched = read_model(WatchedModule, file)
        except (DamagedFile, OSError):  # the module is not offered; its versions' commands say what is wrong
            continue
        if all(one.name != watched.module.name for one in profile.modules):
            profile = _joined(profile, watched, promoted=_promoted(file.parent))
    return game if profile is game.profile else game.model_copy(update={"profile": profile})


def watch(data: DataFolder, game: Game, name: str, presses: Iterable[str]) -> None:
    """Make a module that is to be learned by watching, with an action for each key that has none.

    Args:
        presses: texts of what was pressed: actions of the game, or "key NAME".

    Raises:
        DataFolderError: it cannot be written.
    """
    named = {one.name for one in game.profile.actions}
    found = [one for text in presses if text.startswith(UNNAMED) and (one := _binding(text, game.profile))]
    fresh = [one for one in found if one.name not in named]
    actions = ["", *sorted(named | {one.name for one in fresh})]
    watched = WatchedModule(module=_module(name, actions), actions=fresh)
    write_file(data.modules / game.game_id / name / WATCHED, watched.model_dump_json(indent=1) + "\n")


def to_be_watched(game: Game) -> Game:
    """Join a game that has no module with the one that it gets once it learns from demonstrations."""
    watched = WatchedModule(module=_module(WATCHED_MODULE, ["", *(one.name for one in game.profile.actions)]))
    return game.model_copy(update={"profile": _joined(game.profile, watched, promoted=False)})


def with_started(game: Game, modules: Iterable[str]) -> Game:
    """Give a skill to each of these modules that no skill starts: its version was pinned, or promoted."""
    profile = game.profile
    started = {one.module for one in profile.skills}
    skills = [_skill(one) for one in profile.modules if one.name in set(modules) - started]
    if not skills:
        return game
    profile = profile.model_copy(update={"skills": [*profile.skills, *skills]})
    return game.model_copy(update={"profile": profile})


def _module(name: str, actions: list[str]) -> Module:
    learned = Learned(vision=VisionInput(), actions=actions, reward="")
    return Module(name=name, description="Learned by watching a person play", ends=_ENDS, learned=learned)


def _skill(module: Module) -> Skill:
    return Skill(
        name=f"as {module.name}",
        when="status == 'playing'",
        subgoal="play as it learned to",
        module=module.name,
        stop=_ENDS,
        priority=_PRIORITY,
        steps=1000,
    )


def unnamed_action(text: str, bindings: Mapping[str, ActionBinding]) -> str | None:
    """Find the action that presses a key alone, or clicks with a button anywhere; None: there is none."""
    pressed = text.removeprefix(UNNAMED)
    for one in bindings.values():
        anywhere = one.click is not None and str(one.click[0]).startswith("$") and one.cells is None
        if (
            one.keys == [pressed]
            or f"{_WHEEL}{one.wheel}" == pressed
            or (anywhere and f"{_MOUSE}{one.button}" == pressed)
        ):
            return one.name
    return None


def _binding(text: str, profile: Profile) -> ActionBinding | None:
    pressed = text.removeprefix(UNNAMED)
    name = "".join(letter if letter.isalnum() else "_" for letter in pressed.lower())
    if pressed in KEYS:
        return ActionBinding(name=f"press_{name}", description=f"Press {pressed}", keys=[pressed])
    if (way := pressed.removeprefix(_WHEEL)) in ("up", "down", "left", "right") and way != pressed:
        return ActionBinding.model_validate(
            {"name": f"wheel_{way}", "description": f"Turn the wheel {way}", "wheel": way}
        )
    button = pressed.removeprefix(_MOUSE)
    if button not in ("left", "middle", "right"):
        return None
    width, height = profile.screen.width, profile.screen.height
    return ActionBinding(
        name=f"click_{button}",
        description=f"Click the {button} button at a place",
        click=("$x", "$y"),
        button=button,
        parameters={
            "x": Parameter(minimum=0, maximum=width - 1),
            "y": Parameter(minimum=0, maximum=height - 1),
        },
    )


def _joined(profile: Profile, watched: WatchedModule, *, promoted: bool) -> Profile:
    names = [one.name for one in watched.actions]
    return profile.model_copy(
        update={
            "modules": [*profile.modules, watched.module],
            "actions": [*profile.actions, *watched.actions],
            "controls": _with_watched_keys(profile.controls, watched),
            "roles": [_role(one, names, watched) for one in profile.roles],
            "skills": [*profile.skills, _skill(watched.module)] if promoted else profile.skills,
        }
    )


def _with_watched_keys(controls: Controls, watched: WatchedModule) -> Controls:
    keys = dict.fromkeys([*controls.keys, *(key for one in watched.actions for key in one.keys)])
    mouse = controls.mouse or any(one.click is not None or one.wheel for one in watched.actions)
    return controls.model_copy(update={"keys": list(keys), "mouse": mouse})


def _role(role: Role, names: list[str], watched: WatchedModule) -> Role:
    """Let a role do what was watched: its actions and its keys, where it has any of its own."""
    controls = role.controls and _with_watched_keys(role.controls, watched)
    actions = [*role.actions, *names] if role.actions else []
    return role.model_copy(update={"actions": actions, "controls": controls})


def _promoted(folder: Path) -> bool:
    """Whether a version of a module drives (gsm.versions keeps which)."""
    try:
        return bool(read_json(folder / "promoted.json")["history"][-1]["version"])
    except (FileNotFoundError, DamagedFile, KeyError, IndexError, TypeError):
        return False
