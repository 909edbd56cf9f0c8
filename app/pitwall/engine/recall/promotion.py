"""Decides which outcomes are sure enough to become long-term evidence (SPEC §3).

A success is sure by progress or by its declared `expect`. A mere change of the picture is not, unless it
leads from a failure to a sure success (a recovery), or the planner's reflection validates it.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import replace

from pitwall.engine.recall.write_rules import ActionOutcome
from pitwall.models.replies.plan import Reflection
from pitwall.store.run_metrics import RECOVERY_STEPS

_REMEMBERED = 8
"""Newest outcomes that a late reflection may still validate (choice)."""


class PromotionJudge:
    """Passes on one run's lessons, with what makes each of them sure.

    Args:
        learn: takes each lesson.
    """

    def __init__(self, learn: Callable[[ActionOutcome], None]) -> None:
        self._learn = learn
        self._unsure: deque[ActionOutcome] = deque(maxlen=_REMEMBERED)
        self._failed: deque[ActionOutcome] = deque(maxlen=_REMEMBERED)

    def note(self, lesson: ActionOutcome) -> None:
        """Take the outcome of a step."""
        step = lesson.step or 0
        self._failed = deque(
            (past for past in self._failed if step - (past.step or 0) <= RECOVERY_STEPS), _REMEMBERED
        )
        if not lesson.confidence:
            (self._unsure if lesson.success else self._failed).append(lesson)
            if not lesson.success:
                self._unsure.append(lesson)
            self._learn(lesson)
            return
        if not self._failed:
            self._learn(lesson)
            return
        first = self._failed[0].step or 0
        for way in [past for past in self._unsure if past.success and (past.step or 0) > first]:
            self._unsure.remove(way)
            self._learn(self._recovered(way, 1.0, known=True))
        self._learn(self._recovered(lesson, lesson.confidence))
        self._failed.clear()

    def reflected(self, step: int, verdict: Reflection) -> None:
        """Take the planner's reflection on a step: it validates an unsure outcome, or denies its effect."""
        judged = next((past for past in self._unsure if past.step == step), None)
        if judged is None:
            return
        self._unsure.remove(judged)
        if not verdict.effect:
            if judged.success:
                self._failed.append(judged)
            return
        evidence = "the planner's validation"
        self._learn(replace(judged, confidence=verdict.confidence, evidence=evidence, known=True))

    def _recovered(self, lesson: ActionOutcome, confidence: float, *, known: bool = False) -> ActionOutcome:
        here = Counter(past.action for past in self._failed if past.before == lesson.before)
        failed = tuple((action, times) for action, times in here.items() if action != lesson.action)
        return replace(
            lesson, confidence=confidence, evidence="a recovery after a failure", failed=failed, known=known
        )
