"""The one shape in which every benchmark answers."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import numpy as np


def spread(samples: Sequence[float]) -> dict[str, float]:
    """Percentiles of samples: p50, p95, p99, n. At least one sample."""
    p50, p95, p99 = (float(value) for value in np.percentile(np.asarray(samples, float), (50, 95, 99)))
    return {"p50": p50, "p95": p95, "p99": p99, "n": len(samples)}


def check(
    name: str,
    unit: str,
    ours: dict[str, Any],
    *,
    aim: str,
    met: bool,
    peer: tuple[str, float] | None = None,
    ratio: float | None = None,
) -> dict[str, Any]:
    """One figure against its aim.

    Args:
        ours: as `spread` gives it; a single figure has p95 and p99 None.
        aim: the aim in words, as the issue states it.
        peer: name and median of what it is compared with, measured in the same run.
        ratio: ours to the peer's in the direction that the aim speaks of.
    """
    return {
        "name": name,
        "unit": unit,
        "ours": ours,
        "peer": None if peer is None else {"name": peer[0], "p50": peer[1]},
        "ratio": ratio,
        "aim": aim,
        "met": bool(met),
    }


def report(name: str, conditions: dict[str, Any], checks: list[dict[str, Any]]) -> dict[str, Any]:
    """A whole benchmark; met when every check is."""
    return {
        "name": name,
        "met": all(each["met"] for each in checks),
        "conditions": conditions,
        "checks": checks,
    }


def versions(*distributions: str) -> dict[str, str]:
    """Versions of Python and of installed distributions, for the conditions."""
    return {"python": platform.python_version(), **{name: version(name) for name in distributions}}
