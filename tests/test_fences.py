"""The fences between the rooms hold, and each one bites: a test breaks them all on a copy of the tree."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def _lint(tree: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()"]
    arguments = ["--config", str(tree / "pyproject.toml"), "--no-cache"]
    return subprocess.run(
        [*command, *arguments],
        cwd=tree / "app",
        env={"PYTHONPATH": str(tree / "app"), "PATH": ""},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = Path(__file__).resolve().parents[1]
    copy = tmp_path_factory.mktemp("tree")
    shutil.copy(root / "pyproject.toml", copy)
    shutil.copytree(root / "app", copy / "app", ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def test_the_fences_hold(tree: Path) -> None:
    result = _lint(tree)
    assert result.returncode == 0, result.stdout + result.stderr


_LAYERS = "Layers, top to bottom"
_BREAKS = [
    ("pitwall/core/errors.py", "pitwall.link.channel", _LAYERS),
    ("pitwall/games/schema/profile.py", "pitwall.engine.loop.run", _LAYERS),
    ("pitwall/broker/gate.py", "pitwall.engine.loop.run", _LAYERS),
    ("pitwall/desktops/here.py", "pitwall.games.registry", _LAYERS),
    ("pitwall/link/channel.py", "pitwall.desktops.here", _LAYERS),
    ("pitwall/memory/value_format.py", "pitwall.gsm.contract", _LAYERS),
    ("pitwall/engine/trigger/event_trigger.py", "pitwall.engine.control.planner", "The five stages"),
    ("pitwall/engine/capture/leak_probe.py", "pitwall.engine.loop.run", "Stages do not know the loop"),
    ("pitwall/console/kit/theme.py", "pitwall.engine.recording.run_figures", "The console meets"),
    (
        "pitwall/engine/recording/run_figures.py",
        "pitwall_evaluation.truth.state",
        "The engine never sees a game's true state",
    ),
    ("pitwall_exam/answering/replies.py", "pitwall_exam.questions.paper", "Who answers an exam"),
    ("pitwall_exam/answering/replies.py", "pitwall_evaluation.truth.state", "Who answers an exam"),
    ("pitwall/engine/recording/run_figures.py", "PySide6", "Qt lives"),
    ("pitwall/engine/recording/run_figures.py", "pynput", "Only broker and desktops press"),
    ("pitwall/engine/recording/run_figures.py", "onnxruntime", "Models are loaded"),
    ("pitwall/memory/value_format.py", "llama_cpp", "Models are loaded"),
    ("pitwall/gsm/policy_module.py", "onnxruntime", "Models are loaded"),
    ("pitwall/engine/recording/run_figures.py", "torch", "torch is the lab's"),
    ("pitwall/gsm/policy_module.py", "torch", "torch is the lab's"),
    ("pitwall/console/live/page.py", "pitwall.console.runs.page", "No page of the console"),
    ("pitwall/console/services/bridge.py", "pitwall.console.charts.axes", "The console, top to bottom"),
    ("pitwall/console/state/view_state.py", "PySide6", "What the console knows"),
    ("pitwall/cli/options.py", "workshop.benchmarks.catalogue", "The core knows none"),
    ("pitwall/cli/options.py", "pitwall_exam.place", "The core knows none"),
    ("pitwall_exam/place.py", "pitwall_bench.place", "The core knows none"),
    ("pitwall_exam/repository.py", "pitwall.engine.loop.run", "Packages use the core's public surface"),
    (
        "pitwall_memory_editor/console/inbox.py",
        "pitwall.console.live.page",
        "Packages use the core's public surface",
    ),
    ("pitwall_lab/console/format.py", "pitwall_lab.training.train", "Pages of packages meet"),
    ("workshop/commands/bench.py", "torch", "torch is the lab's"),
    ("workshop/shipped_model/dataset/dataset_builder.py", "PySide6", "Qt lives"),
]
"""File, what it must not import, and the fence that says so."""


def _findings(report: str) -> dict[str, str]:
    """What the report finds at each fence that does not hold, by the fence's name."""
    _, _, result = report.partition("Broken contracts\n")
    parts = re.split(r"^(.+)\n-+\n", result, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_each_fence_bites(tree: Path) -> None:
    """All are broken at once: the report names each line at the fence that it breaks."""
    package = tree / "app"
    breaks = [*_BREAKS, ("pitwall/core/actions.py", "pitwall.core.steps", "No circle")]
    before = {file: (package / file).read_text(encoding="utf-8") for file, _, _ in breaks}
    for file, text in before.items():
        lines = [f"import {module}\n" for name, module, _ in breaks if name == file]
        (package / file).write_text(text + "\n" + "".join(lines), encoding="utf-8")
    try:
        result = _lint(tree)
    finally:
        for file, text in before.items():
            (package / file).write_text(text, encoding="utf-8")
    assert result.returncode != 0
    findings = _findings(result.stdout)
    for file, module, fence in _BREAKS:
        here = ".".join(Path(file).with_suffix("").parts)
        lines = [text for name, text in findings.items() if name.startswith(fence)]
        assert any(f"{here} -> {module} (l." in re.sub(" +", " ", text) for text in lines), (
            file,
            module,
            lines,
        )
    assert "in pitwall.core." in findings["No circle of files"], result.stdout
