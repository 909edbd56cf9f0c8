"""How many threads a model may use: the game needs a core too."""

from __future__ import annotations

import os
from pathlib import Path


def threads_for(asked: int) -> int:
    """`asked`, or for 0 one for each physical core but one (at least one).

    Also for prompts of small models: read with every core, they were there in 64 ms in place of 115 on two
    quiet cores, but in 385 in place of 212 where two sessions shared them: llama.cpp's threads wait for one
    another.
    """
    return asked if asked > 0 else max(1, _physical_cores() - 1)


def _physical_cores() -> int:
    """Cores, hyperthreads counted once, of those this process may run on."""
    try:
        ours = os.sched_getaffinity(0)  # type: ignore[attr-defined,unused-ignore]
        cores = {
            Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list").read_text("ascii")
            for cpu in ours
        }
        return len(cores)
    except (AttributeError, OSError):
        return max(1, (os.cpu_count() or 2) // 2)
