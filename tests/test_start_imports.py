"""A process loads what it needs and nothing else: a play starts many of them, and tests thousands."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

_LOADED = "import json, sys, {}; print(json.dumps([*sys.modules]))"
_TABLES = {"networkx", "pyarrow", "scipy"}
_FILMS_AND_TABLES = {*_TABLES, "av", "cv2"}
_SMALL = _FILMS_AND_TABLES | {
    "numpy",
    "sqlalchemy",
    "pydantic",
    "importlib.metadata",
    "pitwall.core.settings",
}
_LEFT_OUT = {
    "broker": ("pitwall.broker.main, pitwall.desktops.x11.input", _SMALL),
    "supervisor of a game": ("pitwall.games.supervisor", _SMALL),
    "truth keeper": ("pitwall_evaluation.truth.keeper", {*_FILMS_AND_TABLES, "numpy", "sqlalchemy"}),
    "model host": ("pitwall.host.main", {*_FILMS_AND_TABLES, "sqlalchemy", "pitwall.core.settings"}),
    "memory keeper": ("pitwall.memory.keeper", {*_FILMS_AND_TABLES, "urllib.request"}),
    "engine": ("pitwall.engine.main", {*_TABLES, "urllib.request", "pitwall.games.drafting.draft"}),
    "help of the commands": (
        "pitwall.cli.main as main; main.program(*main.command_names())",
        {"pitwall.engine.decision.controllers", "torch", "llama_cpp"},
    ),
    "console": ("pitwall.console.shell.application", {*_FILMS_AND_TABLES, "sqlalchemy"}),
}


@pytest.mark.skipif(sys.platform != "linux", reason="X11")
@pytest.mark.parametrize("process", _LEFT_OUT)
def test_a_process_leaves_out(process: str) -> None:
    modules, left_out = _LEFT_OUT[process]
    words = [sys.executable, "-c", _LOADED.format(modules)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    loaded = set(json.loads(done.stdout))
    assert "pitwall.core.errors" in loaded and not left_out & loaded
