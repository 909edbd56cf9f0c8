"""Rule-based game sense modules: they play by the rules of a manifest's `[[modules]]` table."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from pitwall.core.clock import NS_PER_MS
from pitwall.core.conditions import Condition, parse_condition
from pitwall.core.errors import ConditionError, PitwallError
from pitwall.core.frames import Pixels
from pitwall.core.observations import Value
from pitwall.games.schema.modules import Module
from pitwall.gsm.contract import Provenance


class RuleModule:
    """Acts by the first rule that holds and is not cooling down. A `GameSenseModule`; it keeps nothing down.

    Args:
        module: as the manifest declares it.
        fields: names of the profile's state-reader fields.
        origin: the manifest, for its provenance.

    Raises:
        ConditionError: a condition does not parse or names an unknown field; names module and rule.
    """

    held: tuple[str, ...] = ()
    ready = False
    problem: PitwallError | None = None

    def __init__(self, module: Module, fields: frozenset[str], *, origin: str = "manifest") -> None:
        self.name = module.name
        self.description = module.description
        self.actions = tuple(dict.fromkeys(rule.action for rule in module.rules))
        digest = hashlib.sha256(module.model_dump_json(exclude={"description"}).encode()).hexdigest()
        self.provenance = Provenance(kind="rules", origin=origin, version=digest[:12])
        self._ends = _parse(module.ends, fields, f"module {module.name!r}, ends")
        self._rules = tuple(
            (
                _parse(rule.when, fields, f"module {module.name!r}, rule {number}"),
                rule.action,
                rule.cooldown_ms * NS_PER_MS,
            )
            for number, rule in enumerate(module.rules, start=1)
        )
        self.fields = self._ends.fields.union(*(when.fields for when, _, _ in self._rules)) - {"status"}
        self._ready_ns: dict[int, int] = {}

    def begin(self) -> None:
        """End the cooldowns of an earlier start."""
        self._ready_ns.clear()

    def act(self, values: Mapping[str, Value], now_ns: int, pixels: Pixels | None = None) -> str | None:  # noqa: ARG002
        """See `GameSenseModule.act`. A rule's cooldown starts with the frame on which it acted."""
        for number, (when, action, cooldown_ns) in enumerate(self._rules):
            if now_ns >= self._ready_ns.get(number, now_ns) and when.holds(values):
                self._ready_ns[number] = now_ns + cooldown_ns
                return action
        return None

    def ended(self, values: Mapping[str, Value]) -> bool:
        """Return whether `ends` holds on these values; True where the module has no rules."""
        return not self._rules or self._ends.holds(values)


def _parse(text: str, fields: frozenset[str], where: str) -> Condition:
    try:
        return parse_condition(text, fields)
    except ConditionError as error:
        raise ConditionError(f"{where}: {error.what}", error.fix) from None
