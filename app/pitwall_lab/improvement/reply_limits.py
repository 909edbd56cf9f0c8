"""Limits of the evolution tier's replies about game sense modules (SPEC §8): for grammars and readers."""

from __future__ import annotations

TITLE_LENGTH, WHY_LENGTH = 80, 240
CODE_START = "def reward("
CODE_LINE, CODE_LINES = 110, 60
"""Most characters of a line of code, and lines, that a grammar lets through."""
MOST_CHANGES = 6
MOST_EDITS = 4
EDITS = ("add", "remove", "move", "when", "also", "action", "ends")
"""Edits of a module's rules, by name."""
MOST_LABELS = 12
LABEL_LENGTH = 40
MOST_RULES = 8
NAME_LENGTH = 24
COOLDOWNS_MS = (0, 30, 60, 100, 200, 300, 500, 1_000, 2_000, 5_000)
"""Values that a grammar allows; a reply without a grammar may contain any up to a minute."""
