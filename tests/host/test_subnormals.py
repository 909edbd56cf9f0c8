"""Subnormal numbers are zero where models compute, and nowhere else."""

from __future__ import annotations

import platform
import sys
import threading
from collections.abc import Callable
from typing import TypeVar

import numpy as np
import pytest

from pitwall.host.subnormals import flush_subnormals

Result = TypeVar("Result")
_TINY = np.finfo(np.float32).tiny

known = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64", reason="not known to be possible here"
)


def in_thread(work: Callable[[], Result]) -> Result:
    """What it gives in a thread of its own: a thread's setting goes with it."""
    results: list[Result] = []
    thread = threading.Thread(target=lambda: results.append(work()))
    thread.start()
    thread.join()
    return results[0]


def half() -> float:
    """Half of the smallest normal number, computed where it is called."""
    return float((np.full(64, _TINY) / np.float32(2)).max())


@known
def test_a_subnormal_number_is_zero_in_the_thread_that_asked_and_in_those_it_starts() -> None:
    assert in_thread(half) > 0.0

    def flushed() -> tuple[bool, float, float]:
        return flush_subnormals(), half(), in_thread(half)

    assert in_thread(flushed) == (True, 0.0, 0.0)
    assert half() > 0.0, "the others compute as before"


@known
def test_other_numbers_are_what_they_were() -> None:
    values = np.linspace(-1e30, 1e30, 1_001, dtype=np.float32)

    def flushed() -> bool:
        flush_subnormals()
        return bool((values / np.float32(3) == plain).all())

    plain = values / np.float32(3)
    assert in_thread(flushed)


def test_where_it_is_not_known_how_nothing_is_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    assert not flush_subnormals()
