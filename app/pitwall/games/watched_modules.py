"""Adds modules that were learned by watching: from DATA/modules/GAME/MODULE/watched.json.

The operator makes such a module by recording play of a game whose author declared none. The registry adds it
when it loads the game: the module, names for pressed keys that have none, and, once a version was promoted,
the skill that starts it. A declared module without rules and without a skill gets its skill here, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from pydantic import Field

from pitwall.core.bounded_reading import read_bytes, read_json, read_model
from pitwall.core.errors import DamagedFile
from pitwall.core.keys import KEYS
from pitwall.core.paths import DataFolder
from pitwall.games.schema.actions import ActionBinding, Controls, Parameter
from pitwall.games.schema.fields import ReaderField, Table
from pitwall.games.schema.modules import Learned, Module, VisionInput
from pitwall.games.schema.profile import Game, Profile, Role, Skill
from pitwall.store.folder_errors import write_file

WATCHED = "watched.json"
WATCHED_MODULE = "watched"
"""Name of the module that a game without modules gets."""
UNNAMED = "key "
"""Prefix of the name of a key that none of the game's actions presses."""
_MOUSE = "mouse "
_WHEEL = "wheel "
_ENDS = "status != 'playing'"


class WatchedModule(Table):
    """`watched.json`: the module, and actions and fields that the game does not have."""

    module: Module
    actions: list[ActionBinding] = Field(default_factory=list)
    fields: list[ReaderField] = Field(default_factory=list)


def with_watched(game: Game, data: DataFolder) -> Game:
    """Return a game with the modules that were learned by watching it."""
    alone = [module.name for module in game.profile.modules if not module.rules]
    game = with_started(game, [name for name in alone if _promoted(data.modules / game.game_id / name)])
    profile = game.profile
    for file in sorted((data.modules / game.game_id).glob(f"[a-z]*/{WATCHED}")):
        try:
            watched = read_model(WatchedModule, file)
        except (DamagedFile, OSError):  # not offered; the commands of its versions report the error
            continue
        if all(module.name != watched.module.name for module in profile.modules):
            profile = _joined(profile, watched, promoted=_promoted(file.parent))
    return game if profile is game.profile else game.model_copy(update={"profile": profile})


def watch(data: DataFolder, game: Game, name: str, presses: Iterable[str]) -> None:
    """Create a module that is to be learned by watching, with an action for each key that has none.

    Args:
        presses: texts of the presses: actions of the game, or "key NAME".

    Raises:
        DataFolderError: it cannot be written.
    """
    named = {action.name for action in game.profile.actions}
    bindings = [
        binding for text in presses if text.startswith(UNNAMED) and (binding := _binding(text, game.profile))
    ]
    fresh = [binding for binding in bindings if binding.name not in named]
    actions = ["", *sorted(named | {binding.name for binding in fresh})]
    watched = WatchedModule(module=_module(name, actions), actions=fresh)
    write_file(data.modules / game.game_id / name / WATCHED, watched.model_dump_json(indent=1) + "\n")


def copy_watched(theirs: DataFolder, ours: DataFolder, game_id: str, module: str) -> None:
    """Copy a module that was learned by watching or playing into a run's own data folder, if it is one.

    Raises:
        DataFolderError: it cannot be written. DamagedFile: it cannot be read.
    """
    file = Path(game_id, module, WATCHED)
    if (theirs.modules / file).is_file():
        write_file(ours.modules / file, read_bytes(theirs.modules / file))


def to_be_watched(game: Game) -> Game:
    """Return a game without modules with the module that it gets once it learns from demonstrations."""
    watched = WatchedModule(
        module=_module(WATCHED_MODULE, ["", *(action.name for action in game.profile.actions)])
    )
    return game.model_copy(update={"profile": _joined(game.profile, watched, promoted=False)})


def with_started(game: Game, modules: Iterable[str]) -> Game:
    """Add a skill for each of these modules that no skill starts: its version was pinned or promoted."""
    profile = game.profile
    started = {skill.module for skill in profile.skills}
    chosen = set(modules) - started
    skills = [_skill(module, profile) for module in profile.modules if module.name in chosen]
    if not skills:
        return game
    profile = profile.model_copy(update={"skills": [*profile.skills, *skills]})
    return game.model_copy(update={"profile": profile})


def _module(name: str, actions: list[str]) -> Module:
    learned = Learned(vision=VisionInput(), actions=actions, reward="")
    return Module(name=name, description="Learned by watching a person play", ends=_ENDS, learned=learned)


def _skill(module: Module, profile: Profile) -> Skill:
    """Return the skill that starts a chosen module, ahead of the game's own skills: these would hide it."""
    before = max((skill.priority for skill in profile.skills), default=0)
    return Skill(
        name=f"as {module.name}",
        when="status == 'playing'",
        subgoal="play as it learned to",
        module=module.name,
        stop=_ENDS,
        priority=before + 1,
        steps=1000,
    )


def unnamed_action(text: str, bindings: Mapping[str, ActionBinding]) -> str | None:
    """Return the action that presses a key alone, or clicks a button anywhere; None: there is none."""
    pressed = text.removeprefix(UNNAMED)
    for binding in bindings.values():
        anywhere = (
            binding.click is not None and str(binding.click[0]).startswith("$") and binding.cells is None
        )
        if (
            binding.keys == [pressed]
            or f"{_WHEEL}{binding.wheel}" == pressed
            or (anywhere and f"{_MOUSE}{binding.button}" == pressed)
        ):
            return binding.name
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
    names = [action.name for action in watched.actions]
    known = {field.name for field in profile.fields}
    return profile.model_copy(
        update={
            "modules": [*profile.modules, watched.module],
            "actions": [*profile.actions, *watched.actions],
            "fields": [*profile.fields, *(field for field in watched.fields if field.name not in known)],
            "controls": _with_watched_keys(profile.controls, watched),
            "roles": [_role(role, names, watched) for role in profile.roles],
            "skills": [*profile.skills, _skill(watched.module, profile)] if promoted else profile.skills,
        }
    )


def _with_watched_keys(controls: Controls, watched: WatchedModule) -> Controls:
    keys = dict.fromkeys([*controls.keys, *(key for action in watched.actions for key in action.keys)])
    mouse = controls.mouse or any(action.click is not None or action.wheel for action in watched.actions)
    return controls.model_copy(update={"keys": list(keys), "mouse": mouse})


def _role(role: Role, names: list[str], watched: WatchedModule) -> Role:
    """Give a role the watched actions and keys, where it has its own list of them."""
    controls = role.controls and _with_watched_keys(role.controls, watched)
    actions = [*role.actions, *names] if role.actions else []
    return role.model_copy(update={"actions": actions, "controls": controls})


def _promoted(folder: Path) -> bool:
    """Return whether a version of a module was promoted (gsm.versions keeps the record)."""
    try:
        return bool(read_json(folder / "promoted.json")["history"][-1]["version"])
    except (FileNotFoundError, DamagedFile, KeyError, IndexError, TypeError):
        return False
