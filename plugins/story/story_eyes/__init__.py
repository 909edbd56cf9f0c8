"""The story's state reader: it reads everything from the window's pixels."""

from __future__ import annotations

from pathlib import Path

from .eyes import Eyes


def reader(folder: Path) -> Eyes:
    """Return a new reader."""
    return Eyes(folder / "story_eyes")
