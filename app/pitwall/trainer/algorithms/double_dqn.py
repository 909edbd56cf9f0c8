"""Double DQN, from the network to the gradient step, in one file that reads from top to bottom (SPEC §8).

Double Q-learning with neural networks: van Hasselt, Guez, Silver 2016 (arXiv 1509.06461). Returns over n
steps: Sutton 1988; soft target update: Lillicrap et al. 2015 (arXiv 1509.02971). Arrays with a first axis
called lanes hold one row for each environment; an action of `NO_ACTION` stands for "none was taken".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from pitwall.games.schema.modules import Learned, Recipe
from pitwall.gsm.state_space import StateSpace

NO_ACTION = -1
"""No action: before the first of an episode, and on the frame that ended one."""
_MEMORY = 32
"""Width of the LSTM over past actions."""
_SIGHT = 128
"""Width of what the vision branch says."""
_AVERAGED = 5e-4
"""Share of the newest weights in the averaged ones; larger as long as there were few."""
_CLIP = 10.0
"""Longest gradient."""
_ROW = ("state", "action", "reward", "terminal", "age", "picture")
Array = NDArray[Any]


# ---- what a policy sees, and the network over it


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of a policy's inputs and output.

    Attributes:
        state: numbers of the state vector, 0 for no state branch.
        history: past actions that are seen, 0 for no history branch.
        vision: frames, height, width; None for no vision branch.
        hidden: widths of the layers; the first is the state branch's.
    """

    state: int
    actions: int
    history: int
    vision: tuple[int, int, int] | None
    hidden: tuple[int, ...]

    @classmethod
    def of(cls, learned: Learned, recipe: Recipe) -> Shape:
        """Build the shape from a module's space."""
        eye = learned.vision
        return cls(
            state=StateSpace(learned.state).size,
            actions=len(learned.actions),
            history=learned.history,
            vision=None if eye is None else (eye.frames, eye.height, eye.width),
            hidden=tuple(recipe.hidden) or (64,),
        )


@dataclass(frozen=True, slots=True)
class PolicyInput:
    """Holds a policy's inputs, of many lanes or samples at once.

    Attributes:
        state: (n, state) float32. history: (n, history) past actions, oldest first, or NONE.
        vision: (n, frames, height, width) uint8, oldest first; None without a vision branch.
    """

    state: Array
    history: Array
    vision: Array | None

    def tensors(self, shape: Shape) -> tuple[Tensor, ...]:
        """The network's inputs: those of state, history, vision whose branch there is, in this order."""
        inputs: list[Tensor] = []
        if shape.state:
            inputs.append(torch.from_numpy(self.state))
        if shape.history:
            rows = np.eye(shape.actions + 1, shape.actions, dtype=np.float32)  # its last row, NONE, is zeros
            inputs.append(torch.from_numpy(rows[self.history]))
        if self.vision is not None:
            inputs.append(torch.from_numpy(self.vision))
        return tuple(inputs)


class QNetwork(nn.Module):
    """State MLP, LSTM over past actions and vision CNN, merged into one value for each action."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        width, *deeper = shape.hidden
        merged = 0
        if shape.state:
            self.look = nn.Sequential(nn.Linear(shape.state, width), nn.ReLU())
            merged += width
        if shape.history:
            self.remember = nn.LSTM(shape.actions, _MEMORY, batch_first=True)
            merged += _MEMORY
        if shape.vision is not None:
            frames, height, wide = shape.vision
            self.watch = nn.Sequential(
                *_convolution(frames, 16, 5), *_convolution(16, 32, 3), *_convolution(32, 32, 3),
                *_convolution(32, 32, 3), nn.Flatten(),
                nn.Linear(32 * _sixteenth(height) * _sixteenth(wide), _SIGHT), nn.ReLU(),
            )  # fmt: skip
            merged += _SIGHT
        layers: list[nn.Module] = []
        for width in deeper:
            layers += [nn.Linear(merged, width), nn.ReLU()]
            merged = width
        self.decide = nn.Sequential(*layers, nn.Linear(merged, shape.actions))

    def forward(self, *inputs: Tensor) -> Tensor:
        """(n, actions) from the inputs of `PolicyInput.tensors`."""
        left = list(inputs)
        said: list[Tensor] = []
        if self.shape.state:
            said.append(self.look(left.pop(0)))
        if self.shape.history:
            said.append(self.remember(left.pop(0))[1][0][0])
        if self.shape.vision is not None:
            said.append(self.watch(left.pop(0).float() / 255.0))
        decided: Tensor = self.decide(torch.cat(said, dim=1))
        return decided


def _joined_weights(network: nn.Module) -> nn.Parameter:
    """Lay a network's weights into one vector of which they become views: one operation serves them all."""
    weights = list(network.parameters())
    joined = torch.cat([weight.detach().reshape(-1) for weight in weights])
    for weight, part in zip(weights, torch.split(joined, [one.numel() for one in weights]), strict=True):
        weight.data = part.view_as(weight)
    return nn.Parameter(joined)


