"""A worker that crashes costs the test in which it crashed, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_CRASH = """
import os
import pytest

@pytest.mark.parametrize("number", range(4))
def test_a_worker_dies(number):
    if number == 1 and not os.path.exists("crashed"):
        open("crashed", "w").close()
        os.abort()
"""


def test_after_a_crash_all_tests_are_run_and_the_runner_ends(tmp_path: Path, project_root: Path) -> None:
    for number in range(8):
        (tmp_path / f"test_{number}.py").write_text("def test_passes():\n    pass\n")
    (tmp_path / "test_9_crash.py").write_text(_CRASH)
    options = ["-n", "2", "--dist", "loadfile", "--no-loadscope-reorder", "-p", "no:cacheprovider"]
    finished = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tests.scheduling", *options, "--rootdir=.", "."],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(project_root)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert finished.returncode == 1
    assert "1 failed, 12 passed" in finished.stdout, finished.stdout + finished.stderr
