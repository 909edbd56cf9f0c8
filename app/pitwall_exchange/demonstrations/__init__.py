"""Demonstrations in other programs' formats: LeRobot datasets, MCAP recordings, Open Pixel2Play's data."""

from __future__ import annotations

from typing import Literal

Form = Literal["lerobot", "mcap", "pixel2play"]
"""Formats in which a demonstration can be written."""