def _convolution(channels: int, into: int, size: int) -> list[nn.Module]:
    return [nn.Conv2d(channels, into, size, stride=2, padding=size // 2), nn.ReLU()]


def _sixteenth(pixels: int) -> int:
    for _ in range(4):
        pixels = (pixels + 1) // 2
    return pixels


# ---- replay memory


@dataclass(frozen=True, slots=True)
class Batch:
    """Transitions over up to n steps, of `size` samples.

    Attributes:
        reward: discounted sum on the way. discount: of the estimate where it ends; 0 where the episode did.
    """

    before: PolicyInput
    action: Array
    reward: Array
    after: PolicyInput
    discount: Array


class Replay:
    """A ring of the newest rows of each lane. Pictures are kept once, one a row, as uint8.

    A row is what was seen and what was then done: state, picture, action, reward, whether that ended the
    episode for good (`terminal`), and how many decisions of the episode lie before it (`age`). The frame on
    which an episode ended is a row too, with the action NONE.

    Args:
        capacity: rows in all.
        lanes: written in step.
    """

    def __init__(self, shape: Shape, *, lanes: int, capacity: int) -> None:
        self._shape = shape
        self.rows = max(2, -(-capacity // lanes))
        self.state = np.zeros((lanes, self.rows, shape.state), np.float32)
        self.action = np.full((lanes, self.rows), NO_ACTION, np.int16)
        self.reward = np.zeros((lanes, self.rows), np.float32)
        self.terminal = np.zeros((lanes, self.rows), np.bool_)
        self.age = np.zeros((lanes, self.rows), np.int32)
        picture = (0, 0) if shape.vision is None else shape.vision[1:]
        self.picture = np.zeros((lanes, self.rows, *picture), np.uint8)
        self.count = self.next = 0

    @property
    def lanes(self) -> int:
        """Return the number of lanes that are written in step."""
        return len(self.action)

    def add(
        self, seen: Array, frames: Array | None, action: Array, reward: Array, terminal: Array, age: Array
    ) -> None:
        """A row for every lane: each argument has one value (or vector, or picture) for each."""
        at = self.next
        self.state[:, at], self.action[:, at], self.reward[:, at] = seen, action, reward
        self.terminal[:, at], self.age[:, at] = terminal, age
        if frames is not None:
            self.picture[:, at] = frames
        self.next = (at + 1) % self.rows
        self.count = min(self.count + 1, self.rows)

    def sample(self, size: int, *, n_step: int, gamma: float, chance: np.random.Generator) -> Batch | None:
        """Transitions drawn evenly, with replacement; None while there is none to draw."""
        if (drawn := self._draw(size, n_step, chance)) is None:
            return None
        lane, row = drawn
        reward = np.zeros(size, np.float32)
        discount = np.zeros(size, np.float32)
        after = row.copy()
        going = np.ones(size, np.bool_)
        for k in range(n_step):
            here, following = (row + k) % self.rows, (row + k + 1) % self.rows
            terminal = self.terminal[lane, here]
            reward += np.where(going, gamma**k * self.reward[lane, here], 0.0).astype(np.float32)
            discount = np.where(going, np.where(terminal, 0.0, gamma ** (k + 1)), discount)
            after = np.where(going, following, after)
            going &= ~terminal & (self.action[lane, following] != NO_ACTION)
        action, discount = self.action[lane, row].astype(np.int64), discount.astype(np.float32)
        return Batch(self._seen(lane, row), action, reward, self._seen(lane, after), discount)

    def _draw(self, size: int, n_step: int, chance: np.random.Generator) -> tuple[Array, Array] | None:
        """Lanes and rows with an action, far enough from both ends of the ring."""
        pictures = self._shape.vision[0] - 1 if self._shape.vision is not None else 0
        first = max(self._shape.history, pictures) if self.count == self.rows else 0
        end = self.count - n_step
        if end <= first:
            return None
        oldest = self.next - self.count
        lane = chance.integers(0, self.lanes, size)
        row = (oldest + chance.integers(first, end, size)) % self.rows
        while len(wrong := np.flatnonzero(self.action[lane, row] == NO_ACTION)):
            drawable = (oldest + np.arange(first, end)) % self.rows
            if len(wrong) == size and np.all(self.action[:, drawable] == NO_ACTION):
                return None
            lane[wrong] = chance.integers(0, self.lanes, len(wrong))
            row[wrong] = (oldest + chance.integers(first, end, len(wrong))) % self.rows
        return lane, row

    def _seen(self, lane: Array, row: Array) -> PolicyInput:
        age = self.age[lane, row]
        back = np.arange(-self._shape.history, 0)
        past = self.action[lane[:, None], (row[:, None] + back) % self.rows].astype(np.int64)
        past[-back > age[:, None]] = NO_ACTION
        if self._shape.vision is None:
            return PolicyInput(self.state[lane, row], past, None)
        back = np.maximum(np.arange(1 - self._shape.vision[0], 1), -age[:, None])
        pictures = self.picture[lane[:, None], (row[:, None] + back) % self.rows]
        return PolicyInput(self.state[lane, row], past, pictures)

    def save(self, most_bytes: int | None = None) -> dict[str, Any]:
        """The rows, oldest first; where they would take more than `most_bytes`, the newest of them."""
        arrays = self._arrays()
        row_bytes = sum(array[:, 0].nbytes for array in arrays.values())
        keep = self.count if most_bytes is None else min(self.count, most_bytes // row_bytes)
        rows = (self.next - keep + np.arange(keep)) % self.rows
        return {"count": keep, **{name: torch.from_numpy(of[:, rows]) for name, of in arrays.items()}}

    def load(self, saved: Mapping[str, Any]) -> None:
        """Restore what a replay memory of the same shape, lanes and capacity saved."""
        self.count = saved["count"]
        self.next = self.count % self.rows
        for name, array in self._arrays().items():
            array[:, : self.count] = saved[name].numpy()

    def _arrays(self) -> dict[str, Array]:
        return {name: getattr(self, name) for name in _ROW}


# ---- acting and learning


class DoubleDQN:
    """The learner: online and target network, replay memory, exploration, gradient steps.

    What plays in earnest is `average`: the online network's weights, averaged over the last few thousand
    gradient steps (Polyak, Juditsky 1992), because the policy of the moment swings.

    Args:
        shape: of the policy. recipe: how it is trained.
        lanes: environments side by side.
        seed: of the first weights, exploration and sampling.
    """

    def __init__(self, shape: Shape, recipe: Recipe, *, lanes: int, seed: int) -> None:
        self.shape, self.recipe = shape, recipe
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.online, self.target, self.average = (QNetwork(shape) for _ in range(3))
        for network in (self.target, self.average):
            network.load_state_dict(self.online.state_dict())
        self._weights, self._target_weights, self._average_weights = (
            _joined_weights(network) for network in (self.online, self.target, self.average)
        )
        self._optimiser = torch.optim.Adam([self._weights], lr=recipe.learning_rate, fused=True)
        self.replay = Replay(shape, lanes=lanes, capacity=recipe.replay)
        exploring, sampling = np.random.SeedSequence(seed).spawn(2)
        self._exploring = np.random.default_rng(exploring)
        self._sampling = np.random.default_rng(sampling)
        self.step = 0
        self.gradients = 0

    @property
    def epsilon(self) -> float:
        """Share of decisions that are taken by chance now: it falls in a straight line, then stays."""
        recipe = self.recipe
        gone = min(1.0, self.step / recipe.epsilon_steps)
        return recipe.epsilon_from + gone * (recipe.epsilon_to - recipe.epsilon_from)

    @property
    def learning_rate(self) -> float:
        """Return the rate of the next gradient step: small towards the end, so that what was learnt stays."""
        recipe = self.recipe
        gone = min(1.0, self.step / recipe.steps) if recipe.learning_rate_to else 0.0
        return recipe.learning_rate + gone * (recipe.learning_rate_to - recipe.learning_rate)

    def act(self, seen: PolicyInput) -> Array:
        """An action for every lane, the best or, for epsilon of them, any."""
        actions, chance = self._best(self.online, seen), self._exploring
        by_chance = chance.random(len(actions)) < self.epsilon
        return np.where(by_chance, chance.integers(0, self.shape.actions, len(actions)), actions)

    def best(self, seen: PolicyInput) -> Array:
        """Choose the averaged network's action in every lane, without exploring."""
        return self._best(self.average, seen)

    def _best(self, network: QNetwork, seen: PolicyInput) -> Array:
        with torch.inference_mode():
            chosen: Array = network(*seen.tensors(self.shape)).argmax(dim=1).numpy()
        return chosen

    def learn(self) -> tuple[float, float] | None:
        """Take a gradient step; returns loss and mean predicted value, None while nothing can be drawn."""
        recipe, chance = self.recipe, self._sampling
        batch = self.replay.sample(recipe.batch, n_step=recipe.n_step, gamma=recipe.gamma, chance=chance)
        if batch is None:
            return None
        after = batch.after.tensors(self.shape)
        with torch.no_grad():  # the online network chooses, the target network values what it chose
            chosen = self.online(*after).argmax(dim=1, keepdim=True)
            value = self.target(*after).gather(1, chosen).squeeze(1)
            wanted = torch.from_numpy(batch.reward) + torch.from_numpy(batch.discount) * value
        predicted = self.online(*batch.before.tensors(self.shape))
        predicted = predicted.gather(1, torch.from_numpy(batch.action).unsqueeze(1)).squeeze(1)
        loss = functional.smooth_l1_loss(predicted, wanted)
        slopes = torch.autograd.grad(loss, list(self.online.parameters()))
        gradient = torch.cat([slope.reshape(-1) for slope in slopes])
        self._weights.grad = gradient.mul_((_CLIP / (gradient.norm() + 1e-6)).clamp(max=1.0))
        self._optimiser.param_groups[0]["lr"] = self.learning_rate
        self._optimiser.step()
        with torch.no_grad():  # the target network follows softly, the averaged one more softly still
            self._target_weights.lerp_(self._weights, recipe.tau)
            self._average_weights.lerp_(self._weights, max(_AVERAGED, 1.0 / (self.gradients + 1)))
        self.gradients += 1
        return float(loss.detach()), float(predicted.detach().mean())

    # ---- its whole state, so that a resumed training goes on as if nothing had been

    def save(self, most_replay_bytes: int | None = None) -> dict[str, Any]:
        """Return everything as tensors, numbers and strings, so that loading runs nothing.

        Args:
            most_replay_bytes: a larger replay memory is saved without its oldest rows, and a training that
                is resumed then goes on rightly, but not bit for bit.
        """
        return {
            "online": self.online.state_dict(),
            "target": self.target.state_dict(),
            "average": self.average.state_dict(),
            "optimiser": self._optimiser.state_dict(),
            "replay": self.replay.save(most_replay_bytes),
            "exploring": self._exploring.bit_generator.state,
            "sampling": self._sampling.bit_generator.state,
            "step": self.step,
            "gradients": self.gradients,
        }

    def load(self, saved: Mapping[str, Any]) -> None:
        """Restore what a learner of the same shape and recipe saved."""
        self.online.load_state_dict(saved["online"])
        self.target.load_state_dict(saved["target"])
        self.average.load_state_dict(saved["average"])
        self._optimiser.load_state_dict(saved["optimiser"])
        self.replay.load(saved["replay"])
        self._exploring.bit_generator.state = saved["exploring"]
        self._sampling.bit_generator.state = saved["sampling"]
        self.step, self.gradients = saved["step"], saved["gradients"]
