"""Measures a long chain of runs that share a memory: time and size, with seats that play nothing.

python -m tests.pitwall_bench.playing.many_carried_runs 1000
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import yaml
from tests.pitwall_bench.playing.learning_seats import LearningSeats

from pitwall.core.paths import DataFolder
from pitwall_bench.playing import play
from pitwall_bench.suites.reading import read_suite
from pitwall_bench.suites.results import SuiteProgress, TaskRun

_EVERY = 50


def main(runs: int) -> None:
    """Play the chain and print each fiftieth run's figures, then what continuing costs."""
    setattr(play, "_workers", lambda *_: LearningSeats())  # noqa: B010
    with tempfile.TemporaryDirectory(prefix="pitwall-chain-") as folder:
        data = DataFolder(Path(folder) / "data")
        data.root.mkdir()
        spec = {
            "name": "long",
            "games": [{"game": "flappy", "tasks": ["first_pipe"]}],
            "agents": [{"name": "learner", "carry": "agent"}],
            "seeds": {"first": 1, "count": runs},
        }
        file = Path(folder) / "long.yaml"
        file.write_text(yaml.safe_dump(spec), encoding="utf-8")
        kept, began_s = data.suites / "long" / "memory" / "memory.sqlite", time.process_time()

        def show(_run: TaskRun, board: SuiteProgress) -> None:
            if board.done % _EVERY == 0:
                took_s = time.process_time() - began_s
                sys.stdout.write(
                    f"{board.done} runs: {took_s:.1f} s of the processor, {kept.stat().st_size >> 10} KiB\n"
                )

        plan = read_suite(file, data)
        play.play_suite(plan, data, on_run=show)
        before_s = time.process_time()
        play.play_suite(plan, data)
        sys.stdout.write(f"continuing: {time.process_time() - before_s:.2f} s\n")


if __name__ == "__main__":
    main(int(sys.argv[1]))
