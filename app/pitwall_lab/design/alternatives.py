"""Searches a design without a model: stated alternatives, each judged by a stated measure of recorded play.

A state is judged by how often it tells on held-out steps which action was taken, beyond the most frequent
action, and by how well it predicts gains. Both come from a ridge regression, which learns in a moment.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from pitwall.core.actions import Effect
from pitwall.core.quantities import counted
from pitwall.core.steps import StepRecord
from pitwall.games.drafting.learned_module import reward_text
from pitwall.games.schema.fields import ReaderField
from pitwall.games.schema.modules import StateInput
from pitwall.games.schema.profile import Profile
from pitwall.gsm.state_space import StateSpace
from pitwall_lab.design.document import Alternative
from pitwall_lab.live.module import places_of

Features = NDArray[np.float64]
_LEAST_PAIRS, _HELD_OUT = 40, 0.3
_AHEAD, _LEAST_GAINS = 5, 8
_RIDGE = 1.0
_SAME = 0.02
"""Least difference of two states' figures that counts; below it the smaller state is chosen."""
_LEAST_TRIES, _LEAST_EFFECT = 8, 0.02
_NOT = frozenset({"avoid", "no", "not", "never", "without", "lose", "less", "fewer", "minimise", "minimize"})


@dataclass(frozen=True, slots=True)
class StateAlternative:
    """A state that could be seen.

    Attributes:
        inputs: fields. pictures: whether small pictures are seen beside them, or alone.
        things: fields that the game does not have. encode: returns a step's numbers.
    """

    name: str
    inputs: tuple[StateInput, ...]
    pictures: bool
    things: tuple[ReaderField, ...]
    encode: Callable[[int], Features]


def state_alternatives(
    profile: Profile,
    steps: Sequence[StepRecord],
    glances: Callable[[int], Features],
    things: Sequence[ReaderField],
    seen: Callable[[int], Sequence[float]],
) -> list[StateAlternative]:
    """Return the states that could be seen, the smallest first.

    Args:
        glances: returns the small picture of a step. things: fields that were found by themselves.
        seen: returns their values at a step.
    """
    made: list[StateAlternative] = []

    def add(name: str, inputs: Sequence[StateInput], *, pictures: bool = False) -> None:
        space = StateSpace(inputs)

        def encode(at: int) -> Features:
            values = space.encode(steps[at].fields).astype(np.float64)
            return np.concatenate([values, glances(at)]) if pictures else values

        made.append(StateAlternative(name, tuple(inputs), pictures, (), encode))

    places = places_of(profile)
    if places:
        add("places", places)
    pairs = [
        (first, other)
        for first, other in combinations(places, 2)
        if (first.low, first.high) == (other.low, other.high)
    ]
    if pairs:
        apart = [
            StateInput(field=first.field, minus=other.field, low=-first.high, high=first.high, optional=True)
            for first, other in pairs
        ]
        add("places and how far they are apart", [*places, *apart])
    if places:
        add("places and small pictures", places, pictures=True)
    if things:
        inputs = places_of(profile.model_copy(update={"fields": list(things)}))
        made.append(
            StateAlternative(
                "things found and small pictures",
                tuple(inputs),
                True,
                tuple(things),
                lambda at: np.concatenate([np.asarray(seen(at), np.float64), glances(at)]),
            )
        )
    made.append(StateAlternative("pictures alone", (), True, (), glances))
    return made


def judged_states(
    alternatives: Sequence[StateAlternative], steps: Sequence[StepRecord], scores: Sequence[str]
) -> tuple[StateAlternative, list[Alternative]]:
    """Choose the state that tells most; return it with what was weighed."""
    pairs = np.array(
        [at for at, (step, after) in enumerate(pairwise(steps)) if after.step == step.step + 1], np.int64
    )
    if len(pairs) < _LEAST_PAIRS:
        why = f"only {counted(len(pairs), 'step')} of recorded play: unmeasured, the smallest is taken"
        weighed = [
            Alternative(part="state", name=state.name, chosen=at == 0, why=why if at == 0 else "")
            for at, state in enumerate(alternatives)
        ]
        return alternatives[0], weighed
    taken = [str(steps[at].action) for at in pairs]
    gains = _gains(steps, pairs, scores)
    figures: list[tuple[float, str]] = []
    for state in alternatives:
        now = np.stack([state.encode(int(at)) for at in pairs])
        change = np.stack([state.encode(int(at) + 1) for at in pairs]) - now
        share = _explained_share(np.concatenate([now, change], axis=1), taken)
        words = f"tells {100 * share:+.0f} % of the actions beyond the most frequent"
        correlation = 0.0
        if gains is not None:
            correlation = _gain_correlation(now, gains)
            words += f", predicts gains with correlation {correlation:.2f}"
        figures.append((share + max(0.0, correlation), words))
    best, chosen = -np.inf, 0
    for at, (figure, _) in enumerate(figures):
        if figure > best + _SAME:
            best, chosen = figure, at
    weighed = [
        Alternative(
            part="state", name=state.name, figure=round(figure, 3), unit="actions + gains",
            chosen=at == chosen, why=f"{words}, on held-out steps of {len(pairs)}",
        )
        for at, (state, (figure, words)) in enumerate(zip(alternatives, figures, strict=True))
    ]  # fmt: skip
    return alternatives[chosen], weighed


