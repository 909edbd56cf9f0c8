"""The memory's revisions. Brought up to date by store.migrations, as the run log is."""

from __future__ import annotations

from pathlib import Path

REVISIONS: tuple[str, ...] = ("0001", "0002", "0003")
"""Every revision, oldest first."""

FOLDER = Path(__file__).parent
