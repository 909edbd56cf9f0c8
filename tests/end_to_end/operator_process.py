"""A console's stand-in as a program, to be killed or frozen: opens a game and plays it.

Run as a program: `python operator_process.py DATA GAME`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pitwall.core import commands
from pitwall.core.paths import DataFolder
from pitwall.core.settings import load_settings
from pitwall.link.autoplay import AutoPlay
from pitwall.link.engine_session import EngineSession


def main() -> None:
    """Play until killed."""
    data, game = DataFolder(Path(sys.argv[1])), sys.argv[2]
    opening = commands.Open(game=game, launch=False, settings=load_settings(data.settings))
    session = EngineSession(data, opening)
    autoplay = AutoPlay(commands.Start())
    while True:
        for record in session.wait(1.0):
            for command in autoplay.react(record):
                session.send(command)


if __name__ == "__main__":
    main()
