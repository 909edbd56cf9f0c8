"""Estimates a person's reaction time from play: the lag at which what they saw best explains presses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch.nn import functional

from pitwall.core.clock import NS_PER_MS
from pitwall_lab.algorithms.policy_network import Array

LONGEST_MS = 400
LEAST_SAMPLE = 20
"""Least presses for an estimate."""
_STEPS, _RATE = 100, 3e-2
_HIDDEN = 16
_SPAN = 60
"""Neighbouring moments that count as a single observation."""


def reaction_ms(
    seen: Sequence[Array], at_ns: Sequence[Array], presses_ns: Sequence[Array], *, step_ms: float
) -> float | None:
    """Estimate the reaction time; None with too few presses.

    For each lag from 0 to 400 ms a small network learns, from one moment alone, whether a press begins that
    much later. The lag is chosen by the likelihood of held-out play. Among lags that are as good within a
    standard
    error, the shortest wins: a player who foresees needs no time to react.

    Args:
        seen: features of each moment, (n, features), for each stretch. at_ns: times, (n,).
        presses_ns: when presses began, for each stretch. step_ms: between two decisions.
    """
    group = np.concatenate([_tenths(len(features)) for features in seen])
    if sum(len(presses) for presses in presses_ns) < LEAST_SAMPLE:
        return None
    features = np.concatenate(seen).astype(np.float32)
    features = (features - features.mean(0)) / (features.std(0) + 1e-3)
    lags = np.arange(0, LONGEST_MS + 1, max(20.0, step_ms))
    pressed = [
        np.concatenate(
            [
                _begins(times + int(lag * NS_PER_MS), int(step_ms * NS_PER_MS), presses)
                for times, presses in zip(at_ns, presses_ns, strict=True)
            ]
        )
        for lag in lags
    ]
    losses = _held_out_losses(features, np.stack(pressed, axis=1), group % 5 == 4).T
    totals = np.asarray([loss.mean() for loss in losses])
    best = losses[int(totals.argmin())]
    for lag, loss in zip(lags, losses, strict=True):
        apart = loss - best
        if apart.mean() <= apart.std() / np.sqrt(len(apart)):
            return float(lag)
    return float(lags[int(totals.argmin())])


def lead_ms(seen: Sequence[Array], held: Sequence[Sequence[Array]], *, step_ms: float) -> float:
    """Estimate how much earlier than the person a hold should begin; 0 without evidence.

    A player who holds a key until something is reached looks, reacts, presses, and lets go as planned. What
    they see while reacting is what they press for; learned as doing nothing, it teaches the clone to do
    nothing. So each
    hold begins earlier, by the lead at which the screen says most about what is held: the lead with the
    greatest
    information (entropy minus the held-out loss of a small network), if it exceeds that of no lead by more
    than a standard error.

    Args:
        seen: as for `reaction_ms`.
        held: for each lead (0, one step, two steps …) and stretch the held actions, (n, actions) bool.
    """
    group = np.concatenate([_tenths(len(features)) for features in seen])
    held_out = group % 5 == 4
    features = np.concatenate(seen).astype(np.float32)
    features = (features - features.mean(0)) / (features.std(0) + 1e-3)
    labels = np.stack([np.concatenate(list(lead)) for lead in held], axis=1)  # (n, leads, actions)
    gained = np.zeros((int(held_out.sum()), len(held)))
    for number in range(labels.shape[2]):
        own = labels[:, :, number]
        rate = own[~held_out].mean(0).clip(1e-3, 1 - 1e-3)
        unread = -np.where(own[held_out], np.log(rate), np.log(1 - rate))
        gained += unread - _held_out_losses(features, own, held_out)
    best = int(gained.mean(0).argmax())
    more = gained[:, best] - gained[:, 0]
    spans = [span.mean() for span in np.array_split(more, max(2, len(more) // _SPAN))]
    sure = float(np.mean(spans)) > float(np.std(spans)) / np.sqrt(len(spans))
    return best * step_ms if sure else 0.0


def _tenths(count: int) -> Array:
    """Number the tenths of a stretch, so that whole spans of time are held out, not single moments."""
    return np.arange(count) * 10 // max(1, count)


def _begins(from_ns: Array, span_ns: int, presses_ns: Array) -> Array:
    """Return for each time whether a press begins within the span after it."""
    return np.asarray(np.searchsorted(presses_ns, from_ns + span_ns) > np.searchsorted(presses_ns, from_ns))


def _held_out_losses(features: Array, pressed: Array, held_out: Array) -> Array:
    """Learn presses, (n, lags), from features, and return the losses of the held-out rows, (held out, lags).

    Each lag has a network of its own; all begin with the same weights.
    """
    lags = pressed.shape[1]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        layers = [torch.nn.Linear(features.shape[1], _HIDDEN), torch.nn.Linear(_HIDDEN, 1)]
    first, first_bias, last, last_bias = weights = [
        torch.nn.Parameter(weight.detach().repeat(lags, *[1] * (weight.dim() - 1)))
        for layer in layers
        for weight in (layer.weight, layer.bias)
    ]
    x, y = torch.from_numpy(features), torch.from_numpy(pressed.astype(np.float32))

    def losses(rows: torch.Tensor) -> torch.Tensor:
        hidden = torch.tanh(functional.linear(x[rows], first, first_bias)).view(-1, lags, _HIDDEN)
        logits = (hidden * last).sum(2) + last_bias
        return functional.binary_cross_entropy_with_logits(logits, y[rows], reduction="none")

    optimiser = torch.optim.AdamW(weights, lr=_RATE, weight_decay=0.05)
    learned = torch.from_numpy(~held_out)
    for _ in range(_STEPS):
        optimiser.zero_grad()
        losses(learned).mean(0).sum().backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    with torch.inference_mode():
        return np.asarray(losses(~learned).numpy())
