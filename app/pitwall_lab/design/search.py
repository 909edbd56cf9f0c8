"""Designs a module from recorded play and a task in words, by weighing stated alternatives."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from typing import Literal

import cv2
import numpy as np

from pitwall.core.observations import GameStatus
from pitwall.core.paths import DataFolder
from pitwall.core.steps import StepRecord
from pitwall.games.schema.profile import Game
from pitwall.store.run_reader import RunReader
from pitwall_lab.design.alternatives import (
    Features,
    judged_actions,
    judged_rewards,
    judged_states,
    state_alternatives,
)
from pitwall_lab.design.document import Alternative, Design
from pitwall_lab.live.finding import axes_of, found_in_play, read_found
from pitwall_lab.live.module import GLANCE, PERIOD_MS, PICTURES

LEAST_STEPS = 60
_MOST_STEPS, _NEWEST = 1_500, 200
_GLANCE_PX = 12


class RecordedPlay:
    """The played steps of a game's newest runs, in order within a run."""

    def __init__(self, data: DataFolder, game: Game) -> None:
        self.steps: list[StepRecord] = []
        self._folders: list[Path] = []
        with closing(RunReader.open(data)) as reader:
            for row in reader.runs(limit=_NEWEST):
                if row.manifest.game_id != game.game_id or len(self.steps) >= _MOST_STEPS:
                    continue
                steps = reader.steps(row.run_id, 1, _MOST_STEPS - len(self.steps))
                played = [step for step in steps if step.status is GameStatus.PLAYING]
                self.steps += played
                self._folders += [data.run(row.run_id)] * len(played)
        self.glance = lru_cache(maxsize=None)(self._glance)

    @property
    def pictured(self) -> bool:
        """Return whether the steps have pictures."""
        return bool(self.steps) and all(step.frame_ref for step in self.steps)

    def file(self, at: int) -> Path:
        """Return the picture of a step."""
        return self._folders[at] / self.steps[at].frame_ref

    def _glance(self, at: int) -> Features:
        picture = cv2.imread(str(self.file(at)), cv2.IMREAD_GRAYSCALE) if self.steps[at].frame_ref else None
        if picture is None:
            return np.zeros(_GLANCE_PX * _GLANCE_PX)
        small = cv2.resize(picture, (_GLANCE_PX, _GLANCE_PX), interpolation=cv2.INTER_AREA)
        return np.asarray(small, np.float64).reshape(-1) / 255.0


def search_design(data: DataFolder, game: Game, task: str, name: str) -> Design:
    """Choose the parts of a module by weighing alternatives on the game's recorded play."""
    profile, play = game.profile, RecordedPlay(data, game)
    things = [field for proposal in found_in_play(data, game) for field in axes_of(proposal, profile)]
    screen = profile.screen
    seen = lru_cache(maxsize=None)(lambda at: read_found(things, play.file(at), screen))
    options = state_alternatives(profile, play.steps, play.glance, things if play.pictured else (), seen)
    scores = [field for field in (profile.score_field, *profile.gain_fields) if field]
    state, weighed = judged_states(options, play.steps, scores)
    actions, of_actions = judged_actions(profile, play.steps)
    reward, why_reward, of_rewards = judged_rewards(profile, task, play.steps)
    kind: Literal["fields", "pictures", "fields and pictures"] = (
        "pictures" if not state.inputs else "fields and pictures" if state.pictures else "fields"
    )
    by_turns = profile.game.by_turns
    period_ms = 2 * PERIOD_MS if by_turns else 0.0 if kind == "fields" else PERIOD_MS
    return Design(
        game=game.game_id,
        name=name,
        task=task,
        kind=kind,
        state=list(state.inputs),
        vision=None if kind == "fields" else GLANCE if state.inputs else PICTURES,
        actions=["", *actions],
        decide_every_ms=period_ms,
        things=list(state.things),
        reward=reward,
        reasons={
            "state": _reason(weighed),
            "actions": _kept(of_actions),
            "reward": why_reward,
            "period": _period_reason(period_ms, by_turns=by_turns),
            "kind": "a policy learned by playing: no rules were written for it",
        },
        weighed=[*weighed, *of_actions, *of_rewards],
    )


def _reason(weighed: Sequence[Alternative]) -> str:
    chosen = next(entry for entry in weighed if entry.chosen)
    return f"{chosen.name}: {chosen.why}"


def _kept(weighed: Sequence[Alternative]) -> str:
    left = [entry.name for entry in weighed if not entry.chosen]
    return f"without {', '.join(left)}, which had no effect" if left else "every action of the game"


def _period_reason(period_ms: float, *, by_turns: bool) -> str:
    if by_turns:
        return f"every {period_ms:g} ms: the game goes by turns"
    return (
        f"every {period_ms:g} ms, as pictures cost time"
        if period_ms
        else "on every frame: fields cost little"
    )
