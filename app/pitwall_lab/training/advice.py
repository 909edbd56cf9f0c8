"""Advises a policy that learns with the actions of its module's own rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from pitwall.core.paths import DataFolder
from pitwall.core.steps import ReflexRecord
from pitwall.games.schema.modules import Learned
from pitwall.gsm.rule_module import RuleModule
from pitwall.gsm.version_record import VersionRecord
from pitwall.gsm.versions import ModuleFolder
from pitwall_lab.algorithms.double_dqn import DoubleDQN
from pitwall_lab.algorithms.policy_network import NO_ACTION
from pitwall_lab.rewards.reward_function import RewardFunction
from pitwall_lab.training.decision_memory import Advice


class ShownSource(Protocol):
    """Reads shown play into a learner (`live.shown_play`)."""

    def begin(self, *, learn: bool) -> str:
        """Read everything, learn from it where that is wanted, and return a sentence about it."""
        ...

    def turn(self) -> str:
        """Take in play that was recorded since; name it, or return an empty text."""
        ...

    def save(self) -> list[str]:
        """Return the names of what it read, for the checkpoint."""
        ...

    def load(self, saved: Sequence[str] | None) -> None:
        """Take in what `save` returned; None: the checkpoint is from before it was kept."""
        ...


class ShowsPlay(Protocol):
    """Makes a source of shown play."""

    def __call__(
        self,
        data: DataFolder,
        folder: ModuleFolder,
        about: VersionRecord,
        learner: DoubleDQN,
        reward: RewardFunction,
        advise: Advice | None,
        should_stop: Callable[[], bool],
    ) -> ShownSource:
        """Make the source of a version that learns."""
        ...


def rule_advice(folder: ModuleFolder, learned: Learned) -> Advice | None:
    """Return what the module's own rules would do; None where they have no say among its actions."""
    declared = folder.declared
    actions = {text: number for number, text in enumerate(learned.actions)}
    if not any(rule.action in actions for rule in declared.rules):
        return None
    rules = RuleModule(declared, frozenset(field.name for field in folder.game.profile.fields))
    start = 0

    def advise(record: ReflexRecord) -> int:
        nonlocal start
        if record.start != start:
            rules.begin()
            start = record.start
        return actions.get(rules.act(record.values, record.at_ns) or "", NO_ACTION)

    return advise
