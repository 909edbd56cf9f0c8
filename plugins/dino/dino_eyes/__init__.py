"""The state reader of Dino: it reads everything from the window's pixels."""

from __future__ import annotations

from pathlib import Path

from .eyes import Eyes


def reader(folder: Path) -> Eyes:  # noqa: ARG001  # the loader's contract
    """Return a new reader."""
    return Eyes()
