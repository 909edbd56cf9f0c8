"""Puts lessons to a model in the host, as a run would, and says whether it decides as the teacher does."""

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
    """A model's reply to a lesson, and how it came about.

    Attributes:
        right: it decides what the teacher's does.
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
        self.memory_bytes = next((one.memory_bytes for one in loaded.models if one.name == spec.name), 0)

    def ask(self, lesson: Lesson) -> Reply:
        """Its reply under the lesson's grammar, with the tier's own slot: the prefix stays cached.

        Raises:
            RequestFailed, ChildDied: it could not be asked.
        """
        said = self._client.answer(
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
            text=said.text,
            right=decision_in(purpose, said.text) == decision_in(purpose, lesson.reply),
            took_ms=said.took_ms,
            prompt_tokens=said.prompt_tokens,
            cached_tokens=said.cached_tokens,
        )


def decision_in(purpose: Purpose, text: str) -> Decision:
    """Read what counts of a reply: the skill that a plan names, that it keeps the one in force, or its
    subgoal, actions and module; a reaction's action or that it escalates; of other replies every word. Empty
    for a reply that cannot be read."""
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
