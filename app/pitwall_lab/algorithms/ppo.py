"""Proximal policy optimisation: learns from the policy's newest play, then discards it.

Schulman et al. 2017 (arXiv 1707.06347); advantages by generalised advantage estimation, Schulman et al. 2016
(arXiv 1506.02438). Policy and value share the layers that see.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from pitwall.games.schema.modules import Recipe
from pitwall_lab.algorithms.policy_network import NO_ACTION, Array, PolicyInput, QNetwork, Shape
from pitwall_lab.algorithms.replay import Outcome

_VALUE_WEIGHT = 0.5
_CLIP = 0.5
"""Longest gradient."""


class PPO:
    """The learner: policy, value, the decisions since the last update, gradient steps.

    One row of `rows` is one decision of every lane, and `recipe.horizon` rows make an update. One more row is
    kept, because the value of a decision is read from the row after it. Rows in which a lane's episode was
    over carry NO_ACTION and are not learned from.

    Args:
        shape: sizes of the policy. recipe: how to train it.
        lanes: environments side by side.
        seed: of first weights, exploration and the order of samples.
    """

    explained = None
    """It imagines nothing."""

    def __init__(self, shape: Shape, recipe: Recipe, *, lanes: int, seed: int) -> None:
        self.shape, self.recipe = shape, recipe
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.average = QNetwork(shape)
            self._value = nn.Linear(self.average.features_width, 1)
        with torch.no_grad():  # the first policy prefers nothing
            first, *_ = self.average.decide[-1].parameters()
            first.mul_(0.01)
        self._weights = [*self.average.parameters(), *self._value.parameters()]
        self._optimiser = torch.optim.Adam(self._weights, lr=recipe.learning_rate, eps=1e-5)
        exploring, sampling = np.random.SeedSequence(seed).spawn(2)
        self._exploring, self._sampling = np.random.default_rng(exploring), np.random.default_rng(sampling)
        self.rows: list[dict[str, Array]] = []
        self._seen: PolicyInput | None = None
        self._likely = self._estimate = np.zeros(lanes, np.float32)
        self.step = 0
        self.epsilon = 0.0
        self.price, self.learn_from = float(lanes), 1

    def act(self, seen: PolicyInput) -> Array:
        """Draw an action for every lane by the policy's probabilities."""
        with torch.inference_mode():
            features = self.average.features(*seen.tensors(self.shape))
            logs = functional.log_softmax(self.average.decide[-1](features), dim=1).numpy()
            self._estimate = self._value(features).squeeze(1).numpy()
        noise = self._exploring.gumbel(size=logs.shape)
        actions: Array = (logs + noise).argmax(axis=1)
        self._likely = np.take_along_axis(logs, actions[:, None], 1)[:, 0]
        self._seen = seen
        self.epsilon += 0.01 * (float(np.mean(actions != logs.argmax(axis=1))) - self.epsilon)
        return actions

    def best(self, seen: PolicyInput) -> Array:
        """Choose the likeliest action in every lane."""
        with torch.inference_mode():
            chosen: Array = self.average(*seen.tensors(self.shape)).argmax(dim=1).numpy()
        return chosen

    def remember(self, came: Outcome) -> None:
        """Store the results of the newest decisions, with the inputs and probabilities of `act`."""
        assert self._seen is not None
        row = {
            "state": self._seen.state,
            "history": self._seen.history,
            "action": came.action,
            "reward": came.reward,
            "terminal": came.terminal,
            "likely": self._likely,
            "value": self._estimate,
        }
        if self._seen.vision is not None:
            row["vision"] = self._seen.vision
        self.rows.append({name: np.array(value) for name, value in row.items()})

    def learn(self, gradients: int = 1) -> list[tuple[float, float]]:  # noqa: ARG002 - an update is whole
        """Update on the decisions since the last update, once there are enough.

        Returns:
            The loss and the mean predicted value of each gradient step; empty while there are too few
            decisions.
        """
        recipe = self.recipe
        if len(self.rows) <= recipe.horizon:
            return []
        rows, self.rows = self.rows, self.rows[-1:]
        kept = {name: np.stack([row[name] for row in rows]) for name in rows[0]}
        advantages = gae(kept["reward"], kept["value"], kept["terminal"], kept["action"], recipe)
        acted = np.flatnonzero(kept["action"][:-1].reshape(-1) != NO_ACTION)
        if not len(acted):
            return []
        count = advantages.size
        flat = {name: of[:-1].reshape(count, *of.shape[2:])[acted] for name, of in kept.items()}
        advantage = advantages.reshape(-1)[acted]
        wanted = torch.from_numpy(advantage + flat["value"])
        left = max(0.0, 1 - self.step / recipe.steps)
        floor = recipe.learning_rate_to
        for group in self._optimiser.param_groups:
            group["lr"] = floor + (recipe.learning_rate - floor) * left if floor else recipe.learning_rate
        return [
            self._descend(flat, advantage, wanted, part)
            for _ in range(recipe.passes)
            for part in self._parts(len(acted))
        ]

    def _parts(self, count: int) -> list[Array]:
        order = self._sampling.permutation(count)
        return np.array_split(order, max(1, round(count / self.recipe.batch)))

    def _descend(
        self, flat: Mapping[str, Array], advantage: Array, wanted: Tensor, part: Array
    ) -> tuple[float, float]:
        recipe = self.recipe
        vision = flat["vision"][part] if "vision" in flat else None
        seen = PolicyInput(flat["state"][part], flat["history"][part], vision)
        features = self.average.features(*seen.tensors(self.shape))
        logs = functional.log_softmax(self.average.decide[-1](features), dim=1)
        value = self._value(features).squeeze(1)
        action = torch.from_numpy(flat["action"][part].astype(np.int64))
        likely = logs.gather(1, action.unsqueeze(1)).squeeze(1)
        gain = torch.from_numpy(advantage[part])
        gain = (gain - gain.mean()) / (gain.std(unbiased=False) + 1e-8)
        ratio = (likely - torch.from_numpy(flat["likely"][part])).exp()
        clipped = ratio.clamp(1 - recipe.clip, 1 + recipe.clip)
        entropy = -(logs.exp() * logs).sum(dim=1).mean()
        error = functional.mse_loss(value, wanted[torch.from_numpy(part)])
        loss = -torch.min(ratio * gain, clipped * gain).mean() + _VALUE_WEIGHT * error
        loss = loss - recipe.entropy * entropy
        self._optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self._weights, _CLIP)
        self._optimiser.step()
        return loss.item(), value.mean().item()

    # ---- its whole state, so that a resumed training goes on as if nothing had been

    def save(self, most_replay_bytes: int | None = None) -> dict[str, Any]:  # noqa: ARG002
        """Return the whole state; `most_replay_bytes` is ignored, its rows are always few."""
        return {
            "policy": self.average.state_dict(),
            "value": self._value.state_dict(),
            "optimiser": self._optimiser.state_dict(),
            "rows": [{name: torch.from_numpy(of) for name, of in row.items()} for row in self.rows],
            "exploring": self._exploring.bit_generator.state,
            "sampling": self._sampling.bit_generator.state,
            "step": self.step,
            "epsilon": self.epsilon,
        }

    def load(self, saved: Mapping[str, Any]) -> None:
        """Restore what a learner of the same shape and recipe saved."""
        self.average.load_state_dict(saved["policy"])
        self._value.load_state_dict(saved["value"])
        self._optimiser.load_state_dict(saved["optimiser"])
        self.rows = [{name: of.numpy() for name, of in row.items()} for row in saved["rows"]]
        self._exploring.bit_generator.state = saved["exploring"]
        self._sampling.bit_generator.state = saved["sampling"]
        self.step, self.epsilon = saved["step"], saved["epsilon"]


def gae(reward: Array, value: Array, terminal: Array, action: Array, recipe: Recipe) -> Array:
    """Estimate how much better each decision was than expected.

    Args:
        reward, value, terminal, action: (rows + 1, lanes); the last row is only looked ahead to. An episode
            that was cut short is valued by the estimate for its last frame.

    Returns:
        (rows, lanes) float32; meaningless where the action is NO_ACTION.
    """
    rows = len(reward) - 1
    advantage = np.zeros((rows, reward.shape[1]), np.float32)
    after = np.zeros(reward.shape[1], np.float32)
    for at in reversed(range(rows)):
        going = ~terminal[at]
        error = reward[at] + recipe.gamma * value[at + 1] * going - value[at]
        same = going & (action[at + 1] != NO_ACTION)
        after = np.where(
            action[at] == NO_ACTION, 0.0, error + recipe.gamma * recipe.gae_lambda * same * after
        )
        advantage[at] = after
    return advantage
