"""`pitwall game-supervisor`: starts a game's program, and ends all that it started when its owner is gone.

Its order comes on standard input, its answer goes to standard output: an empty line once the program runs, or
why it does not. Whatever the program starts stays a child of this process (programs that fork, or that begin
a session of their own), so nothing of a game is left when the supervisor is asked to end or its owner dies.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

from pitwall.desktops.here import processes

GRACE_S = 3.0
"""How long a game may take to end after it was asked to."""


def main(_arguments: Sequence[str]) -> int:
    """Run a program until it failed, or it and all it started have ended; return the exit status."""
    return processes().supervise(json.load(sys.stdin), GRACE_S)
