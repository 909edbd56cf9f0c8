"""Checks [[passages]]: each can be taken, and a pause can be told from play."""

from __future__ import annotations

from collections.abc import Iterator

from pitwall.core.errors import Fault
from pitwall.games.checks.actions import PartChecker
from pitwall.games.schema.passages import Passage


class PassageChecker(PartChecker):
    """Checks [[passages]]."""

    def faults(self) -> Iterator[Fault]:
        for passage in self._profile.passages:
            key = f"passages.{passage.name}"
            if passage.leaves == "paused" and not (
                passage.when or passage.steps[0].screen or self._profile.status.paused
            ):
                expected = f"status.{passage.leaves}, when, or a screen of its first step"
                yield self._blame.fault(key, "nothing shows when it starts", expected)
            yield from self._steps(key, passage)

    def _steps(self, key: str, passage: Passage) -> Iterator[Fault]:
        screen = self._profile.screen
        for number, step in enumerate(passage.steps, start=1):
            at = f"{key}.steps[{number}]"
            if bool(step.keys) == (step.click is not None):
                yield self._blame.fault(at, "must act in one way", "either keys or click")
            yield from self._blame.unknown_keys(f"{at}.keys", step.keys)
            if step.click is not None:
                yield from self._blame.outside(f"{at}.click", (*step.click, 1, 1), screen)
            if step.screen:
                yield from self._file_there(f"{at}.screen", step.screen)
