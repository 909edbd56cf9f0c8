"""`python -m pitwall game-eyes`: looks at one game for the console while it is being added."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.desktops.here import this_desktop
from pitwall.engine.drafting.field_reading import Recogniser
from pitwall.engine.drafting.observer import GameObserver, open_draft_view
from pitwall.games.drafting.store import read_draft
from pitwall.store.strict_json import to_json


def main(arguments: Sequence[str]) -> int:
    """Serve until standard input ends; an error is the last line."""
    parser = argparse.ArgumentParser(prog="pitwall game-eyes")
    parser.add_argument("--draft", type=Path, required=True)
    parser.add_argument("--window", type=lambda text: int(text, 0), default=None)
    parser.add_argument("--data", type=Path, required=True)
    options = parser.parse_args(arguments)
    try:
        this_desktop().check()
        draft = read_draft(options.draft)
        with tempfile.TemporaryDirectory(prefix="pitwall-draft-") as aside:
            view = open_draft_view(draft, options.window, options.data, Path(aside), owner=os.getppid())
            data = DataFolder(options.data)
            GameObserver(view, draft, Recogniser(data.logs), _print, data).serve(sys.stdin.buffer)
    except PitwallError as error:
        _print({"what": error.what, "fix": error.fix})
        return 1
    except BrokenPipeError:  # the window is gone
        return 1
    return 0


def _print(value: dict[str, Any]) -> None:
    sys.stdout.write(to_json(value) + "\n")
    sys.stdout.flush()
