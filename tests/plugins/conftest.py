"""The bundled games' own modules, importable as their programs import them."""

from __future__ import annotations

import sys
from pathlib import Path

_PLUGINS = Path(__file__).resolve().parents[2] / "plugins"
sys.path[:0] = [str(_PLUGINS / name) for name in ("flappy", "crafter", "arena", "shooting")]
