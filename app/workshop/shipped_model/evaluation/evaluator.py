"""Asks a model in the host for replies to lessons, as in a run, and compares them with the teacher's."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from pitwall.core.calls import Purpose
from pitwall.models.host_client import HostClient
from pitwall.models.host_requests import Complete, Completed, Loaded, LoadModel, Priority
from pitwall.models.spec import ModelSpec
from workshop.shipped_model.dataset.prompt_recorder import Lesson

_MOST_TOKENS = 256
Decision = tuple[Any, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A model's reply to a lesson, with its costs.

    Attributes:
        right: it decides the same as the teacher's reply.
    """

    lesson: Lesson
    text: str
    right: bool
    took_ms: float
    prompt_tokens: int
    cached_tokens: int

    @property
    def decision(self) -> Decision:
        return decision_in(self.lesson.purpose, self.text)


class Evaluator:
    """Asks one model."""

    def __init__(self, client: HostClient, spec: ModelSpec) -> None:
        self._client, self._spec = client, spec
        request = LoadModel(request_id=client.number(), model=spec)
        loaded = client.answer(request, kind=Loaded)
        self.memory_bytes = next(
            (model.memory_bytes for model in loaded.models if model.name == spec.name), 0
        )

    def ask(self, lesson: Lesson) -> Reply:
        """Ask for a reply under the lesson's grammar, in the tier's own slot, where the prefix stays cached.

        Raises:
            RequestFailed, ChildDied: it could not be asked.
        """
        completed = self._client.answer(
            Complete(
                request_id=self._client.number(),
                model=self._spec,
                messages=lesson.prompt.messages,
                slot=lesson.purpose.tier.value,
                grammar=lesson.grammar,
                max_tokens=_MOST_TOKENS,
                deadline_ms=60_000,
                priority=Priority.REACTIVE if lesson.purpose is Purpose.REACT else Priority.STRATEGIC,
                stream=False,
            ),
            kind=Completed,
        )
        purpose = lesson.purpose
        return Reply(
            lesson=lesson,
            text=completed.text,
            right=decision_in(purpose, completed.text) == decision_in(purpose, lesson.reply),
            took_ms=completed.took_ms,
            prompt_tokens=completed.prompt_tokens,
            cached_tokens=completed.cached_tokens,
        )


def decision_in(purpose: Purpose, text: str) -> Decision:
    """Read the decision in a reply; empty if it cannot be read.

    For a plan: its skill, that it keeps the plan in force, or its subgoal, actions and module. For a
    reaction: its
    action, or that it escalates. For other replies every word.
    """
    try:
        reply = json.loads(text)
    except ValueError:
        return ()
    match purpose:
        case Purpose.PLAN if "skill" in reply or "keep" in reply:
            return tuple(reply.items())
        case Purpose.PLAN:
            return (reply["subgoal"], *reply["actions"], reply.get("module", ""))
        case Purpose.REACT:
            return (reply.get("action"),)
        case Purpose.REFLECT:
            return (reply["effect"], reply["done"], reply["failure"])
    return tuple(sorted(reply.items()))
