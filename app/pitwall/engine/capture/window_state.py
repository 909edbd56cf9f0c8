"""Defines a window's state at one look, and the error for a window whose own pixels cannot be captured."""

from __future__ import annotations

from dataclasses import dataclass

from pitwall.core.errors import PitwallError
from pitwall.core.geometry import WindowHealth, WindowRef


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowState:
    """Holds a window's state at one look.

    Attributes:
        depth: bits of colour a pixel.
        border: width in pixels of the border that X itself draws around the client area.
        visual: X visual id, 0 where there is no such thing.
    """

    window: WindowRef
    health: WindowHealth
    depth: int = 24
    border: int = 0
    visual: int = 0


class CaptureUnsupported(PitwallError):
    """This system cannot give a window's own pixels."""
