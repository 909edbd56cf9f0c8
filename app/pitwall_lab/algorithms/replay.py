"""The replay memory: rows of observations and actions, sampled as transitions over n steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from pitwall_lab.algorithms.policy_network import NO_ACTION, Array, PolicyInput, Shape

_ROW = ("state", "action", "reward", "terminal", "age", "picture", "advised")


@dataclass(frozen=True, slots=True)
class Batch:
    """Transitions over up to n steps, of `size` samples.

    Attributes:
        reward: discounted sum on the way. discount: factor of the last frame's estimate; 0 if the episode
            ended.
        advised: the action that a teacher would take, or NO_ACTION.
    """

    before: PolicyInput
    action: Array
    reward: Array
    after: PolicyInput
    discount: Array
    advised: Array

    def part(self, of: slice | Array) -> Batch:
        """Return some of its samples; a view for a slice."""
        before, after = self.before.part(of), self.after.part(of)
        return Batch(before, self.action[of], self.reward[of], after, self.discount[of], self.advised[of])

    def joined(self, other: Batch) -> Batch:
        """Return its samples and those of another batch."""
        return Batch(
            self.before.joined(other.before),
            np.concatenate([self.action, other.action]),
            np.concatenate([self.reward, other.reward]),
            self.after.joined(other.after),
            np.concatenate([self.discount, other.discount]),
            np.concatenate([self.advised, other.advised]),
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a decision in every lane; a row of the replay memory (`Replay.add`).

    Attributes:
        state, pictures: what was seen before it. age: earlier decisions of the episode.
    """

    state: Array
    pictures: Array | None
    action: Array
    reward: Array
    terminal: Array
    age: Array


class Replay:
    """A ring of the newest rows of each lane. Each picture is stored once, as uint8.

    A row holds what was seen and done: state, picture, action, reward, whether the episode ended for good
    (`terminal`), the count of earlier decisions in the episode (`age`), and a teacher's action (`advised`).
    The frame on which an episode ended is a row too, with the action NO_ACTION.

    Args:
        capacity: rows in all.
        lanes: each call of `add` writes a row for every lane.

    Attributes:
        added: rows that were ever added to each lane.
    """

    def __init__(self, shape: Shape, *, lanes: int, capacity: int) -> None:
        self._shape = shape
        self.rows = max(2, -(-capacity // lanes))
        self.state = np.zeros((lanes, self.rows, shape.state), np.float32)
        self.action = np.full((lanes, self.rows), NO_ACTION, np.int16)
        self.reward = np.zeros((lanes, self.rows), np.float32)
        self.terminal = np.zeros((lanes, self.rows), np.bool_)
        self.age = np.zeros((lanes, self.rows), np.int32)
        self.advised = np.full((lanes, self.rows), NO_ACTION, np.int16)
        picture = (0, 0) if shape.vision is None else shape.vision[1:]
        self.picture = np.zeros((lanes, self.rows, *picture), np.uint8)
        self.count = self.next = self.added = 0

    @property
    def lanes(self) -> int:
        """Return the number of lanes."""
        return len(self.action)

    def add(
        self,
        seen: Array,
        frames: Array | None,
        action: Array,
        reward: Array,
        terminal: Array,
        age: Array,
        advised: Array | None = None,
    ) -> None:
        """Add a row for every lane; each argument holds one value (or vector, or picture) for each lane."""
        at = self.next
        self.state[:, at], self.action[:, at], self.reward[:, at] = seen, action, reward
        self.terminal[:, at], self.age[:, at] = terminal, age
        self.advised[:, at] = NO_ACTION if advised is None else advised
        if frames is not None:
            self.picture[:, at] = frames
        self.next = (at + 1) % self.rows
        self.added += 1
        self.count = min(self.count + 1, self.rows)

    def sample(
        self, size: int, batches: int, *, n_step: int, gamma: float, chance: np.random.Generator
    ) -> list[Batch]:
        """Draw batches of transitions evenly, with replacement; no batch if there is nothing to draw."""
        if (drawn := self._draw(size * batches, n_step, chance)) is None:
            return []
        whole = self._transitions(*drawn, n_step, gamma)
        return [whole.part(slice(at, at + size)) for at in range(0, size * batches, size)]

    def newest(self, rows: int) -> Batch | None:
        """Return the one-step transitions of the newest rows of every lane; None: there are none."""
        row = (self.next - 1 - np.arange(1, min(rows, self.count - 1) + 1)) % self.rows
        lane, row = (array.reshape(-1) for array in np.meshgrid(np.arange(self.lanes), row))
        acted = self.action[lane, row] != NO_ACTION
        return self._transitions(lane[acted], row[acted], 1, 1.0) if acted.any() else None

    def _transitions(self, lane: Array, row: Array, n_step: int, gamma: float) -> Batch:
        size = len(row)
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
        advised = self.advised[lane, row].astype(np.int64)
        return Batch(self._seen(lane, row), action, reward, self._seen(lane, after), discount, advised)

    def _draw(self, size: int, n_step: int, chance: np.random.Generator) -> tuple[Array, Array] | None:
        """Draw lanes and rows that have an action, far enough from both ends of the ring."""
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
        """Return the rows, oldest first; if they need more than `most_bytes`, only the newest that fit."""
        arrays = self._arrays()
        row_bytes = sum(array[:, 0].nbytes for array in arrays.values())
        keep = self.count if most_bytes is None else min(self.count, most_bytes // row_bytes)
        rows = (self.next - keep + np.arange(keep)) % self.rows
        return {"count": keep, **{name: torch.from_numpy(of[:, rows]) for name, of in arrays.items()}}

    def load(self, saved: Mapping[str, Any]) -> None:
        """Restore what a replay memory of the same shape, lanes and capacity saved."""
        self.count = self.added = saved["count"]
        self.next = self.count % self.rows
        for name, array in self._arrays().items():
            if name in saved:  # older ones know no advice
                array[:, : self.count] = saved[name].numpy()

    def _arrays(self) -> dict[str, Array]:
        return {name: getattr(self, name) for name in _ROW}
