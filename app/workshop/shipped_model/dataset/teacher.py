"""The teacher: writes the decisions of the skill planner and the rules as a model's replies.

Every reply can be read from its prompt. If a skill applies, it is the skill planner's choice. Otherwise (the
layer is off) it is what memory hints at, then the plan in force, a module, or a legal action that has not
failed. Without a planner a skill's first action replaces the skill's name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pitwall.core.actions import Effect, SemanticAction
from pitwall.core.calls import Purpose
from pitwall.core.signals import Failure
from pitwall.engine.control.legality import legal
from pitwall.engine.control.model_caller import CompletionRequest
from pitwall.engine.control.model_reactor import actions_in_turn
from pitwall.engine.control.planner import PlanRequest
from pitwall.engine.control.reactor import ReactRequest
from pitwall.engine.control.workflows.scene import going_well, left_to_try
from pitwall.engine.control.workflows.workflow import listed_skills
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.memory.prompt.skills import UsableSkill
from pitwall.models.replies.plan import MOST_STEPS, SITUATION_LENGTH, SUBGOAL_LENGTH
from pitwall.models.replies.reply_object import clean

USUAL_STEPS, REMEMBERED_STEPS = 8, 4
_NOTHING = "nothing known"
_HINT = re.compile(r"'([^']+)' (worked|failed)")


@dataclass(frozen=True, slots=True, kw_only=True)
class TeacherPlan:
    """The parts of a plan's reply.

    Attributes:
        skill: name of the skill to carry out. keep: the plan in force continues. Otherwise the plan is
            written out.
    """

    skill: str = ""
    keep: bool = False
    situation: str = ""
    subgoal: str = ""
    actions: tuple[str, ...] = ()
    module: str = ""
    stop: str = ""
    steps: int = USUAL_STEPS

    def reply(self, *, modules: bool) -> str:
        """Write the reply as a model would. modules: some may be started now, so a written plan names one."""
        if self.skill:
            return _json({"skill": self.skill})
        if self.keep:
            return _json({"keep": True})
        parts: dict[str, object] = {
            "situation": self.situation,
            "subgoal": self.subgoal,
            "actions": list(self.actions),
            **({"module": self.module} if modules else {}),
            "stop": self.stop,
            "steps": self.steps,
        }
        return _json(parts)


REMEMBERED = TeacherPlan(situation="as remembered", subgoal="do what worked", steps=REMEMBERED_STEPS)
TRY_LEGAL = TeacherPlan(situation=_NOTHING, subgoal="try what is legal")
LEFT_TO_A_MODULE = TeacherPlan(situation=_NOTHING, subgoal="let it play", steps=MOST_STEPS)
WRITTEN_PLANS = (REMEMBERED, TRY_LEGAL, LEFT_TO_A_MODULE)
"""Plans without a skill; an action or a module read from the prompt is filled in."""
ESCALATION = "no action serves the subgoal"
UNKNOWN = "find out what can be done"


class Teacher:
    """Answers for one game.

    Args:
        space: the legal actions.
        skills: those that prompts may list.
        alone: without a planner: every reaction is an action.
    """

    def __init__(self, space: Vocabulary, skills: Sequence[UsableSkill], *, alone: bool = False) -> None:
        self._space = space
        self._skills = {skill.skill.name: skill for skill in skills}
        self._alone = alone

    def plan(self, ask: CompletionRequest, request: PlanRequest, offered: Sequence[str]) -> str:
        """Reply to a request for a plan.

        The skill planner has ordered the skills in the prompt, so the first is its choice.

        Args:
            offered: modules that may be started now.
        """
        if ask.purpose is Purpose.REFLECT:
            return reflection(request)
        listed = listed_skills(ask.prompt)
        if ask.purpose is Purpose.INFER:
            return _json({"text": f"Next: {_plain(listed[0], SUBGOAL_LENGTH) if listed else UNKNOWN}."})
        plan = TeacherPlan(skill=listed[0]) if listed else self._without_skills(request, offered)
        return plan.reply(modules=bool(offered))

    def react(self, ask: CompletionRequest, request: ReactRequest) -> str:
        """Reply to a reactive call."""
        if self._alone:
            return _json({"action": self._unplanned(ask, request)})
        action = self._reaction(request)
        if action is None:
            return _json({"escalate": ESCALATION})
        return _json({"action": str(action)})

    # ---- plans

    def _without_skills(self, request: PlanRequest, offered: Sequence[str]) -> TeacherPlan:
        failed = {note.action for note in request.trace}
        hinted = self._hinted(request.hints)
        if hinted is not None and str(hinted) not in failed:
            return replace(REMEMBERED, actions=(str(hinted),))
        if going_well(request):
            return TeacherPlan(keep=True)
        if offered:
            return replace(LEFT_TO_A_MODULE, module=min(offered))
        return replace(TRY_LEGAL, actions=left_to_try(request.trace, self._space)[:1])

    def _hinted(self, hints: Sequence[str]) -> SemanticAction | None:
        """Return the first legal action that a hint says has worked."""
        for hint in hints:
            match = _HINT.search(hint)
            if match is not None and match.group(2) == "worked":
                action = legal(match.group(1), self._space)
                if action is not None:
                    return action
        return None

    # ---- reactions

    def _reaction(self, request: ReactRequest) -> SemanticAction | None:
        """Choose the plan's next action, or the memory's hint if the last action had no effect."""
        candidates = request.proposal.candidates if request.proposal is not None else ()
        hinted = self._hinted(request.hints)
        if not candidates:
            return hinted
        upcoming = candidates[request.candidate % len(candidates)]
        corrects = request.override and request.last_effect is Effect.UNVERIFIED
        return hinted if corrects and hinted is not None else upcoming

    def _unplanned(self, ask: CompletionRequest, request: ReactRequest) -> str:
        """Choose without a planner: the prompt's first skill, else a hinted or untried action."""
        listed = listed_skills(ask.prompt)
        if listed:
            return str(self._skills[listed[0]].first(request.values, self._space))
        hinted = self._hinted(request.hints)
        return str(hinted) if hinted is not None else actions_in_turn(request, self._space)[0]


def reflection(request: PlanRequest) -> str:
    """Reflect on the last action from the fields, the trace and the failure level."""
    last = request.history[-1] if request.history else None
    effect = last is not None and last.effect is Effect.CONFIRMED
    cause = request.trace[-1].problem if request.trace else ""
    level = request.signals.failure
    parts = {
        "effect": effect,
        "cause": _plain(cause, SITUATION_LENGTH),
        "next": "go on" if effect and level is Failure.NONE else "try something else",
        "done": False,
        "failure": int(level),
        "confidence": 0.9 if effect else 0.5,
    }
    return _json(parts)


# ---- texts


def _plain(text: str, most: int) -> str:
    """Reduce a text to what replies may hold: printable ASCII without quotes and backslashes."""
    plain = "".join(sign for sign in clean(text, most) if " " <= sign <= "~" and sign not in '"\\')
    return plain.strip() or "-"


def _json(reply: Mapping[str, object]) -> str:
    return json.dumps(reply, separators=(",", ":"))
