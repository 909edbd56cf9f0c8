"""The local thread: a model's last plans within one fight, so that they hang together (SPEC §4)."""

from __future__ import annotations

import json
from collections import deque

from pitwall.core.observations import GameStatus
from pitwall.core.prompts import Layer, Message, Span
from pitwall.engine.control.planner import PlanRequest
from pitwall.models.replies.plan import PlanDraft

_MOST_ROUNDS = 10


class PlanHistory:
    """Earlier rounds of question and plan, newest last; over with the fight.

    A round holds the question in one line and the plan as it was understood: what was seen and done
    since stands in the state.
    """

    def __init__(self) -> None:
        self._rounds: deque[tuple[str, str]] = deque(maxlen=_MOST_ROUNDS)
        self._status: GameStatus | None = None

    def enter(self, request: PlanRequest) -> None:
        """A plan is asked for: another status, an end or a flush begins a new fight."""
        ended = request.flush or request.status is GameStatus.TERMINAL
        if ended or request.status is not self._status:
            self.clear()
        self._status = request.status

    def messages(self, most: int) -> tuple[Message, ...]:
        """Earlier messages, for a thread of at most `most` with the question of now."""
        rounds = list(self._rounds)[-((most - 1) // 2) :] if most >= 3 else []
        return tuple(message for question, plan in rounds for message in _messages(question, plan))

    def add(self, request: PlanRequest, draft: PlanDraft, *, modules: bool) -> None:
        """A round is over. modules: there are some, so plans say which."""
        reasons = ", ".join(reason.value for reason in request.reasons) or "no plan"
        question = f"Step {request.step}, {request.status.value}: {reasons}. Make the plan.\n"
        self._rounds.append((question, plan_as_text(draft, modules=modules)))

    def take_back(self) -> None:
        """The last plan was not taken up."""
        if self._rounds:
            self._rounds.pop()

    def clear(self) -> None:
        self._rounds.clear()


def plan_as_text(draft: PlanDraft, *, modules: bool) -> str:
    """A plan as a model writes it: what was understood of it, not what else the reply held."""
    plan: dict[str, object] = {"skill": draft.skill} if draft.skill else {"keep": True}
    if draft.skill or draft.keep:
        return json.dumps(plan, separators=(",", ":"))
    plan = {
        "situation": draft.situation,
        "subgoal": draft.subgoal,
        "actions": [str(action) for action in draft.actions],
        **({"module": draft.module} if modules else {}),
        "stop": draft.stop,
        "steps": draft.steps,
    }
    return json.dumps(plan, separators=(",", ":"))


def _messages(question: str, plan: str) -> tuple[Message, Message]:
    spans = [(Span(layer=Layer.STATE, text=text, item="thread"),) for text in (question, plan)]
    return Message(role="user", spans=spans[0]), Message(role="assistant", spans=spans[1])
