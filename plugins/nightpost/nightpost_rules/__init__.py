"""Night Post: rules, what is to be seen, and the eyes that read it back."""

from __future__ import annotations

from pathlib import Path

from .eyes import Eyes


def reader(folder: Path) -> Eyes:  # noqa: ARG001 - the contract of games.plugin_loader
    """Return the reader of the window's fields."""
    return Eyes()
