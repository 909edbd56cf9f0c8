"""The `pitwall gsm` commands that the lab starts, as their words. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pitwall.console.pages.lab_facts import ModuleKey
from pitwall.core.paths import DataFolder


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingOrder:
    """A training as the operator ordered it.

    Attributes:
        source: the version it begins from; empty: from nothing.
        reward: file of the reward function; None: the version's own.
        settings: changed values of the recipe, KEY=VALUE. workers: processes beside the trainer's own.
        ray: address of a Ray cluster; empty: this machine.
    """

    source: str = ""
    reward: Path | None = None
    settings: tuple[str, ...] = ()
    seed: int | None = None
    workers: int = 0
    ray: str = ""
    title: str = ""
    why: str = ""


class Commands:
    """Makes the words of a command for one module.

    Args:
        data: the data folder that the command works on.
    """

    def __init__(self, data: DataFolder) -> None:
        self._data = data

    def train(self, key: ModuleKey, order: TrainingOrder) -> list[str]:
        """A training that outlives the window."""
        words = self._of("train", key)
        if order.source:
            words += ["--from", order.source]
        if order.reward is not None:
            words += ["--reward", str(order.reward)]
        for setting in order.settings:
            words += ["--set", setting]
        if order.seed is not None:
            words += ["--seed", str(order.seed)]
        if order.workers:
            words += ["--workers", str(order.workers)]
        if order.ray:
            words += ["--ray", order.ray]
        return [*words, "--detach"]

    def resume(self, key: ModuleKey, version: str) -> list[str]:
        """Go on with a training that is not running any more."""
        return [*self._of("train", key), "--resume", version, "--detach"]

    def rein(self, wish: Literal["pause", "resume", "stop"], key: ModuleKey, version: str) -> list[str]:
        """Steer a training that runs."""
        return self._of(wish, key, version)

    def promote(self, key: ModuleKey, version: str, *, anyway: bool = False, why: str = "") -> list[str]:
        words = self._of("promote", key, version)
        return words + (["--anyway"] if anyway else []) + (["--why", why] if why else [])

    def roll_back(self, key: ModuleKey, why: str = "") -> list[str]:
        return self._of("rollback", key) + (["--why", why] if why else [])

    def check_reward(self, key: ModuleKey, file: Path) -> list[str]:
        return self._of("check-reward", key, str(file))

    def analyse(self, key: ModuleKey, version: str) -> list[str]:
        return self._of("analyse", key, version)

    def improve(
        self,
        key: ModuleKey,
        by: Literal["model", "operator", "rules"],
        *,
        change: Path | None = None,
        more: Sequence[str] = (),
    ) -> list[str]:
        words = [*self._of("improve", key), "--by", by, *more]
        return words + (["--change", str(change)] if change is not None else [])

    def evaluate(
        self, key: ModuleKey, version: str, where: Literal["twin", "screen"], *, runs: int, trial: str = ""
    ) -> list[str]:
        words = [*self._of("evaluate", key), "--version", version, "--runs", str(runs)]
        words += ["--trial", trial] if trial else []
        return words + (["--twin"] if where == "twin" else [])

    def measure(self, key: ModuleKey) -> list[str]:
        return self._of("measure", key)

    def _of(self, command: str, key: ModuleKey, *more: str) -> list[str]:
        return ["gsm", command, str(key), *more, "--data", str(self._data.root)]
