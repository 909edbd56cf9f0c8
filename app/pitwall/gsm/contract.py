"""The engine's contract with a game sense module, whether it plays by rules or by a policy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from pitwall.core.errors import PitwallError
from pitwall.core.frames import Pixels
from pitwall.core.observations import Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """The origin of a module, so that a run records exactly which version drove.

    Attributes:
        kind: rules written by hand, or a policy that was trained.
        origin: the manifest or the training run it came from.
        version: changes whenever its behaviour can: for rules a hash of their contents.
    """

    kind: Literal["rules", "policy"]
    origin: str
    version: str


class GameSenseModule(Protocol):
    """A routine that the plan starts and that then acts on every frame until it ends.

    It gets times from its caller and does no input or output, so a recorded run can be replayed
    through it. A call must take much less than a frame: it runs inside the engine's loop.
    """

    @property
    def name(self) -> str:
        """Return the name that skills use."""
        ...

    @property
    def provenance(self) -> Provenance: ...

    @property
    def fields(self) -> frozenset[str]:
        """Return the state-reader fields that it reads."""
        ...

    @property
    def actions(self) -> tuple[str, ...]:
        """Return every action text that `act` and `held` may name, as the profile's vocabulary spells it."""
        ...

    @property
    def held(self) -> tuple[str, ...]:
        """Return the actions that stay down until a later `act` changes this or the module ends."""
        ...

    @property
    def ready(self) -> bool:
        """Return whether an answer to an earlier frame has arrived; then `act` should be called at once."""
        ...

    @property
    def problem(self) -> PitwallError | None:
        """Return why it cannot play any more; None if it can."""
        ...

    def begin(self) -> None:
        """Forget everything of an earlier start, because the plan starts it again."""
        ...

    def act(self, values: Mapping[str, Value], now_ns: int, pixels: Pixels | None = None) -> str | None:
        """Return the action that begins on this frame, or None; `held` then names the actions that stay down.

        Args:
            values: field name → value, including `status`; None where a field was not read.
            now_ns: monotonic nanoseconds, never less than at the call before.
            pixels: of the frame, (height, width, 4) BGRX; only modules with vision need them.
        """
        ...

    def ended(self, values: Mapping[str, Value]) -> bool:
        """Return whether its end condition holds."""
        ...
