"""Evaluates the shipped model: agreement with the teacher, reading, speed, and loss by 8-bit weights.

Every figure is measured on worlds and words that no lesson has, with its 95 % interval.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pitwall.core.calls import Purpose
from pitwall.core.confidence_intervals import wilson
from pitwall.core.paths import DataFolder
from pitwall.games.registry import Registry
from pitwall.models.host_client import HostClient
from pitwall.models.spec import ModelSpec
from workshop.shipped_model.dataset.dataset_builder import GAMES, HELD_OUT_SEED, episode
from workshop.shipped_model.dataset.prompt_recorder import Lesson
from workshop.shipped_model.dataset.synthetic_games import SyntheticGame
from workshop.shipped_model.evaluation.contrast_pairs import pairs
from workshop.shipped_model.evaluation.evaluator import Evaluator, Reply

_FIRST_SEED = 5_000_000
_LETTERS_A_TOKEN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationSize:
    """Sets the number of prompts.

    Attributes:
        episodes: of each bundled game, and as many more without a planner, at most `alone`.
        reading: prompts of invented games. pairs: contrast pairs.
    """

    episodes: int = 6
    alone: int = 2
    reading: int = 1_000
    pairs: int = 300
    compared: int = 300


def evaluate_model(
    model: ModelSpec,
    full: ModelSpec | None,
    data: DataFolder,
    extent: EvaluationSize,
    *,
    tell: Callable[[str, int, int], None] = lambda _what, _done, _of: None,
) -> dict[str, Any]:
    """Measure every figure of a model.

    Args:
        full: the same model in full precision, to compare decisions with; None: no comparison.
        tell: called with the subject, the number of answered prompts, and of all.

    Raises:
        RequestFailed, ChildDied: the model cannot be loaded or asked.
    """
    with HostClient(data.logs, data=data.root) as client:
        examiner = Evaluator(client, model)
        played = {name: _asked(examiner, lessons, name, tell) for name, lessons in _played(data, extent)}
        alone = {
            name: _asked(examiner, lessons, f"{name}, nobody plans", tell)
            for name, lessons in _played(data, extent, alone=True)
        }
        read = _asked(examiner, _invented(extent.reading), "reading", tell)
        changed = list(pairs(_FIRST_SEED + 500_000, extent.pairs, _estimate))
        before = _asked(examiner, [pair.before for pair in changed], "memory as it was", tell)
        after = _asked(examiner, [pair.after for pair in changed], "memory changed", tell)
        resident = _resident_bytes(client.pid)
        sample = [*read[: extent.compared], *(reply for replies in played.values() for reply in replies)]
        compared = _compared(client, full, sample, tell) if full is not None else None
        every = [reply for replies in played.values() for reply in replies]
        return {
            "agreement": {name: _shares(replies) for name, replies in played.items()},
            "agreement_alone": {name: _shares(replies) for name, replies in alone.items()},
            "reading": _shares(read),
            "memory_changed": {
                kind: share(
                    [
                        b.right and a.right
                        for pair, b, a in zip(changed, before, after, strict=True)
                        if pair.kind == kind
                    ]
                )
                for kind in ("skill", "hint", "off")
            },
            "latency_ms": _latency(every),
            "fresh_tokens": _fresh(every),
            "model_memory_bytes": examiner.memory_bytes,
            "host_resident_bytes": resident,
            "differs_from_full_precision": compared,
        }


def share(right: Sequence[bool]) -> dict[str, Any]:
    """Return a share with its Wilson interval; None for no cases."""
    if not right:
        return {"share": None, "low": None, "high": None, "asked": 0}
    low, high = wilson(sum(right), len(right))
    return {"share": sum(right) / len(right), "low": low, "high": high, "asked": len(right)}


def _played(
    data: DataFolder, extent: EvaluationSize, *, alone: bool = False
) -> Iterable[tuple[str, list[Lesson]]]:
    """Yield lessons of held-out worlds in the order of play, so that the prefix cache works as in a run."""
    first = HELD_OUT_SEED + (500 if alone else 100)
    for name in GAMES:
        game = Registry(data).load(name)
        many = min(extent.alone, extent.episodes) if alone else extent.episodes
        seeds = range(first, first + many)
        yield name, [lesson for seed in seeds for lesson in episode(game, seed, _estimate, alone=alone)]


def _invented(many: int) -> list[Lesson]:
    """List plans and reactions of invented games, with words that no lesson has."""
    chosen: list[Lesson] = []
    seed = _FIRST_SEED
    while len(chosen) < many:
        lessons = SyntheticGame(seed, _estimate, held_out=True).lessons(2)
        chosen += [lesson for lesson in lessons if lesson.purpose in (Purpose.PLAN, Purpose.REACT)]
        seed += 1
    return chosen[:many]


def _asked(
    examiner: Evaluator, lessons: Sequence[Lesson], subject: str, tell: Callable[[str, int, int], None]
) -> list[Reply]:
    replies = []
    for done, lesson in enumerate(lessons):
        if done % 20 == 0:
            tell(subject, done, len(lessons))
        replies.append(examiner.ask(lesson))
    return replies


def _compared(
    client: HostClient, full: ModelSpec, sample: Sequence[Reply], tell: Callable[[str, int, int], None]
) -> dict[str, Any]:
    """Count how often full precision decides differently."""
    others = _asked(Evaluator(client, full), [reply.lesson for reply in sample], "full precision", tell)
    return share([reply.decision != other.decision for reply, other in zip(sample, others, strict=True)])


def _shares(replies: Sequence[Reply]) -> dict[str, Any]:
    """Return the share of right replies, of all and of each purpose."""
    shares = {"all": share([reply.right for reply in replies])}
    for purpose in Purpose:
        of = [reply.right for reply in replies if reply.lesson.purpose is purpose]
        if of:
            shares[purpose.value] = share(of)
    return shares


def _latency(replies: Sequence[Reply]) -> dict[str, Any]:
    """Return the milliseconds of a call by tier, without each tier's first, which reads the whole prompt."""
    latencies: dict[str, Any] = {}
    for tier in ("fast", "strategic"):
        took = [reply.took_ms for reply in replies if reply.lesson.purpose.tier.value == tier][1:]
        if took:
            p50, p95 = np.percentile(took, (50, 95))
            latencies[tier] = {"p50": float(p50), "p95": float(p95), "calls": len(took)}
    return latencies


def _fresh(replies: Sequence[Reply]) -> dict[str, float]:
    """Return a mean call's prompt tokens, and those that were not in the cache."""
    prompt = [reply.prompt_tokens for reply in replies]
    fresh = [reply.prompt_tokens - reply.cached_tokens for reply in replies]
    return {"prompt": float(np.mean(prompt)), "fresh": float(np.mean(fresh))} if replies else {}


def _resident_bytes(pid: int) -> int | None:
    """Return the memory of the host process; None if the system does not report it."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    kilobytes = next((line.split()[1] for line in lines if line.startswith("VmRSS:")), None)
    return int(kilobytes) * 1024 if kilobytes is not None else None


def _estimate(text: str) -> int:
    return len(text) // _LETTERS_A_TOKEN
