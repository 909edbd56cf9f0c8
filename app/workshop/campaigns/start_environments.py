"""Environments: every bridged environment is started once in its window, and must show a step."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from pitwall.desktops.window_search import find_window
from workshop.campaigns.harness import Campaign, Case, FellShort, Trial
from workshop.fixtures.environment_window import EnvironmentWindow, environment_window

_PATIENCE_S = 60.0
_LOOK_S, _PRESS_EVERY_S = 0.05, 0.5
_KEYS = ("Left", "1", "d")
"""Keys that are pressed until a step is seen: an environment by turns waits for one of them."""


@cache
def environments() -> tuple[str, ...]:
    """Return every id that `installer/extra gym` installs."""
    from pitwall_environments.gym.environment import FAMILIES, ids_of

    return tuple(env_id for family in FAMILIES for env_id in ids_of(family))


@contextmanager
def _rig(_shared: Path) -> Iterator[Trial]:
    yield lambda case: started(environments()[case.index], case)


def started(env_id: str, case: Case) -> str:
    """Start an environment and return its family.

    Raises:
        FellShort: it ends, or makes no step.
    """
    with environment_window(env_id, case.folder, seed=case.seed) as window:
        try:
            _see_a_step(window)
        except FellShort as short:
            raise FellShort(f"{env_id} {short}: {window.last_words}") from None
    return env_id.split("/")[0].split("-")[0]


def _see_a_step(window: EnvironmentWindow) -> None:
    until_s, press_at_s = time.monotonic() + _PATIENCE_S, 0.0
    process = window.process
    while time.monotonic() < until_s:
        if process.poll() is not None:
            raise FellShort(f"ended with {process.returncode}")
        if window.steps:
            return
        if time.monotonic() >= press_at_s and (shown := find_window(pid=process.pid)) is not None:
            focus = ["xdotool", "windowfocus", str(shown.native_id)]
            subprocess.run([*focus, "key", *_KEYS], capture_output=True, timeout=_PATIENCE_S, check=False)
            press_at_s = time.monotonic() + _PRESS_EVERY_S
        time.sleep(_LOOK_S)
    raise FellShort(f"made no step in {_PATIENCE_S:g} s")


CAMPAIGN = Campaign(
    tries="every bridged environment of Gymnasium is started once: its window comes, and a step is seen",
    rig=_rig,
    screen=True,
    alone=False,
    cases=lambda: len(environments()),
)
