"""A console's stand-in as a program, to be killed: opens a game, plays it, says what it heard of.

Run as a module: `python operator_process.py DATA GAME`; prints one JSON line once a run began.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from pitwall.core import commands, telemetry
from pitwall.core.paths import DataFolder
from pitwall.core.settings import BrokerSettings, Settings
from pitwall.link.autoplay import AutoPlay
from pitwall.link.session import EngineSession


def main() -> None:
    """Play until killed."""
    data, game = DataFolder(Path(sys.argv[1])), sys.argv[2]
    settings = Settings(broker=BrokerSettings(hold_ms=30_000))
    session = EngineSession(data, commands.Open(game=game, launch=False, settings=settings))
    autoplay = AutoPlay(commands.Start())
    while True:
        for record in session.wait(1.0):
            for command in autoplay.react(record):
                session.send(command)
            if isinstance(record, telemetry.RunBegan):
                line = json.dumps({"run_id": record.run_id, "engine": session.pid})
                sys.stdout.write(line + "\n")
                sys.stdout.flush()


if __name__ == "__main__":
    main()
