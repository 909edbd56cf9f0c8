"""Examines the shipped model: it decides as the teacher, reads, is quick, and loses nothing in 8 bits.

Every figure is of worlds and words that no lesson has, with its 95 % interval.
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
    """Sets how much is asked. `episodes`: of each bundled game, and so many more, at most `alone`, where
    nobody plans; `reading`: prompts of invented games; `pairs`."""

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
    """Every figure of a model.

    Args:
        full: the same model in full precision, to compare decisions with; None: they are not compared.
        tell: told what is asked, how many are, of how many.

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
        before = _asked(examiner, [one.before for one in changed], "memory as it was", tell)
        after = _asked(examiner, [one.after for one in changed], "memory changed", tell)
        resident = _resident_bytes(client.pid)
        sample = [*read[: extent.compared], *(one for replies in played.values() for one in replies)]
        compared = _compared(client, full, sample, tell) if full is not None else None
        every = [one for replies in played.values() for one in replies]
        return {
            "agreement": {name: _shares(replies) for name, replies in played.items()},
            "agreement_alone": {name: _shares(replies) for name, replies in alone.items()},
            "reading": _shares(read),
            "memory_changed": {
                kind: share(
                    [
                        b.right and a.right
                        for one, b, a in zip(changed, before, after, strict=True)
                        if one.kind == kind
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
    """A share with its Wilson interval; None for none asked."""
    if not right:
        return {"share": None, "low": None, "high": None, "asked": 0}
    low, high = wilson(sum(right), len(right))
    return {"share": sum(right) / len(right), "low": low, "high": high, "asked": len(right)}


def _played(
    data: DataFolder, extent: EvaluationSize, *, alone: bool = False
) -> Iterable[tuple[str, list[Lesson]]]:
    """Lessons of held-out worlds, in the order of play: so the prefix cache works as in a run."""
    first = HELD_OUT_SEED + (500 if alone else 100)
    for name in GAMES:
        game = Registry(data).load(name)
        many = min(extent.alone, extent.episodes) if alone else extent.episodes
        seeds = range(first, first + many)
        yield name, [one for seed in seeds for one in episode(game, seed, _estimate, alone=alone)]


def _invented(many: int) -> list[Lesson]:
    """Plans and reactions of invented games, of words that no lesson has."""
    found: list[Lesson] = []
    seed = _FIRST_SEED
    while len(found) < many:
        lessons = SyntheticGame(seed, _estimate, held_out=True).lessons(2)
        found += [one for one in lessons if one.purpose in (Purpose.PLAN, Purpose.REACT)]
        seed += 1
    return found[:many]


def _asked(
    examiner: Evaluator, lessons: Sequence[Lesson], what: str, tell: Callable[[str, int, int], None]
) -> list[Reply]:
    replies = []
    for done, lesson in enumerate(lessons):
        if done % 20 == 0:
            tell(what, done, len(lessons))
        replies.append(examiner.ask(lesson))
    return replies


def _compared(
    client: HostClient, full: ModelSpec, sample: Sequence[Reply], tell: Callable[[str, int, int], None]
) -> dict[str, Any]:
    """Count how often full precision decides otherwise."""
    others = _asked(Evaluator(client, full), [one.lesson for one in sample], "full precision", tell)
    return share([one.decision != other.decision for one, other in zip(sample, others, strict=True)])


def _shares(replies: Sequence[Reply]) -> dict[str, Any]:
    """Of all, and of each purpose."""
    found = {"all": share([one.right for one in replies])}
    for purpose in Purpose:
        of = [one.right for one in replies if one.lesson.purpose is purpose]
        if of:
            found[purpose.value] = share(of)
    return found


def _latency(replies: Sequence[Reply]) -> dict[str, Any]:
    """Milliseconds of a call by tier; the first of each, which loads and reads the whole prompt, apart."""
    found: dict[str, Any] = {}
    for tier in ("fast", "strategic"):
        took = [one.took_ms for one in replies if one.lesson.purpose.tier.value == tier][1:]
        if took:
            p50, p95 = np.percentile(took, (50, 95))
            found[tier] = {"p50": float(p50), "p95": float(p95), "calls": len(took)}
    return found


def _fresh(replies: Sequence[Reply]) -> dict[str, float]:
    """Prompt tokens, and those of them that were not in the cache, of a mean call."""
    prompt = [one.prompt_tokens for one in replies]
    fresh = [one.prompt_tokens - one.cached_tokens for one in replies]
    return {"prompt": float(np.mean(prompt)), "fresh": float(np.mean(fresh))} if replies else {}


def _resident_bytes(pid: int) -> int | None:
    """Memory of the host process; None where the system does not tell."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    told = next((line.split()[1] for line in lines if line.startswith("VmRSS:")), None)
    return int(told) * 1024 if told is not None else None


def _estimate(text: str) -> int:
    return len(text) // _LETTERS_A_TOKEN
