"""What the trainer's tests share."""

from __future__ import annotations

from tests.pitwall_lab.tiny_game import line, line_data, walk

__all__ = ["line", "line_data", "walk"]
