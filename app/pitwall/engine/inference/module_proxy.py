"""Presents a module to the controllers, while the version behind it is exchanged between two frames."""

from __future__ import annotations

from collections.abc import Mapping

from pitwall.core.errors import PitwallError
from pitwall.core.frames import Pixels
from pitwall.core.observations import Value
from pitwall.games.schema.modules import Module
from pitwall.gsm.contract import GameSenseModule, Provenance
from pitwall.gsm.policy_module import PolicyModule


class ModuleProxy:
    """Represents one module of a game, whatever version plays; a `GameSenseModule`."""

    def __init__(self, declared: Module) -> None:
        self.name = declared.name
        self._inside: GameSenseModule | None = None
        self._running = False

    @property
    def provenance(self) -> Provenance:
        if self._inside is None:
            return Provenance(kind="rules", origin="nothing", version="")
        return self._inside.provenance

    @property
    def fields(self) -> frozenset[str]:
        return self._inside.fields if self._inside is not None else frozenset()

    @property
    def actions(self) -> tuple[str, ...]:
        return self._inside.actions if self._inside is not None else ()

    @property
    def held(self) -> tuple[str, ...]:
        return self._inside.held if self._inside is not None else ()

    @property
    def ready(self) -> bool:
        return self._inside is not None and self._inside.ready

    @property
    def problem(self) -> PitwallError | None:
        return self._inside.problem if self._inside is not None else None

    def exchange(self, inside: GameSenseModule) -> None:
        """Let another version play, from the next frame on; a newer policy of the same version goes on."""
        before, self._inside = self._inside, inside
        if not self._running:
            return
        if type(inside) is PolicyModule and type(before) is PolicyModule and before.is_version_of(inside):
            inside.follow_on(before)
        else:
            inside.begin()

    def begin(self) -> None:
        self._running = True
        if self._inside is not None:
            self._inside.begin()

    def act(self, values: Mapping[str, Value], now_ns: int, pixels: Pixels | None = None) -> str | None:
        return self._inside.act(values, now_ns, pixels) if self._inside is not None else None

    def ended(self, values: Mapping[str, Value]) -> bool:
        """Return whether it ended; a module without a version is over at once."""
        return self._inside.ended(values) if self._inside is not None else True
