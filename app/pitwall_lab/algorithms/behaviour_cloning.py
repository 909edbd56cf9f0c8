"""Behaviour cloning: a policy learns, decision by decision, to press what a person pressed.

Supervised learning of an expert's actions: Pomerleau 1989 (ALVINN). A clone easily learns to copy its own
last action, which predicts most of a person's play and explains none of it (de Haan, Jayaraman, Levine 2019,
arXiv 1905.11979). So a clone does not see its past actions; older versions that do are trained mostly
without. Corrections of the clone's own play weigh more: dataset aggregation, Ross, Gordon, Bagnell 2011
(arXiv 1011.0686).

Several keys can be pressed at once, so each action, and doing nothing, has an output of its own. A rare
action weighs up to eight times as much, in proportion to the square root of its rarity. The exported weights
are the mean over the last steps, because single steps with nearly the same loss play very differently (Block,
Foster, Krishnamurthy, Simchowitz, Zhang 2023, arXiv 2310.11428).
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from pitwall.gsm.cloned_module import PressChoice
from pitwall.gsm.cloned_space import ClonedSpace, Press
from pitwall_lab.algorithms.policy_network import Array, QNetwork, Shape

_HEAVIEST = 8.0
_BESIDE = 0.4
"""Target of a decision beside a tap, if decisions are close: nobody hits the very same frame twice."""
_SHIFT = 3
"""Most pixels by which a picture is shifted, so that the policy learns what it shows, not where."""
_NEAR = 2
"""Most decisions by which two matching taps may differ."""
_LAST_RATE = 0.1
_MEAN_STEPS = 100
"""Gradient steps that the mean weights cover, a pass at most."""
_FIELDS_WEIGHT = 1.0
"""Weight of predicting fields: a vision branch that learns the fields also learns what is pressed for."""
_MOST_AT_ONCE = 2048


@dataclass(frozen=True, slots=True)
class Decisions:
    """One stretch of play as decisions, one a row.

    Attributes:
        states: (n, state) float32. pictures: (n, height, width) uint8, one each; None: fields alone.
        taken: (n, actions) bool, the first for nothing. places: (n, 2), fractions; NaN without a click.
        at_ns: (n,) int64. weight: of each decision in the loss. source: the demonstration's name.
        fields: (n, fields) float32, field values that a seeing policy also learns to predict; None: none.
    """

    states: Array
    pictures: Array | None
    taken: Array
    places: Array
    at_ns: Array
    weight: float = 1.0
    source: str = ""
    fields: Array | None = None

    def __len__(self) -> int:
        return len(self.at_ns)


class _Table:
    """All decisions of several stretches as tensors; stacks of past rows are built when rows are drawn."""

    def __init__(self, plays: Sequence[Decisions], shape: Shape, space: ClonedSpace, device: str) -> None:
        self._shape, self._space, self._device = shape, space, device
        starts = np.cumsum([0, *(len(play) for play in plays)])
        begin = np.concatenate([np.full(len(play), at) for play, at in zip(plays, starts, strict=False)])
        self._first = torch.from_numpy(begin).long()
        self.states = self._joined([play.states for play in plays])
        self.taken = self._joined([play.taken.astype(np.float32) for play in plays])
        self.places = self._joined([play.places.astype(np.float32) for play in plays])
        fields = [play.fields for play in plays if play.fields is not None]
        self.fields = self._joined(fields) if len(fields) == len(plays) else None
        seen = [play.pictures for play in plays if play.pictures is not None]
        self.pictures = self._joined(seen) if seen else None
        self.usual = torch.zeros(())
        taps = np.asarray([False, *(press.tap for press in space.presses)])
        taps &= space.close
        self.wanted = self._joined([_wanted(play.taken, taps) for play in plays])
        self.weights = self._joined([np.full((len(play), 1), play.weight, np.float32) for play in plays])

    def __len__(self) -> int:
        return len(self._first)

    def inputs(
        self, rows: Tensor, past_dropout: float, shift: Callable[[], int] | None = None
    ) -> list[Tensor]:
        """Build the network's inputs for some rows; a share `past_dropout` of them gets no past actions."""
        inputs: list[Tensor] = []
        if self._shape.state:
            inputs.append(self.states[self._before(rows, self._space.states, 0)].flatten(1).to(self._device))
        if self._shape.history:
            behind = self._before(rows, self._shape.history, 1, clamp=False)
            past = self.taken[behind.clamp(min=0)]
            known = (behind >= self._first[rows][:, None]) & (torch.rand(len(rows), 1) >= past_dropout)
            inputs.append((past * known[..., None]).to(self._device))
        if self.pictures is not None and self._shape.vision is not None:
            stack = self.pictures[self._before(rows, self._shape.vision[0], 0)].to(self._device)
            inputs.append(stack if shift is None else self._shifted(stack, shift))
        return inputs

    def _shifted(self, stack: Tensor, shift: Callable[[], int]) -> Tensor:
        """Shift the pictures' differences from the usual picture, and leave the usual picture where it is."""
        return torch.roll(stack - self.usual, (shift(), shift()), (2, 3)) + self.usual

    def _before(self, rows: Tensor, count: int, newest: int, *, clamp: bool = True) -> Tensor:
        behind = rows[:, None] - torch.arange(count - 1 + newest, newest - 1, -1)
        return torch.maximum(behind, self._first[rows][:, None]) if clamp else behind

    def _joined(self, parts: Sequence[Array]) -> Tensor:
        return torch.from_numpy(np.concatenate(parts))


