"""The route timeline: which controller drives, reported as it changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from pitwall.core.clock import now_ns
from pitwall.core.signals import Route
from pitwall.core.telemetry import RouteSpan

RouteState = Literal["", "thinking", "waiting"]


class RouteTimeline:
    """Knows who drives."""

    def __init__(self, tell: Callable[[Any], None]) -> None:
        self._tell = tell
        self._state: RouteState = ""
        self.route: Route | None = None

    def drive(self, route: Route | None, *, module: bool = False) -> None:
        """Tell who drives; a module goes on at once where a plan lets it."""
        self.show(route, "")
        self.show(Route.REFLEX if module and route is not None else route, "")

    def show(self, route: Route | None, state: RouteState) -> None:
        """A stretch begins, unless it is the one that is on."""
        if (self.route, self._state) != (route, state):
            self.route, self._state = route, state
            self._tell(RouteSpan(at_ns=now_ns(), route=route, state=state))
