"""The inputs of a policy and its network, with a branch each for state, past actions and pictures.

Arrays whose first axis is lanes hold one row for each environment. `NO_ACTION` in place of an action means
that none was taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from pitwall.games.schema.modules import Learned, Recipe
from pitwall.gsm.cloned_space import ClonedSpace, CloningRecipe, output_size, state_vectors
from pitwall.gsm.state_space import StateSpace

NO_ACTION = -1
"""No action: before an episode's first action, and on the frame that ended it."""
_MEMORY = 32
"""Width of the LSTM over past actions."""
_SIGHT = 128
"""Width of the vision branch's output."""
_MOST_PARTED, _NARROWEST = 50_000, 0.01
_SAMPLE = 1024
"""Pictures from which their spread is estimated."""
Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of a policy's inputs and output.

    Attributes:
        state: numbers of the state vector, 0 without a state branch.
        history: past actions in the input, 0 without a history branch.
        vision: frames, height, width; None without a vision branch.
        hidden: widths of the layers; the first is the state branch's.
        places: outputs beyond those of the actions.
        newest, knots: the last `newest` numbers of the state are each split into `knots` steps.
        dropout: share of a hidden layer's units that learning leaves out; with any, layers are normalised.
    """

    state: int
    actions: int
    history: int
    vision: tuple[int, int, int] | None
    hidden: tuple[int, ...]
    places: int = 0
    newest: int = 0
    knots: int = 0
    dropout: float = 0.0

    @classmethod
    def of(cls, learned: Learned, recipe: Recipe | CloningRecipe) -> Shape:
        """Build the shape from a module's space."""
        eye = learned.vision
        return cls(
            state=StateSpace(learned.state).size * state_vectors(learned),
            actions=len(learned.actions),
            history=learned.history,
            vision=None if eye is None else (eye.frames, eye.height, eye.width),
            hidden=tuple(recipe.hidden) or (64,),
            places=output_size(learned) - len(learned.actions),
            newest=StateSpace(learned.state).size,
            knots=learned.knots if isinstance(learned, ClonedSpace) else 0,
            dropout=recipe.dropout
            if isinstance(recipe, Recipe) and recipe.algorithm == "double_dqn"
            else 0.0,
        )


@dataclass(frozen=True, slots=True)
class PolicyInput:
    """A policy's inputs, for many lanes or samples at once.

    Attributes:
        state: (n, state) float32. history: (n, history) past actions, oldest first, or NO_ACTION.
        vision: (n, frames, height, width) uint8, oldest first; None without a vision branch.
    """

    state: Array
    history: Array
    vision: Array | None

    def part(self, of: slice | Array) -> PolicyInput:
        """Return some rows; a view for a slice."""
        return PolicyInput(self.state[of], self.history[of], None if self.vision is None else self.vision[of])

    def joined(self, other: PolicyInput) -> PolicyInput:
        """Return its rows and those of another input of the same shape."""
        state, history = (self.state, other.state), (self.history, other.history)
        pictures = [vision for vision in (self.vision, other.vision) if vision is not None]
        vision = np.concatenate(pictures) if pictures else None
        return PolicyInput(np.concatenate(state), np.concatenate(history), vision)

    def tensors(self, shape: Shape) -> tuple[Tensor, ...]:
        """Return the inputs of the network's branches, in the order state, history, vision."""
        inputs: list[Tensor] = []
        if shape.state:
            inputs.append(torch.from_numpy(self.state))
        if shape.history:
            rows = np.eye(
                shape.actions + 1, shape.actions, dtype=np.float32
            )  # the last row, NO_ACTION, is zeros
            inputs.append(torch.from_numpy(rows[self.history]))
        if self.vision is not None:
            inputs.append(torch.from_numpy(self.vision))
        return tuple(inputs)


