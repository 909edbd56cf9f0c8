"""Imagined play between real decisions: short episodes in a learned world, from states that were played.

Short episodes keep the world's errors small (Janner et al. 2019, arXiv 1906.08253). Nothing is imagined until
the world predicts new play well, measured before it learns from it; an episode ends where its networks
disagree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from pitwall_lab.algorithms.policy_network import NO_ACTION, Array, PolicyInput, Shape
from pitwall_lab.algorithms.replay import Batch, Replay
from pitwall_lab.algorithms.world_model import WorldModel

LEAST_EXPLAINED = 0.5
"""Share of the change from frame to frame that the world must predict before anything is imagined."""
_EPISODES, _STEPS = 64, 15
_EXPLORES = 0.1
_MOST_SPREAD = 0.15
"""Difference between the networks' predictions of a number from which nothing more is imagined."""
_KEPT = 60_000
_LEARNS, _BATCH = 0.5, 256
"""Gradient steps of the world for each of the policy's, and transitions of each."""
_SHARE = 0.25
"""Steps of the imagined episodes for each of the policy's gradient steps."""
_FORGETS = 0.01
_MOST_JUDGED = 256


class Imagination:
    """A learned world and the play that was imagined in it.

    Args:
        shape: of a policy with a state branch and without vision.
        gamma, n_step: see `Recipe`.

    Attributes:
        count: imagined transitions that are kept.
    """

    def __init__(self, shape: Shape, *, gamma: float, n_step: int, seed: int) -> None:
        self._shape, self._gamma, self._n_step = shape, gamma, n_step
        self.world = WorldModel(shape, seed=seed)
        self._chance = np.random.default_rng(seed)
        seen, past = (np.float32, shape.state), (np.int64, shape.history)
        fields = [("state", *seen), ("history", *past), ("action", np.int64), ("reward", np.float32)]
        fields += [("after", *seen), ("past", *past), ("discount", np.float32)]
        self._rows = np.zeros(_KEPT, fields)
        self.count = self._next = self._judged = 0
        self._owed = self._learns = 0.0
        self._missed = self._moved = 0.0

    @property
    def explained(self) -> float:
        """Return the share of the change that was predicted in new play."""
        return max(0.0, 1.0 - self._missed / self._moved) if self._moved else 0.0

    def turn(self, replay: Replay, best: Callable[[PolicyInput], Array], gradients: int) -> None:
        """Judge the world by the newest play, learn from all play, and imagine as much as is due.

        Args:
            best: the policy whose play is imagined.
            gradients: steps that the policy is about to take.
        """
        self._judge(replay)
        self._learns += _LEARNS * gradients
        for batch in replay.sample(_BATCH, int(self._learns), n_step=1, gamma=1.0, chance=self._chance):
            self.world.learn(batch)
        self._learns %= 1.0
        if self.explained < LEAST_EXPLAINED:
            return
        self._owed += _SHARE * gradients
        while self._owed >= _STEPS:
            self._owed -= _STEPS
            self._imagine(replay, best)

    def sample(self, size: int) -> Batch:
        """Draw imagined transitions evenly; there must be some."""
        rows = self._rows[self._chance.integers(0, self.count, size)]
        before = PolicyInput(rows["state"], rows["history"], None)
        after = PolicyInput(rows["after"], rows["past"], None)
        return Batch(
            before, rows["action"], rows["reward"], after, rows["discount"], np.full(size, NO_ACTION)
        )

    def _judge(self, replay: Replay) -> None:
        fresh = replay.newest(min(replay.added - self._judged, _MOST_JUDGED))
        self._judged = replay.added
        if fresh is None:
            return
        missed, moved = self.world.errors(fresh)
        keep = (1.0 - _FORGETS) ** len(fresh.action)
        self._missed, self._moved = keep * self._missed + missed, keep * self._moved + moved

    def _imagine(self, replay: Replay, best: Callable[[PolicyInput], Array]) -> None:
        """Play an episode from each of some played states, and keep its transitions."""
        began = replay.sample(_EPISODES, 1, n_step=1, gamma=1.0, chance=self._chance)
        seen = began[0].before
        going = np.ones(_EPISODES, np.bool_)
        unadvised = np.full(_EPISODES, NO_ACTION)
        steps: list[Batch] = []
        known: list[Array] = []
        for _ in range(_STEPS):
            by_chance = self._chance.random(_EPISODES) < _EXPLORES
            action = np.where(by_chance, self._chance.integers(0, self._shape.actions, _EPISODES), best(seen))
            came = self.world.predict(seen, action)
            going = going & (came.spread <= _MOST_SPREAD)
            past = np.concatenate([seen.history, action[:, None]], axis=1)[:, 1 : self._shape.history + 1]
            after = PolicyInput(came.state, past, None)
            discount = np.where(came.terminal, 0.0, self._gamma).astype(np.float32)
            steps.append(Batch(seen, action, came.reward, after, discount, unadvised))
            known.append(going)
            going, seen = going & ~came.terminal, after
        for first in range(_STEPS):
            until = first + self._n_step
            self._keep(_joined(steps[first:until], known[first:until]), known[first])

    def _keep(self, of: Batch, known: Array) -> None:
        """Put the transitions of the episodes that were going into the ring."""
        chosen = of.part(np.flatnonzero(known))
        size = len(chosen.action)
        rows = np.zeros(size, self._rows.dtype)
        rows["state"], rows["history"] = chosen.before.state, chosen.before.history
        rows["after"], rows["past"] = chosen.after.state, chosen.after.history
        rows["action"], rows["reward"], rows["discount"] = chosen.action, chosen.reward, chosen.discount
        self._rows[(self._next + np.arange(size)) % _KEPT] = rows
        self._next = (self._next + size) % _KEPT
        self.count = min(self.count + size, _KEPT)

    # ---- saving and loading

    def save(self) -> dict[str, Any]:
        """Return the whole state without what was imagined, which is soon imagined anew."""
        return {
            "world": self.world.save(),
            "chance": self._chance.bit_generator.state,
            "judged": self._judged,
            "explained": [self._missed, self._moved],
        }

    def load(self, saved: Mapping[str, Any]) -> None:
        """Restore what `save` returned."""
        self.world.load(saved["world"])
        self._chance.bit_generator.state = saved["chance"]
        self._judged = saved["judged"]
        self._missed, self._moved = saved["explained"]


def _joined(steps: Sequence[Batch], known: Sequence[Array]) -> Batch:
    """Join consecutive steps to transitions from the first step on, as far as each episode went."""
    first, *later = steps
    reward, discount = first.reward, first.discount
    state, history, going = first.after.state, first.after.history, known[0]
    for step, goes_on in zip(later, known[1:], strict=True):
        going = going & goes_on
        reward = np.where(going, reward + discount * step.reward, reward)
        discount = np.where(going, discount * step.discount, discount)
        state = np.where(going[:, None], step.after.state, state)
        history = np.where(going[:, None], step.after.history, history)
    after = PolicyInput(state, history, None)
    return Batch(first.before, first.action, reward, after, discount, first.advised)
