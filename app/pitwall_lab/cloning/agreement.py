"""Judges a clone on held-out play: agreement by action, and the strongest disagreements."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pitwall.gsm.cloned_space import ClonedSpace
from pitwall_evaluation.mean_interval import mean_interval
from pitwall_lab.algorithms.behaviour_cloning import Decisions, free_play, matched
from pitwall_lab.algorithms.policy_network import Array, QNetwork
from pitwall_lab.training_log import ActionAgreement, Cloned, Disagreement

_BLOCK_MS = 5_000.0
_LISTED = 20
_APART_NS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class _Judged:
    """One stretch as the person and the clone played it: the actions taken, and where they agree."""

    play: Decisions
    taken: Array
    likely: Array
    same: Array


def judged(network: QNetwork, space: ClonedSpace, plays: Sequence[Decisions], *, step: int) -> Cloned:
    """Let the clone decide on every moment of play, and compare it with the person."""
    all_of_them = [_judge(network, space, play) for play in plays]
    block = max(1, round(_BLOCK_MS / space.decide_every_ms))
    blocks = [play.same[at : at + block] for play in all_of_them for at in range(0, len(play.same), block)]
    shares = [float(block.mean()) for block in blocks]
    low, high = mean_interval(shares, within=(0.0, 1.0))
    return Cloned(
        step=step,
        at=time.time(),
        agreement=float(np.concatenate([play.same for play in all_of_them]).mean()),
        low=low,
        high=high,
        reaction_ms=space.reaction_ms,
        delay_ms=space.cloning.delay_ms,
        shift_ms=space.shift_ms,
        actions=tuple(_of_action(space, number, all_of_them) for number in range(len(space.actions))),
        disagreements=_worst(space, all_of_them),
    )


def _judge(network: QNetwork, space: ClonedSpace, play: Decisions) -> _Judged:
    taken, likely = free_play(network, space, play)
    same = np.ones(len(play), bool)
    for number, press in enumerate(space.presses, start=1):
        ours, done = taken[:, number], play.taken[:, number]
        if not press.tap:
            same &= ours == done
            continue
        for row in np.flatnonzero(ours != done):
            near = slice(max(0, row - 2), row + 3)
            same[row] &= bool(ours[near].any() and done[near].any())
    return _Judged(play, taken, likely, same)


def _of_action(space: ClonedSpace, number: int, judged: Sequence[_Judged]) -> ActionAgreement:
    tap = bool(number) and space.presses[number - 1].tap
    counts = np.asarray(
        [matched(play.taken[:, number], play.play.taken[:, number], tap=tap) for play in judged]
    ).sum(0)
    both, alone, missed = (int(count) for count in counts)
    return ActionAgreement(
        action=space.actions[number],
        way="tap" if tap else "hold" if number else "nothing",
        person=both + missed,
        clone=both + alone,
        both=both,
    )


def _worst(space: ClonedSpace, judged: Sequence[_Judged]) -> tuple[Disagreement, ...]:
    """List the disagreements of which the clone was surest, none within a second of another."""
    apart = [
        (float(np.abs(play.likely[row, 1:] - play.play.taken[row, 1:]).max()), number, int(row))
        for number, play in enumerate(judged)
        for row in np.flatnonzero(~play.same)
    ]
    listed: list[Disagreement] = []
    for sure, number, row in sorted(apart, reverse=True):
        play, at_ns = judged[number].play, int(judged[number].play.at_ns[row])
        if any(
            other.demonstration == play.source and abs(other.at_ns - at_ns) < _APART_NS for other in listed
        ):
            continue
        listed.append(
            Disagreement(
                demonstration=play.source,
                at_ns=at_ns,
                at_s=0.0,
                picture=0,
                person=_words(space, play.taken[row]),
                clone=_words(space, judged[number].taken[row]),
                sure=round(sure, 3),
            )
        )
        if len(listed) == _LISTED:
            break
    return tuple(listed)


def _words(space: ClonedSpace, taken: Array) -> str:
    return " + ".join(space.actions[action] for action in np.flatnonzero(taken) if action) or "nothing"
