"""Chooses the module that learns by playing, its space, its first reward and its recipe."""

from __future__ import annotations

from typing import Any

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.games.drafting.learned_module import REWARD, reward_text
from pitwall.games.registry import Registry
from pitwall.games.schema.fields import BarField, BlobField, GapField, ReaderField, SpriteField
from pitwall.games.schema.modules import Learned, Module, StateInput, VisionInput
from pitwall.games.schema.profile import Game, Profile
from pitwall.games.watched_modules import WATCHED, WatchedModule
from pitwall.gsm.version_record import VersionRecord, VersionStatus
from pitwall.gsm.versions import ModuleFolder
from pitwall.store.folder_errors import write_file
from pitwall_lab.live.finding import Proposals, axes_of, found_in_play
from pitwall_lab.training.new_version import begin_version

PLAYED_MODULE = "played"
"""Name of the module that a game gets whose author declared none that learns."""
_SIDE, _FRAMES, PERIOD_MS = 84, 4, 100.0
PICTURES = VisionInput(width=_SIDE, height=_SIDE, frames=_FRAMES)
GLANCE = VisionInput(width=_SIDE // 2, height=_SIDE // 2, frames=_FRAMES)
"""Pictures beside the places of things that were found: they show speeds, which these do not tell."""
_LEAST_FIELDS = 2
_HORIZONTAL = frozenset({"x", "left", "right"})
_WITHOUT_END = 1_000_000_000


def learning_module(data: DataFolder, game: Game, name: str, known: Proposals | None = None) -> ModuleFolder:
    """Return the module that learns: the named one, else the game's first that learns, else a new one.

    Args:
        known: what moves in recorded play, if that was looked for; None: it is looked for where it is needed.

    Raises:
        UnknownModule: there is none of that name. PitwallError: nothing on the screen tells what is good.
    """
    profile = game.profile
    learns = [module.name for module in profile.modules if module.learned is not None]
    chosen = name or next(iter(learns), PLAYED_MODULE)
    if chosen == PLAYED_MODULE and chosen not in learns:
        _require_reward(profile)
        proposals: Proposals = []
        if len(places_of(profile)) < _LEAST_FIELDS:
            proposals = found_in_play(data, game) if known is None else known
        fields = [read for proposal in proposals for read in axes_of(proposal, profile)]
        seen = profile.model_copy(update={"fields": [*profile.fields, *fields]})
        played = WatchedModule(module=_played(seen, by_itself=bool(fields)), fields=fields)
        write_file(data.modules / game.game_id / chosen / WATCHED, played.model_dump_json(indent=1) + "\n")
        game = Registry(data).load(game.reference)
    folder = ModuleFolder(data, game, chosen)
    learned = folder.declared.learned
    if learned is None:
        raise PitwallError(f"{folder.name} learns nothing: it has only rules.", "Leave out --module.")
    if learned.reward in ("", REWARD):
        _require_reward(profile)
    return folder


def newest_version(folder: ModuleFolder) -> VersionRecord | None:
    """Return the newest version that learned by playing; None: there is none.

    Versions that were rolled back do not count; of those that an improve loop made, only those that it kept.
    """
    versions = [about for about in folder.all()[0] if about.explore is not None and _stands(about)]
    return versions[-1] if versions else None


def _stands(about: VersionRecord) -> bool:
    if about.loop:
        return about.standing is VersionStatus.KEPT
    return about.standing is not VersionStatus.ROLLED_BACK


def named_version(folder: ModuleFolder, version: str) -> VersionRecord:
    """Return the version of this name, which learns by playing.

    Raises:
        UnknownModule: there is none of that name. PitwallError: it does not learn by playing.
    """
    about = folder.about(version)
    if about.explore is None:
        raise PitwallError(f"{folder.name} {version} does not learn by playing.", "Leave out --version.")
    return about


def begin(folder: ModuleFolder, reward: str | None) -> VersionRecord:
    """Create a version that is to learn by playing."""
    learned = folder.declared.learned
    assert learned is not None
    if reward is None and not learned.reward:
        reward = reward_text(dict.fromkeys(folder.game.profile.gain_fields, 1.0))
    space = _seeing(learned, folder.game.profile)
    return begin_version(
        folder,
        learned=space,
        reward=reward,
        changes=live_recipe(space),
        title="learned by playing the game",
        explore=1.0,
    )


def _seeing(learned: Learned, profile: Profile) -> Learned:
    """Return a space that sees enough: of an added game its places, else pictures of the usual size.

    It decides often enough.
    """
    if learned.state:
        return learned
    places = places_of(profile) if learned.reward == REWARD else []
    if len(places) >= _LEAST_FIELDS:
        return learned.model_copy(update={"state": places, "vision": GLANCE, "decide_every_ms": PERIOD_MS})
    seen = learned.vision or VisionInput()
    vision = seen.model_copy(update={"width": _SIDE, "height": _SIDE, "frames": _FRAMES})
    period_ms = min(learned.decide_every_ms or PERIOD_MS, PERIOD_MS)
    return learned.model_copy(update={"vision": vision, "decide_every_ms": period_ms})


def live_recipe(learned: Learned) -> dict[str, Any]:
    """Return the recipe's changes for few, precious decisions."""
    changes: dict[str, Any] = {
        "algorithm": "double_dqn",
        "steps": _WITHOUT_END,
        "evaluate_every": _WITHOUT_END,
        "environments": 1,
        "learn_from": 64,
        "learning_rate_to": 0.0,
        "tau": 0.005,
    }
    if learned.state and learned.vision is None:
        return changes | {
            "learning_rate": 5e-4,
            "batch": 128,
            "replay": 100_000,
            "gamma": 0.95,
            "imagined": 0.5,
        }
    return changes | {"learning_rate": 5e-4, "batch": 32, "replay": 20_000, "gamma": 0.97, "hidden": [64, 64]}


def _require_reward(profile: Profile) -> None:
    if profile.gain_fields or profile.status.terminal:
        return
    raise PitwallError(
        f"{profile.game.name} shows nothing to learn from: no score, lives or end is read from its screen.",
        f"Add its score: Add a game, or pitwall games watch --game {profile.game.id} to find it.",
    )


def _played(profile: Profile, *, by_itself: bool) -> Module:
    """Return the module of a game without one: it sees fields of places if there are some, else pictures.

    Args:
        by_itself: the fields were found, and tell no speeds.
    """
    actions = [action.name for action in profile.actions if not (action.wait or action.parameters)]
    fields = places_of(profile)
    state = fields if len(fields) >= _LEAST_FIELDS else []
    learned = Learned(
        state=state,
        vision=GLANCE if state and by_itself else None if state else PICTURES,
        actions=["", *actions],
        history=4,
        decide_every_ms=0.0 if state and not by_itself else PERIOD_MS,
        reward="",
    )
    return Module(
        name=PLAYED_MODULE,
        description="Learned by playing the game",
        ends="status != 'playing'",
        learned=learned,
    )


def needs_play(profile: Profile) -> bool:
    """Return whether a game has neither a module that learns nor fields that one could see."""
    learns = any(module.learned is not None for module in profile.modules)
    return not learns and len(places_of(profile)) < _LEAST_FIELDS


def places_of(profile: Profile) -> list[StateInput]:
    """Return the fields that are places or bars, as inputs; a number that counts is no place."""
    fields = [field for field in profile.fields if field.name not in profile.gain_fields]
    return [place for field in fields if (place := _input(field, profile)) is not None]


def _input(field: ReaderField, profile: Profile) -> StateInput | None:
    """Return a field of a place or a bar as an input; None for other fields, whose range is not known."""
    match field:
        case BarField():
            return StateInput(field=field.name, low=0, high=100, optional=True)
        case BlobField(value=value) | SpriteField(value=value) | GapField(value=value):
            across = value in _HORIZONTAL
        case _ if field.unit == "px":
            across = not field.name.endswith("y")
        case _:
            return None
    high = profile.screen.width if across else profile.screen.height
    return StateInput(field=field.name, low=0, high=high, optional=True)
