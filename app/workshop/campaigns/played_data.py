"""A data folder with one of everything: a run, memories, an exam with answers, a suite, models."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder, resources_dir
from pitwall.memory.retrieval.hashing_embedder import HashingEmbedder
from pitwall_bench.suites.folder import SuiteFolder
from pitwall_bench.suites.results import SPEC_FILE, Cell, TaskRun
from workshop.fixtures.tiny_models import tiny_text_model

SUITE, GAME = "smoke", "crafter"


@functools.cache
def played_data() -> DataFolder:
    """Fill a folder by playing some seconds on a virtual screen; later calls in this process copy it."""
    root = Path(tempfile.mkdtemp(prefix="pitwall-played-"))
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    data = DataFolder(root / "data")
    pitwall(data, "settings", "set", "memory.embedder", HashingEmbedder.name)  # it loads at once in each case
    pitwall(data, "run", "--game", GAME, "--seconds", "4", "--seed", "1")
    pitwall(data, "memory", "add", "note", "--game", GAME, "about=progress", "text=Trees give wood.")
    pitwall(data, "memory", "add", "knowledge", "--game", GAME, "heading=Wood", "text=Face a tree.")
    pitwall(data, "memory", "snapshot")
    pitwall(data, "exam", "make", "1", "--inventory", "both")
    pitwall(data, "exam", "answer", next(data.exams.iterdir()).name)
    pitwall(data, "models", "add", str(tiny_text_model(root / "tiny.gguf")))
    suite = SuiteFolder(data, SUITE)
    suite.root.mkdir(parents=True)
    shutil.copyfile(resources_dir() / "suites" / f"{SUITE}.yaml", suite.root / SPEC_FILE)
    for seed in range(3):
        cell = Cell(game="flappy", task="ten_pipes", agent="skills", seed=seed)
        suite.keep(
            TaskRun(cell=cell, ended="time", score=float(seed), progress=seed / 3, steps=9, seconds=30.0)
        )
    return data


def pitwall(data: DataFolder, *words: str) -> str:
    """Run a command in another process; return its output.

    Raises:
        PitwallError: it failed.
    """
    env = {name: value for name, value in os.environ.items() if name != "DISPLAY"}
    done = subprocess.run(
        [sys.executable, "-m", "pitwall", *words],
        env={**env, "PITWALL_DATA": str(data.root)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise PitwallError(f"pitwall {' '.join(words)} failed: {(done.stderr or done.stdout)[-400:]}")
    return done.stdout