def _wanted(taken: Array, taps: Array) -> Array:
    """Spread each tap over the neighbouring decisions; returns the targets of the outputs."""
    beside = np.zeros_like(taken)
    beside[1:] |= taken[:-1]
    beside[:-1] |= taken[1:]
    return np.where(taken, 1.0, np.where(beside & taps, _BESIDE, 0.0)).astype(np.float32)


@dataclass(frozen=True, slots=True)
class Epoch:
    """The result of one pass. step: decisions learned from so far. best: the lowest held-out loss so far."""

    step: int
    loss: float
    held_out: float
    best: bool


class BehaviourCloning:
    """The learner: network, optimiser, and the weights of the best pass.

    Args:
        space: what the policy sees and presses. seed: of the first weights and the order of rows.
        learn, judge: stretches of play for learning, and held-out stretches.
        weights: first weights, from an earlier clone of the same shape.
    """

    def __init__(
        self,
        space: ClonedSpace,
        learn: Sequence[Decisions],
        judge: Sequence[Decisions],
        *,
        seed: int = 0,
        weights: Mapping[str, Any] | None = None,
    ) -> None:
        self.space, self.recipe = space, space.cloning
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        torch.manual_seed(seed)
        self._chance = np.random.default_rng(seed)
        shape = Shape.of(space, self.recipe)
        self.network = QNetwork(shape).to(self.device)
        if weights is not None:
            self.network.load_state_dict(dict(weights))
        self._learn, self._judge = (_Table(plays, shape, space, self.device) for plays in (learn, judge))
        if weights is None and shape.knots:
            self.network.part(self._learn.states)
        if weights is None and self._learn.pictures is not None:
            self.network.accustom(self._learn.pictures)
        self._learn.usual = self.network.usual if shape.vision is not None else self._learn.usual
        self._mean, self._steps = copy.deepcopy(self.network), 0
        self._best = copy.deepcopy(self.network.state_dict())
        self._begun_with = weights is not None
        share = (self._learn.taken.mean(0)).clamp(1e-4, 1.0)
        self._rarity = ((1 - share) / share).sqrt().clamp(1.0, _HEAVIEST).to(self.device)

    def epochs(self, time_left: Callable[[], float] = lambda: 1.0) -> Iterator[Epoch]:
        """Pass over the demonstrations until the recipe ends or the held-out loss stops falling.

        Args:
            time_left: returns the share of time left; checked before each gradient step, and 0 ends learning.
        """
        recipe = self.recipe
        field_head = None
        if self._learn.fields is not None:
            field_head = nn.Linear(self.network.features_width, self._learn.fields.shape[1]).to(self.device)
        learned = [*self.network.parameters(), *(field_head.parameters() if field_head is not None else ())]
        optimiser = torch.optim.AdamW(learned, lr=recipe.learning_rate, weight_decay=1e-2)
        lowest, since, step = self._held_out() if self._begun_with else np.inf, 0, 0
        for _ in range(recipe.epochs):
            losses: list[float] = []
            for rows in torch.split(torch.randperm(len(self._learn)), recipe.batch):
                left = min(time_left(), 1 - step / (recipe.epochs * len(self._learn)))
                if left <= 0:
                    break
                for group in optimiser.param_groups:
                    group["lr"] = recipe.learning_rate * (_LAST_RATE + (1 - _LAST_RATE) * left)
                loss = self._loss(self._learn, rows, recipe.past_dropout, self._shift, field_head)
                optimiser.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
                optimiser.step()
                self._average()
                losses.append(loss.item())
                step += len(rows)
            if not losses:
                return
            held_out = self._held_out()
            better, since = held_out < lowest, since + 1
            if better:
                lowest, since = held_out, 0
                self._best = copy.deepcopy(self._mean.state_dict())
            yield Epoch(step, float(np.mean(losses)), held_out, better)
            if since >= recipe.patience or left <= 0:
                return

    def _average(self) -> None:
        """Move the mean weights towards those of this step; the first steps count for more."""
        self._steps += 1
        reach = min(_MEAN_STEPS, len(self._learn) // self.recipe.batch + 1)
        share = max(1 / reach, 10 / (10 + self._steps))
        with torch.no_grad():
            for mean, now in zip(self._mean.parameters(), self.network.parameters(), strict=True):
                mean.lerp_(now, share)

    def keep_best(self) -> QNetwork:
        """Return the network with the weights of its best pass, on the processor."""
        self.network.load_state_dict(self._best)
        return self.network.cpu().eval()

    def _shift(self) -> int:
        return int(self._chance.integers(-_SHIFT, _SHIFT + 1))

    def _held_out(self) -> float:
        """Measure the mean weights' loss of held-out play: half with its past, half without."""
        losses = []
        with torch.inference_mode():
            for rows in torch.split(torch.arange(len(self._judge)), _MOST_AT_ONCE):
                ways = (0.0, 1.0) if self.space.history else (1.0,)
                means = [self._loss(self._judge, rows, past, network=self._mean).item() for past in ways]
                losses.append(len(rows) * float(np.mean(means)))
        return sum(losses) / len(self._judge)

    def _loss(
        self,
        table: _Table,
        rows: Tensor,
        past_dropout: float,
        shift: Callable[[], int] | None = None,
        field_head: nn.Module | None = None,
        network: QNetwork | None = None,
    ) -> Tensor:
        network = network or self.network
        features = network.features(*table.inputs(rows, past_dropout, shift))
        logits = network.decide[-1](features)
        wanted, weights = table.wanted[rows].to(self.device), table.weights[rows].to(self.device)
        count = wanted.shape[1]
        loss = functional.binary_cross_entropy_with_logits(
            logits[:, :count], wanted, weights, pos_weight=self._rarity
        )
        if field_head is not None and table.fields is not None:
            fields = table.fields[rows].to(self.device)
            loss = loss + _FIELDS_WEIGHT * functional.mse_loss(field_head(features), fields)
        if logits.shape[1] > count:
            places = table.places[rows].to(self.device)
            shown = ~torch.isnan(places[:, 0])
            if shown.any():
                loss = loss + functional.smooth_l1_loss(logits[shown, count:], places[shown])
        return loss


def free_play(network: QNetwork, space: ClonedSpace, play: Decisions) -> tuple[Array, Array]:
    """Let a policy decide on a stretch of play, with the person's screens and its own past actions.

    Returns:
        The actions it took, (n, actions) bool, and its probabilities, (n, actions).
    """
    table = _Table([play], network.shape, space, "cpu")
    choice = PressChoice(space)
    probabilities = np.zeros(play.taken.shape, np.float32)
    own = np.zeros_like(play.taken)
    if not network.shape.history:
        probabilities = _likely(network, table)
    for row in range(len(play)):
        if network.shape.history:
            table.taken = torch.from_numpy(own.astype(np.float32))
            with torch.inference_mode():
                outputs = network(*table.inputs(torch.tensor([row]), 0.0))[0, : own.shape[1]]
            probabilities[row] = torch.sigmoid(outputs).numpy()
        logits = np.log(probabilities[row] + 1e-9) - np.log(1 - probabilities[row] + 1e-9)
        own[row, list(choice.choose(logits, int(play.at_ns[row])))] = True
    return own, probabilities


def fitted_presses(network: QNetwork, space: ClonedSpace, plays: Sequence[Decisions]) -> list[Press]:
    """Fit each action's threshold on held-out play, so that the policy takes it as often as the person did.

    Among thresholds with a similar count, the one with the best agreement wins.
    """
    likely = [_likely(network, _Table([play], network.shape, space, "cpu")) for play in plays]
    fitted = []
    for number, press in enumerate(space.presses, start=1):
        values = np.concatenate([probabilities[:, number] for probabilities in likely])
        grid = np.unique(np.clip(np.quantile(values, np.linspace(0.3, 0.999, 60)), 0.02, 0.98))
        scored = [(*_fitness(press, threshold, number, plays, likely), threshold) for threshold in grid]
        fitted.append(press.model_copy(update={"threshold": float(max(scored)[-1])}))
    return fitted


def _likely(network: QNetwork, table: _Table) -> Array:
    """Compute every decision's probabilities, given the person's own past actions."""
    with torch.inference_mode():
        parts = [
            torch.sigmoid(network(*table.inputs(rows, 0.0))[:, : table.taken.shape[1]])
            for rows in torch.split(torch.arange(len(table)), _MOST_AT_ONCE)
        ]
    return np.asarray(torch.cat(parts).numpy())


def _fitness(
    press: Press, threshold: float, number: int, plays: Sequence[Decisions], likely: Any
) -> tuple[float, float]:
    """Rate a threshold: the difference from the person's count (negative, 0 is best), then the agreement."""
    right = wrong = missed = 0
    for play, values in zip(plays, likely, strict=True):
        taken = values[:, number] >= threshold
        if press.tap:
            taken = rested(taken, play.at_ns, press.rest_ms)
        hits, extra, left = matched(taken, play.taken[:, number], tap=press.tap)
        right, wrong, missed = right + hits, wrong + extra, missed + left
    apart = abs(wrong - missed) / max(1, right + missed)
    return -round(apart, 1), 2 * right / max(1, 2 * right + wrong + missed)


def rested(wanted: Array, at_ns: Array, rest_ms: float) -> Array:
    """Drop taps that follow another within the rest time."""
    kept, until = np.zeros_like(wanted), 0
    for row in np.flatnonzero(wanted):
        if at_ns[row] >= until:
            kept[row], until = True, at_ns[row] + int(rest_ms * 1e6)
    return kept


def matched(chosen: Array, done: Array, *, tap: bool) -> tuple[int, int, int]:
    """Count decisions that both took, that only the policy took, and that only the person took."""
    if not tap:
        both = int((chosen & done).sum())
        return both, int(chosen.sum()) - both, int(done.sum()) - both
    free, right = list(np.flatnonzero(done)), 0
    for row in np.flatnonzero(chosen):
        near = [other for other in free if abs(other - row) <= _NEAR]
        if near:
            right += 1
            free.remove(min(near, key=lambda other: abs(other - row)))
    return right, int(chosen.sum()) - right, len(free)
