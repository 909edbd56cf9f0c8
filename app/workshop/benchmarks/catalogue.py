"""Every benchmark by name."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from pitwall.core.errors import PitwallError, suggestion


class Benchmark(Protocol):
    """Measures, and returns name, met, conditions, checks."""

    def __call__(self, *, quick: bool, **wanted: Any) -> dict[str, Any]: ...


def _of(module: str, name: str = "run") -> Benchmark:
    """Return a benchmark whose module is imported when it runs: some need what only Linux has."""

    def run(**wanted: Any) -> dict[str, Any]:
        result: dict[str, Any] = getattr(importlib.import_module(f"{__package__}.{module}"), name)(**wanted)
        return result

    return run


BENCHMARKS: dict[str, Benchmark] = {
    "reaction": _of("engine.reaction"),
    "trigger": _of("engine.trigger"),
    "console": _of("engine.console"),
    "start": _of("engine.start"),
    "night": _of("engine.night"),
    "scale": _of("engine.scale"),
    "graph": _of("memory.graph_view"),
    "stop": _of("input.stop"),
    "release": _of("input.release"),
    "seat": _of("input.seat"),
    "seat-table": _of("input.seat_table"),
    "mouse-look": _of("input.mouse_look"),
    "doom-look": _of("input.doom_look"),
    "layouts": _of("input.layouts"),
    "operator": _of("input.operator"),
    "log": _of("engine.recording"),
    "teach": _of("engine.teach"),
    "host": _of("models.host"),
    "decision": _of("models.decision"),
    "prompt": _of("planning.prompt_size"),
    "allocation": _of("planning.allocation"),
    "default-agent": _of("planning.default_agent"),
    "memory": _of("memory.retrieval"),
    "promotion": _of("memory.promotion"),
    "train": _of("gsm.training"),
    "learning-recipes": _of("gsm.learning_recipes"),
    "reflex": _of("gsm.reflex"),
    "imitate": _of("imitation.imitate"),
    "suite": _of("evaluation.suite"),
    "floor": _of("evaluation.floor"),
    "oracle": _of("evaluation.oracle"),
    "atari": _of("evaluation.atari"),
    "miniwob": _of("evaluation.miniwob"),
    "foreign": _of("foreign.play"),
    "learning": _of("foreign.learning"),
    "score-reading": _of("foreign.score_reading"),
    "exam": _of("evaluation.exam"),
    "recall": _of("evaluation.recall"),
    "gsm-flappy": _of("gsm.bundled_modules", "flappy"),
    "gsm-arena": _of("gsm.bundled_modules", "arena"),
    "gsm-doom": _of("gsm.bundled_modules", "doom"),
}


def run_one(
    name: str,
    *,
    quick: bool,
    games: Sequence[str] = (),
    runs: int | None = None,
    minutes: float = 0.0,
) -> dict[str, Any]:
    """Run one benchmark.

    Args:
        games: for `atari`, `miniwob`, `imitate`, `foreign`, `learning` or `operator`; empty: all.
        runs: of each player.
        minutes: `foreign`, `learning` and `operator` begin no run after this time; 0: no limit.

    Raises:
        PitwallError: there is none of this name, or it takes no games or no time limit.
    """
    if name not in BENCHMARKS:
        hint = suggestion(name, BENCHMARKS, f"One of: all, {', '.join(BENCHMARKS)}.")
        raise PitwallError(f"there is no benchmark {name!r}.", hint)
    if name in ("foreign", "learning", "operator"):
        return BENCHMARKS[name](quick=quick, games=games, runs=runs, minutes=minutes)
    if name == "night" and not games:
        return BENCHMARKS[name](quick=quick, runs=runs, minutes=minutes)
    if minutes:
        raise PitwallError(
            f"{name} ends by itself.", "Leave --minutes out; foreign, learning, operator and night take it."
        )
    if name in ("atari", "miniwob", "imitate"):
        return BENCHMARKS[name](quick=quick, games=games, runs=runs)
    if games or runs is not None:
        raise PitwallError(
            f"{name} plays no games of your choice.",
            "Leave --games and --runs out; atari, miniwob, imitate, foreign, learning, operator take them.",
        )
    return BENCHMARKS[name](quick=quick)


def run_all(*, quick: bool, say: Callable[[str], None]) -> list[dict[str, Any]]:
    """Run every benchmark, and print a table row for each check."""
    results = []
    for name, benchmark in BENCHMARKS.items():
        result = benchmark(quick=quick)
        results.append(result)
        for check in result["checks"]:
            say(_row(name, check))
    return results


def _row(name: str, check: dict[str, Any]) -> str:
    ours = check["ours"]
    peer = check.get("peer") or {}
    figures = "  ".join(
        f"{key} {ours[key]:.3g}" for key in ("p50", "p95", "p99") if ours.get(key) is not None
    )
    against = f"{peer['name']} {peer['p50']:.3g}" if peer else "-"
    ratio = f"{check['ratio']:.2f}×" if check.get("ratio") is not None else "-"
    met = "met" if check["met"] else "MISSED"
    measured = f"{name:9s} {check['name']:28s} {check['unit']:4s} {figures:40s}"
    return f"{measured} {against:24s} {ratio:8s} {check['aim']:24s} {met}"
