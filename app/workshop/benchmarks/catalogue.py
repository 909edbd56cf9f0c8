"""Every benchmark by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from pitwall.core.errors import PitwallError, nearest
from workshop.benchmarks.engine import console, reaction, start, teach, trigger
from workshop.benchmarks.engine import recording as log
from workshop.benchmarks.evaluation import exam, floor, recall, suite
from workshop.benchmarks.foreign import play as foreign
from workshop.benchmarks.gsm import bundled_modules as gsm
from workshop.benchmarks.gsm import reflex
from workshop.benchmarks.gsm import training as train
from workshop.benchmarks.imitation import imitate
from workshop.benchmarks.input import operator, release, stop
from workshop.benchmarks.memory import graph_view as graph
from workshop.benchmarks.memory import retrieval as memory
from workshop.benchmarks.models import host
from workshop.benchmarks.planning import allocation, default_agent
from workshop.benchmarks.planning import prompt_size as prompt


class Benchmark(Protocol):
    """Measures, and returns name, met, conditions, checks."""

    def __call__(self, *, quick: bool) -> dict[str, Any]: ...


BENCHMARKS: dict[str, Benchmark] = {
    "reaction": reaction.run,
    "trigger": trigger.run,
    "console": console.run,
    "start": start.run,
    "graph": graph.run,
    "stop": stop.run,
    "release": release.run,
    "operator": operator.run,
    "log": log.run,
    "teach": teach.run,
    "host": host.run,
    "prompt": prompt.run,
    "allocation": allocation.run,
    "default-agent": default_agent.run,
    "memory": memory.run,
    "train": train.run,
    "reflex": reflex.run,
    "imitate": imitate.run,
    "suite": suite.run,
    "floor": floor.run,
    "foreign": foreign.run,
    "exam": exam.run,
    "recall": recall.run,
    "gsm-flappy": gsm.flappy,
    "gsm-arena": gsm.arena,
    "gsm-doom": gsm.doom,
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
        games: of those that `imitate` or `foreign` plays; empty: all. runs: of each of its players.
        minutes: `foreign` begins no run after these; 0: no end.

    Raises:
        PitwallError: there is none of this name, or it chooses no games, or has no such end.
    """
    if name not in BENCHMARKS:
        near = nearest(name, BENCHMARKS)
        hint = f"Did you mean {near!r}?" if near else f"One of: all, {', '.join(BENCHMARKS)}."
        raise PitwallError(f"there is no benchmark {name!r}.", hint)
    if name == "foreign":
        return foreign.run(quick=quick, games=games, runs=runs, minutes=minutes)
    if minutes:
        raise PitwallError(f"{name} ends by itself.", "Leave --minutes out; foreign takes it.")
    if name == "imitate":
        return imitate.run(quick=quick, games=games, runs=runs)
    if games or runs is not None:
        raise PitwallError(
            f"{name} plays no games of your choice.",
            "Leave --games and --runs out; imitate and foreign take them.",
        )
    return BENCHMARKS[name](quick=quick)


def run_all(*, quick: bool, say: Callable[[str], None]) -> list[dict[str, Any]]:
    """Run every benchmark, with a line of a table for each check."""
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
