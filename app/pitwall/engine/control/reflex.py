"""The reflex controller: drives a running game sense module at frame rate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pitwall.core.actions import NO_OP, Invalid, SemanticAction
from pitwall.core.clock import NS_PER_MS
from pitwall.core.frames import Pixels
from pitwall.core.observations import Value
from pitwall.engine.control.legality import ActionSpace, legal
from pitwall.gsm.contract import GameSenseModule


@dataclass(frozen=True, slots=True, kw_only=True)
class ReflexAction:
    """The module's action for one frame.

    Attributes:
        invalid: the module named an action outside the role's space; `action` is then the no-op.
        stays: it stays down as long as the controller's `held` names it.
    """

    module: str
    action: SemanticAction
    text: str
    invalid: Invalid | None = None
    stays: bool = False


class ReflexController:
    """Runs at most one module.

    Args:
        step_ms: while a module runs, one step is counted this often.
    """

    def __init__(self, space: ActionSpace, *, step_ms: float) -> None:
        self._space = space
        self._step_ns = int(step_ms * NS_PER_MS)
        self._module: GameSenseModule | None = None
        self._ended = ""
        self._next_step_ns = 0
        self._held: tuple[str, ...] = ()
        self._framed, self._unchanged = True, False

    @property
    def running(self) -> str:
        """Return the name of the module that drives, empty for none."""
        return self._module.name if self._module else ""

    @property
    def label(self) -> str:
        """Return the driving module and its version for the operator; empty for none."""
        if self._module is None:
            return ""
        return f"{self._module.name} · {self._module.provenance.origin}"

    @property
    def ended(self) -> str:
        """Return the name of the module that ended by itself since the last start or stop, else empty."""
        return self._ended

    @property
    def held(self) -> tuple[SemanticAction, ...]:
        """Return the actions that the running module keeps down; none once it ended or was stopped."""
        wanted = (legal(text, self._space) for text in self._held)
        return tuple(action for action in wanted if action is not None)

    @property
    def ready(self) -> bool:
        """Return whether the running module can act without a new frame.

        It can also act when the screen did not change during a whole step: a turn-based world waits for an
        action.
        """
        return self._module is not None and (self._module.ready or self._unchanged)

    def start(self, module: GameSenseModule, *, now_ns: int) -> None:
        """Let a module drive. A module that drives already continues undisturbed."""
        if self._module is module:
            return
        self.stop()
        module.begin()
        self._module = module
        self._framed, self._unchanged = True, False
        self._next_step_ns = now_ns + self._step_ns

    def stop(self) -> None:
        self._module = None
        self._ended = ""
        self._held = ()

    def frame(
        self, values: Mapping[str, Value], now_ns: int, pixels: Pixels | None = None
    ) -> ReflexAction | None:
        """Return the action for this frame; None for no action, or when no module drives (any more)."""
        self._framed, self._unchanged = True, False
        module = self._module
        if module is None:
            return None
        if module.ended(values):
            self.stop()
            self._ended = module.name
            return None
        text, before = module.act(values, now_ns, pixels), self._held
        self._held = module.held
        stays = text is None
        text = text or next((held for held in self._held if held not in before), None)
        if text is None:
            return None
        action = legal(text, self._space)
        return ReflexAction(
            module=module.name,
            action=action or NO_OP,
            text=text,
            invalid=None if action else Invalid.OUT_OF_SPACE,
            stays=stays,
        )

    @property
    def next_step_ns(self) -> int | None:
        """Return the time at which the running module's next step is due; None if no module runs."""
        return self._next_step_ns if self._module is not None else None

    def step_due(self, now_ns: int) -> bool:
        """Return whether the running module's next step is to be counted now."""
        return self._module is not None and now_ns >= self._next_step_ns

    def step_began(self, now_ns: int) -> None:
        """Count a step, due or not (a scene cut): the next is due `step_ms` later.

        A step that is counted a little late does not delay the following ones.
        """
        self._framed, self._unchanged = False, not self._framed
        late_ns = now_ns - self._next_step_ns
        on_time = 0 <= late_ns < self._step_ns // 2
        self._next_step_ns = (self._next_step_ns if on_time else now_ns) + self._step_ns