def judged_actions(profile: Profile, steps: Sequence[StepRecord]) -> tuple[list[str], list[Alternative]]:
    """Choose the actions without those that were tried and never had an effect."""
    names = [action.name for action in profile.actions if not (action.wait or action.parameters)]
    tries, effects = Counter[str](), Counter[str]()
    for step in steps:
        if step.sent:
            tries[step.action.name] += 1
            effects[step.action.name] += step.decided_effect is Effect.CONFIRMED
    idle = {
        name for name in names if tries[name] >= _LEAST_TRIES and effects[name] <= _LEAST_EFFECT * tries[name]
    }
    kept = [name for name in names if name not in idle] or names
    return kept, [
        Alternative(
            part="actions",
            name=name,
            figure=round(effects[name] / tries[name], 3) if tries[name] else None,
            unit="share with an effect",
            chosen=name in kept,
            why=f"{effects[name]} of {counted(tries[name], 'press', 'presses')} had an effect that was seen"
            if tries[name]
            else "it was not tried",
        )
        for name in names
    ]


def judged_rewards(
    profile: Profile, task: str, steps: Sequence[StepRecord]
) -> tuple[str, str, list[Alternative]]:
    """Choose the first reward; return its source, the reason and what was weighed."""
    counted_fields = tuple(dict.fromkeys(filter(None, (profile.score_field, *profile.gain_fields))))
    options = {
        "what the task names": named_in(task, profile, steps),
        "every counted number": dict.fromkeys(counted_fields, 1.0),
        "the end of a game alone": dict[str, float](),
    }
    minutes = max(1e-9, _minutes(steps))
    weighed: list[Alternative] = []
    chosen = next((name for name, weights in options.items() if weights), "the end of a game alone")
    for name, weights in options.items():
        if not weights and name != "the end of a game alone":
            continue
        events = sum(_rises(steps, field) for field in weights)
        parts = ", ".join(f"{field} {weight:+g}" for field, weight in weights.items())
        each = f"{parts} for each rise; " if parts else ""
        weighed.append(
            Alternative(
                part="reward", name=name, figure=round(events / minutes, 2), unit="a minute",
                chosen=name == chosen, why=f"{each}−1 at the end of a game",
            )
        )  # fmt: skip
    text = next(entry for entry in weighed if entry.chosen)
    why = f"{chosen}: {text.why}"
    if not text.figure and options[chosen]:
        why += ". It was never given in the recorded play: check that these numbers are read"
    return reward_text(options[chosen], f"First reward for: {_plain(task)}"), why, weighed


def named_in(task: str, profile: Profile, steps: Sequence[StepRecord]) -> dict[str, float]:
    """Return the numbers that a task names, with +1, or −1 behind a word like "avoid"."""
    words = re.findall(r"[a-z]+", task.lower())
    numbers = {
        name for step in steps for name, value in step.fields.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    } or {field.name for field in profile.fields}  # fmt: skip
    weights: dict[str, float] = {}
    for field in profile.fields:
        parts = {part for part in re.findall(r"[a-z]+", field.name.lower()) if len(part) > 1}
        at = next((at for at, word in enumerate(words) if {word, word.removesuffix("s")} & parts), None)
        if at is not None and field.name in numbers and field.name not in _where(profile):
            weights[field.name] = -1.0 if _NOT & set(words[max(0, at - 3) : at]) else 1.0
    return weights


def _where(profile: Profile) -> set[str]:
    """Return the fields that are places: a place that rises is no gain."""
    return {place.field for place in places_of(profile)}


def _plain(text: str) -> str:
    return re.sub(r"[\\\"']", "", " ".join(text.split()))[:200]


def _minutes(steps: Sequence[StepRecord]) -> float:
    spans = [after.at_ns - step.at_ns for step, after in pairwise(steps) if after.step == step.step + 1]
    return sum(spans) / 60e9


def _rises(steps: Sequence[StepRecord], field: str) -> int:
    values = [value for step in steps if isinstance(value := step.fields.get(field), int | float)]
    return sum(after > before for before, after in pairwise(values))


def _gains(steps: Sequence[StepRecord], pairs: NDArray[np.int64], scores: Sequence[str]) -> Features | None:
    """Return how often a score rises within the next steps; None where it rises too seldom to learn from."""
    rises = np.zeros(len(steps))
    for at, (step, after) in enumerate(pairwise(steps)):
        for name in scores:
            before, now = step.fields.get(name), after.fields.get(name)
            if isinstance(before, int | float) and isinstance(now, int | float) and now > before:
                rises[at] += 1
    if rises.sum() < _LEAST_GAINS:
        return None
    return np.array([rises[at : at + _AHEAD].sum() for at in pairs])


def _explained_share(seen: Features, taken: Sequence[str]) -> float:
    """Return the share of held-out actions that a regression predicts, less the usual action's share."""
    names = sorted(set(taken))
    wanted = np.array([names.index(name) for name in taken])
    cut = round((1 - _HELD_OUT) * len(wanted))
    guessed = _regressed(seen, np.eye(len(names))[wanted], cut).argmax(axis=1)
    usual = np.bincount(wanted[:cut]).argmax()
    return float((guessed == wanted[cut:]).mean() - (wanted[cut:] == usual).mean())


def _gain_correlation(seen: Features, gains: Features) -> float:
    cut = round((1 - _HELD_OUT) * len(gains))
    guessed, true = _regressed(seen, gains[:, None], cut)[:, 0], gains[cut:]
    if np.ptp(true) == 0 or np.ptp(guessed) == 0:
        return 0.0
    return float(np.corrcoef(guessed, true)[0, 1])


def _regressed(seen: Features, wanted: Features, cut: int) -> Features:
    """Return what a ridge regression of the first `cut` rows expects of the others."""
    mean, spread = seen[:cut].mean(axis=0), seen[:cut].std(axis=0) + 1e-6
    scaled = np.concatenate([(seen - mean) / spread, np.ones((len(seen), 1))], axis=1)
    known = scaled[:cut]
    weights = np.linalg.solve(known.T @ known + _RIDGE * np.eye(known.shape[1]), known.T @ wanted[:cut])
    return np.asarray(scaled[cut:] @ weights)
