"""A broker loads what presses keys, nothing of pictures, settings or memory: each play has two of it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

_LOADED = "import json, sys, {}; print(json.dumps([*sys.modules]))"

_HEAVY = {"numpy", "sqlalchemy", "pydantic", "importlib.metadata", "pitwall.core.settings"}


@pytest.mark.skipif(sys.platform != "linux", reason="X11")
@pytest.mark.parametrize(
    ("modules", "left_out"),
    [
        ("pitwall.broker.main, pitwall.desktops.x11.input", _HEAVY),
        ("pitwall.games.supervisor", _HEAVY),
    ],
    ids=["broker", "supervisor of a game"],
)
def test_what_presses_keys_or_waits_loads_little(modules: str, left_out: set[str]) -> None:
    words = [sys.executable, "-c", _LOADED.format(modules)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    loaded = set(json.loads(done.stdout))
    assert "pitwall.desktops.here" in loaded and not left_out & loaded
