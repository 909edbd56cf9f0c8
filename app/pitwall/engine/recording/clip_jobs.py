"""Writes clips of the run that is played, each in a process of its own beside the loop."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from pitwall.core.paths import DataFolder
from pitwall.link.child_process import APART

CLIP_S = 30.0
_NICE = 10


@dataclass(frozen=True, slots=True)
class _Job:
    process: subprocess.Popen[str]
    file: Path


class ClipJobs:
    """Starts `pitwall clip`, and reports each clip once it is written or refused."""

    def __init__(self, data: DataFolder) -> None:
        self._data = data
        self._jobs: list[_Job] = []

    def start(self, run_id: int, end_s: float) -> str:
        """Write the last CLIP_S seconds before a moment of a run; return a sentence for the operator."""
        begin_s = max(0.0, end_s - CLIP_S)
        file = self._data.run(run_id) / f"clip-{begin_s:.0f}-{end_s:.0f}-s.webm"
        span = ["--from", f"{begin_s:.2f}", "--to", f"{end_s:.2f}", "--out", str(file), "--force"]
        process = subprocess.Popen(
            [sys.executable, "-m", "pitwall", "clip", str(run_id), *span, "--data", str(self._data.root)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            creationflags=APART,
            preexec_fn=_yield_to_the_game if sys.platform != "win32" else None,
        )
        self._jobs.append(_Job(process, file))
        return f"The last {end_s - begin_s:.0f} s are being written as a clip."

    def finished(self) -> list[str]:
        """Return a sentence for each clip that was written or refused since the last call."""
        sentences = []
        for job in [job for job in self._jobs if job.process.poll() is not None]:
            self._jobs.remove(job)
            _, errors = job.process.communicate()
            written = f"The clip is written: {job.file}"
            refused = f"The clip could not be written: {errors.strip()[-300:]}"
            sentences.append(written if job.process.returncode == 0 else refused)
        return sentences


def _yield_to_the_game() -> None:
    os.nice(_NICE)
