"""Defines a game sense module for the engine, whether its actions come from rules or were learned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from pitwall.core.errors import PitwallError
from pitwall.core.frames import Pixels
from pitwall.core.observations import Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Names the origin of a module, so that a run says exactly which version drove.

    Attributes:
        kind: rules written by hand, or a policy that was trained.
        origin: the manifest or the training run it came from.
        version: changes whenever its behaviour can: for rules a hash of what they say.
    """

    kind: Literal["rules", "policy"]
    origin: str
    version: str


class GameSenseModule(Protocol):
    """A routine that the plan starts and that then acts on every frame until it ends.

    It takes times from its caller and does no input or output, so a recorded run can be replayed
    through it. One call must stay well under a frame: it runs inside the engine's loop.
    """

    @property
    def name(self) -> str:
        """Return the name that skills use."""
        ...

    @property
    def provenance(self) -> Provenance: ...

    @property
    def fields(self) -> frozenset[str]:
        """State-reader fields it reads."""
        ...

    @property
    def actions(self) -> tuple[str, ...]:
        """Every action text that `act` and `held` may name, as the profile's vocabulary spells it."""
        ...

    @property
    def held(self) -> tuple[str, ...]:
        """Actions that stay down from now on, until a later `act` changes it or the module ends."""
        ...

    @property
    def ready(self) -> bool:
        """Whether an answer to an earlier frame has come, so that `act` is to be called without a new one."""
        ...

    @property
    def problem(self) -> PitwallError | None:
        """Why it can play no more; None where it can."""
        ...

    def begin(self) -> None:
        """Forget everything of an earlier start: the plan starts it anew."""
        ...

    def act(self, values: Mapping[str, Value], now_ns: int, pixels: Pixels | None = None) -> str | None:
        """The action that begins on this frame, or None for none; what stays down says `held` afterwards.

        Args:
            values: field name → value, `status` among them; None where a field was not read.
            now_ns: monotonic nanoseconds, never less than at the call before.
            pixels: of the frame, (height, width, 4) BGRX; only modules with vision need them.
        """
        ...

    def ended(self, values: Mapping[str, Value]) -> bool:
        """Whether its end condition holds."""
        ...
