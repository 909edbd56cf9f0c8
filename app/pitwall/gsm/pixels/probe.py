"""Tries a pixel policy in a host of its own, and measures its rate."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from pitwall.core.paths import DataFolder
from pitwall.games.schema.profile import Screen
from pitwall.gsm.inference import BadPolicy
from pitwall.gsm.pixel_manifest import PixelPolicy
from pitwall.gsm.pixels.module import PixelInputs
from pitwall.gsm.pixels.runner import WaitingRunner, spec_of
from pitwall.gsm.pixels.space import numbers_of
from pitwall.gsm.version_record import MeasuredRate
from pitwall.models.files.integrity import sha256_of
from pitwall.models.host_client import HostClient

_WARM_UP = 2
_DECISIONS = 24
_LONGEST_S = 10.0
_MIDDLE = (0.5, 0.5)


class TooSlow(BadPolicy):
    """A policy decides more slowly on this machine than it was made for."""


def measured_rate(data: DataFolder, policy: PixelPolicy, file: Path) -> MeasuredRate:
    """Run a policy on noise for some seconds, as in play, and return the times of its decisions.

    Raises:
        BadPolicy: the file has another hash than in the manifest, or outputs that the manifest does not list.
        RequestFailed, ChildDied: the host refused it, or crashed.
    """
    check_hash(policy, file)
    seen = policy.picture
    sight = PixelInputs(policy, Screen(width=seen.width, height=seen.height))
    noise = np.random.default_rng(0)
    times: list[float] = []
    with HostClient(data.logs) as host:
        runner = WaitingRunner(host, spec_of(policy, file))
        until = time.monotonic() + _LONGEST_S
        while len(times) < _WARM_UP + _DECISIONS and (time.monotonic() < until or len(times) <= _WARM_UP):
            pixels = noise.integers(0, 256, (seen.height, seen.width, 4), np.uint8)
            began = time.monotonic()
            runner.ask(sight.see(pixels))
            outputs = runner.answer() or {}
            numbers_of(policy, outputs, _MIDDLE)
            sight.keep(outputs)
            times.append((time.monotonic() - began) * 1e3)
    p50, p95 = (float(np.percentile(times[_WARM_UP:], share)) for share in (50, 95))
    return MeasuredRate(p50_ms=p50, p95_ms=p95, hz=seen.hz, device=runner.device)


def check_hash(policy: PixelPolicy, file: Path) -> None:
    """Check that a file is the one that a manifest names.

    Raises:
        BadPolicy: it has another hash. BadModelFile: it cannot be read.
    """
    actual = sha256_of(file)
    if actual != policy.sha256:
        raise BadPolicy(
            f"{file} is not the policy that its manifest names: SHA-256 {actual[:12]}…, not "
            f"{policy.sha256[:12]}….",
            "Fetch the file again, or write its own hash into the manifest.",
        )


def require_rate(name: str, rate: MeasuredRate) -> None:
    """Refuse a policy that is too slow.

    Raises:
        TooSlow: its decisions take longer than a period; states the figures.
    """
    if rate.p95_ms > 1000.0 / rate.hz:
        raise TooSlow(
            f"{name} is too slow here: a decision takes {rate.p50_ms:.1f} ms (95 % within "
            f"{rate.p95_ms:.1f} ms) on {rate.device}, {1000 / rate.p95_ms:.1f} a second; it was made for "
            f"{rate.hz:g}.",
            "Use a quicker machine or a smaller policy.",
        )
