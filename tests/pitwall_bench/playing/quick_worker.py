"""A seat that plays nothing: it answers orders as a file beside the data folder says, over a real channel.

The file maps a cell's key to what happens at each try: win, lose, launch, outside, fault, die, wait (until
told to give up), or slow (it takes a moment, then loses). What is not named loses.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from socket import socket
from typing import Any

from pitwall.core.errors import ChannelClosed
from pitwall.link.channel import CHANNEL_OPTION, Channel
from pitwall.link.child_process import Child, inherited
from pitwall_bench.suites.results import TaskRun
from pitwall_bench.tasks.messages import ANSWERS, ORDERS, PlayTask, TaskDone, TaskFault, TaskProgress
from workshop.fixtures.processes import kill

SCRIPT = "script.json"
PLAYED = "played"
SPANS = "spans"
"""Where slow ones tell when they began and ended, in nanoseconds of the machine's clock."""
_MOMENT_S = 0.15


class QuickChild(Child):
    """The quick seat in place of the program's own role."""

    def __init__(self, role: str, *, sockets: Mapping[str, socket], log: Path) -> None:
        self.role, self.log, self._log_start = role, log, 0
        log.parent.mkdir(parents=True, exist_ok=True)
        (flag, sock), *_ = sockets.items()
        with log.open("ab") as errors:
            self.process = subprocess.Popen(
                [sys.executable, __file__, flag, str(sock.fileno())],
                pass_fds=[sock.fileno()],
                stdout=errors,
                stderr=errors,
                start_new_session=True,
            )
        sock.close()


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument(CHANNEL_OPTION, dest="channel", type=int)
    channel: Channel[Any, Any] = Channel(inherited(parser.parse_args().channel), ANSWERS, ORDERS)
    order = channel.wait(None)[0][0]
    assert isinstance(order, PlayTask)
    order.session.mkdir(parents=True)
    (order.session / "task.json").write_text("{}", encoding="utf-8")
    folder = order.data.parent
    tries = folder / PLAYED / order.cell.key
    tries.parent.mkdir(exist_ok=True)
    with tries.open("a", encoding="utf-8") as log:
        log.write(f"{os.getpid()} {order.screen}\n")
    text = json.loads((folder / SCRIPT).read_text(encoding="utf-8")).get(order.cell.key, ["lose"])
    at = len(tries.read_text(encoding="utf-8").splitlines()) - 1
    return _answer(channel, order, text[min(at, len(text) - 1)])


def _answer(channel: Channel[Any, Any], order: PlayTask, what: str) -> int:
    channel.send(TaskProgress(state="playing", steps=1, budget=9, picture="picture.png"))
    if what == "die":
        kill(os.getpid())
    if what == "fault":
        channel.send(TaskFault(what="there is no such thing.", fix="Mend it."))
        return 0
    if what == "wait":
        try:
            channel.wait(None)
        except ChannelClosed:
            return 1
        what = "stopped"
    if what == "slow":
        began_ns = time.monotonic_ns()
        time.sleep(_MOMENT_S)
        with (order.data.parent / SPANS).open("a", encoding="utf-8") as log:
            log.write(f"{began_ns} {time.monotonic_ns()}\n")
        what = "lose"
    channel.send(TaskDone(run=_run(order, what)))
    return 0


def _run(order: PlayTask, what: str) -> TaskRun:
    if what in ("win", "lose"):
        won = what == "win"
        ended = "target" if won else "steps"
        figures = {"success": won, "progress": 1.0 if won else 0.25, "score": 4.0 * won, "steps": 9}
        return TaskRun.model_validate({"cell": order.cell, "ended": ended, "seconds": 2.0, **figures})
    return TaskRun.model_validate({"cell": order.cell, "ended": what, "why": f"it was {what}"})


if __name__ == "__main__":
    sys.exit(main())