class QNetwork(nn.Module):
    """State MLP, LSTM over past actions and vision CNN, merged into one value for each action."""

    edges: Tensor
    usual: Tensor
    spread: Tensor

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        width, *deeper = shape.hidden
        merged = 0
        if shape.state:
            seen = shape.state + shape.newest * shape.knots
            self.look = nn.Sequential(*_dense(seen, width, shape.dropout))
            if shape.knots:
                self.register_buffer("edges", torch.linspace(-1, 1, shape.knots + 1).repeat(shape.newest, 1))
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
            self.register_buffer("usual", torch.zeros(height, wide))
            self.register_buffer("spread", torch.tensor(255.0))
            self.register_load_state_dict_pre_hook(_add_usual)  # type: ignore[no-untyped-call]
            merged += _SIGHT
        layers: list[nn.Module] = []
        for width in deeper:
            layers += _dense(merged, width, shape.dropout)
            merged = width
        self.features_width = merged
        self.decide = nn.Sequential(*layers, nn.Linear(merged, shape.actions + shape.places))

    def part(self, states: Tensor) -> None:
        """Split each number of the newest state into steps that hold equally many of `states`, (n, newest).

        A plain network smooths over differences of a few pixels (Gorishniy et al. 2022, arXiv 2203.05556).
        """
        shares = torch.linspace(0, 1, self.shape.knots + 1)
        self.edges = torch.quantile(states[-_MOST_PARTED:], shares, dim=0).T.contiguous().to(self.edges)

    def _parted(self, state: Tensor) -> Tensor:
        if not self.shape.knots:
            return state
        low, wide = self.edges[:, :-1], (self.edges[:, 1:] - self.edges[:, :-1]).clamp(min=_NARROWEST)
        steps = ((state[:, -self.shape.newest :, None] - low) / wide).clamp(0, 1)
        return torch.cat([state, steps.flatten(1)], dim=1)

    def accustom(self, pictures: Tensor) -> None:
        """Initialise the vision branch for pictures, (n, height, width), to see what differs from the usual.

        Otherwise a bird of a few pixels is lost against a still background, and torch's default first weights
        let the small differences fade from layer to layer (He et al. 2015, arXiv 1502.01852).
        """
        self.usual = pictures.float().mean(0).to(self.usual)
        self.spread = (pictures[:: max(1, len(pictures) // _SAMPLE)].float() - self.usual.cpu()).std() + 1.0
        self.spread = self.spread.to(self.usual)
        for layer in self.watch:
            if isinstance(layer, nn.Conv2d | nn.Linear):
                nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
                assert layer.bias is not None
                nn.init.zeros_(layer.bias)

    def forward(self, *inputs: Tensor) -> Tensor:
        """Compute (n, actions + places) from the inputs of `PolicyInput.tensors`."""
        decided: Tensor = self.decide(self._merged(*inputs))
        return decided

    def features(self, *inputs: Tensor) -> Tensor:
        """Compute the last layer's input, (n, features_width)."""
        decided: Tensor = self.decide[:-1](self._merged(*inputs))
        return decided

    def _merged(self, *inputs: Tensor) -> Tensor:
        left = list(inputs)
        features: list[Tensor] = []
        if self.shape.state:
            features.append(self.look(self._parted(left.pop(0))))
        if self.shape.history:
            features.append(self.remember(left.pop(0))[1][0][0])
        if self.shape.vision is not None:
            features.append(self.watch((left.pop(0).float() - self.usual) / self.spread))
        return features[0] if len(features) == 1 else torch.cat(features, dim=1)


def _add_usual(network: nn.Module, weights: dict[str, Any], *_: Any) -> None:
    """Let weights saved without a usual picture load, and keep dividing pictures by 255."""
    weights |= {name: buffer for name, buffer in network.named_buffers() if name not in weights}


def _convolution(channels: int, into: int, size: int) -> list[nn.Module]:
    return [nn.Conv2d(channels, into, size, stride=2, padding=size // 2), nn.ReLU()]


def _dense(inputs: int, width: int, dropout: float) -> list[nn.Module]:
    between = [nn.Dropout(dropout), nn.LayerNorm(width)] if dropout else []
    return [nn.Linear(inputs, width), *between, nn.ReLU()]


def _sixteenth(pixels: int) -> int:
    for _ in range(4):
        pixels = (pixels + 1) // 2
    return pixels
