"""The `pitwall gsm` commands that the lab starts, as their words. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

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


class CommandLines:
    """Makes the words of a command for one module, named as `ModuleFacts.named`.

    Args:
        data: the data folder that the command works on.
    """

    def __init__(self, data: DataFolder) -> None:
        self._data = data

    def train(self, module: str, order: TrainingOrder) -> list[str]:
        """A training that outlives the window."""
        words = self._of("train", module)
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
        for option, text in (("--ray", order.ray), ("--title", order.title), ("--why", order.why)):
            if text:
                words += [option, text]
        return [*words, "--detach"]

    def resume(self, module: str, version: str) -> list[str]:
        """Go on with a training that is not running any more."""
        return [*self._of("train", module), "--resume", version, "--detach"]

    def rein(self, wish: Literal["pause", "resume", "stop"], module: str, version: str) -> list[str]:
        """Steer a training that runs."""
        return self._of(wish, module, version)

    def promote(self, module: str, version: str, *, anyway: bool = False, why: str = "") -> list[str]:
        words = self._of("promote", module, version)
        return words + (["--force"] if anyway else []) + (["--why", why] if why else [])

    def roll_back(self, module: str, why: str = "") -> list[str]:
        return self._of("rollback", module) + (["--why", why] if why else [])

    def check_reward(self, module: str, file: Path) -> list[str]:
        return self._of("check-reward", module, str(file))

    def analyse(self, module: str, version: str) -> list[str]:
        return self._of("analyse", module, version)

    def improve(
        self,
        module: str,
        by: Literal["model", "operator", "rules"],
        *,
        change: Path | None = None,
        more: Sequence[str] = (),
    ) -> list[str]:
        words = [*self._of("improve", module), "--by", by, *more]
        return words + (["--change", str(change)] if change is not None else [])

    def evaluate(
        self, module: str, version: str, where: Literal["twin", "screen"], *, runs: int, trial: str = ""
    ) -> list[str]:
        words = [*self._of("evaluate", module), "--version", version, "--runs", str(runs)]
        return [*words, "--on", where, *(["--trial", trial] if trial else [])]

    def measure(self, module: str) -> list[str]:
        return self._of("measure", module)

    def _of(self, command: str, module: str, *more: str) -> list[str]:
        return ["gsm", command, module, *more, "--data", str(self._data.root)]
