"""Says how a module is judged: in its twin or on the screen; without a declared trial by the game's score."""

from __future__ import annotations

from pitwall.games.schema.modules import Module, Trial
from pitwall.games.schema.profile import Game, Profile

_SECONDS = 120.0
NAME = "score"


def with_trials(game: Game, module: Module) -> Module:
    """Return the module with its own trials, else with one by the game's score; without either as it is."""
    trial = None if module.trials else _by_score(game.profile)
    return module if trial is None else module.model_copy(update={"trials": [trial]})


def has_twin(module: Module) -> bool:
    """Return whether the module has a headless twin to be played in."""
    return module.judged_in is not None and bool(module.judged_in.twin)


def score_path(profile: Profile) -> str:
    """Return the score's path in the true state; empty where no score is known."""
    if profile.truth is not None:
        return profile.truth.score
    return f"game_state.{profile.score_field}" if profile.score_field else ""


def _by_score(profile: Profile) -> Trial | None:
    path = score_path(profile)
    if not path:
        return None
    unit = profile.truth.unit if profile.truth is not None else ""
    units = {field.name: field.unit for field in profile.fields}
    targets = [task.target for task in profile.tasks if path in task.scores]
    return Trial(
        name=NAME,
        score=path,
        unit=unit or units.get(profile.score_field, ""),
        success=min(targets, default=1.0),
        seconds=_SECONDS,
    )
