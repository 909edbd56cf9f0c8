"""The common form of every benchmark's report."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from pitwall import __version__

_LIBRARIES = ("numpy", "opencv-python", "xcffib", "PySide6-Essentials", "pillow", "mss", "llama-cpp-python")


def spread(samples: Sequence[float]) -> dict[str, Any]:
    """Return the percentiles of at least one sample: p50, p95, p99, n."""
    p50, p95, p99 = (float(value) for value in np.percentile(np.asarray(samples, float), (50, 95, 99)))
    return {"p50": p50, "p95": p95, "p99": p99, "n": len(samples)}


def figure(value: float) -> dict[str, Any]:
    """Return a single figure in the same form, with a median and no tails."""
    return {"p50": value, "p95": None, "p99": None, "n": 1}


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
    """Compare a figure with its aim.

    Args:
        ours: from `spread` or `figure`.
        aim: the aim in words, as the issue states it.
        peer: name and median of the peer, measured in the same run.
        ratio: ours to the peer's, or the peer's to ours, in the aim's direction.
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


def load_average() -> float | None:
    """Return the machine's load of the last minute; None on Windows, which has none."""
    return os.getloadavg()[0] if sys.platform != "win32" else None


def report(name: str, checks: list[dict[str, Any]], **conditions: Any) -> dict[str, Any]:
    """Return a whole benchmark, with machine and versions among its conditions; met if every check is."""
    return {
        "name": name,
        "met": all(each["met"] for each in checks),
        "conditions": {**conditions, "cores": os.cpu_count(), "versions": _versions()},
        "checks": checks,
    }


def _versions() -> dict[str, str]:
    versions = {"pitwall": __version__, "python": platform.python_version(), "platform": platform.platform()}
    for name in _LIBRARIES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions
