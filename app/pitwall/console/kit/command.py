"""What the operator can do by name: the lines of the command palette."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One line of the command palette (Ctrl+P).

    Attributes:
        keys: how it is also reached, for the reader; empty for none.
        possible: whether it can be done now.
    """

    name: str
    run: Callable[[], object]
    keys: str = ""
    possible: Callable[[], bool] = lambda: True
