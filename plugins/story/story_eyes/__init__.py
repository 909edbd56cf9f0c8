"""The story's state reader: everything it gives comes from the window's pixels."""

from __future__ import annotations

from pathlib import Path

from .eyes import Eyes


def reader(folder: Path) -> Eyes:
    """A reader without memory."""
    return Eyes(folder / "story_eyes")
