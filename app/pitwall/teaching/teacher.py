"""The teacher: what the skill planner and the rules would do, written as a model's replies.

Every reply can be read off its prompt. Where a skill applies it is the skill planner's choice; where none
does (the layer is off) what memory hints at, else the plan in force, a module, the legal actions in turn.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pitwall.core.actions import Effect, Proposal, SemanticAction
from pitwall.core.calls import Purpose
from pitwall.core.conditions import parse_condition
from pitwall.core.observations import GameStatus, Value
from pitwall.core.signals import Failure
from pitwall.engine.control.legality import legal, named_actions
from pitwall.engine.control.planner import Planner, PlanRequest
from pitwall.engine.control.reactor import ReactRequest
from pitwall.engine.control.thinking import LegalActions
from pitwall.memory.skill_text import UsableSkill
from pitwall.models.reading import clean
from pitwall.models.replies import MOST_ACTIONS, MOST_STEPS, SITUATION_LENGTH, SUBGOAL_LENGTH

USUAL_STEPS, REMEMBERED_STEPS = 8, 4
AS_REMEMBERED, AS_CAN_BE = "as remembered", "nothing known applies"
_HINT = re.compile(r"'([^']+)' (worked|failed)")
_NAME = re.compile(r"(not )?([a-z]\w*)")
_COMPARED = re.compile(
    r"(?:[a-z]\w*) (?:<|<=|>|>=|==|!=) (?:-?\d{1,4}(?:\.\d{1,2})?|true|false|none|'[a-z0-9][a-z0-9 ]{0,23}')"
)
_TWO = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a plan's reply says."""

    situation: str
    subgoal: str
    actions: tuple[str, ...] = ()
    module: str = ""
    stop: str = ""
    steps: int = USUAL_STEPS

    def reply(self, *, modules: bool) -> str:
        """As a model writes it. modules: some may be started now, so that every plan says which."""
        said: dict[str, object] = {
            "situation": _plain(self.situation, SITUATION_LENGTH),
            "subgoal": _plain(self.subgoal, SUBGOAL_LENGTH),
            "actions": list(self.actions),
            **({"module": self.module} if modules else {}),
            "stop": self.stop,
            "steps": self.steps,
        }
        return json.dumps(said, separators=(",", ":"))


class Teacher:
    """Answers for one game.

    Args:
        skills: the skill planner, as a run without a model has it.
        space: which actions are legal.
    """

    def __init__(self, skills: Planner, space: LegalActions) -> None:
        self._skills = skills
        self._space = space
        self._source = ""
        self._sources: dict[int, str] = {}

    def plan(
        self,
        request: PlanRequest,
        applying: Sequence[UsableSkill],
        offered: Sequence[str],
        *,
        told: bool = True,
    ) -> dict[Purpose, str]:
        """The replies to every call of one request.

        Args:
            applying: the skills that the prompt lists, in its order. told: they stand in the prompt.
            offered: modules that may be started now.
        """
        plan = self._planned(request, applying) if told else None
        plan = plan or self._without_skills(request, offered)
        return {
            Purpose.INFER: _said({"text": f"Next: {_plain(plan.subgoal, SUBGOAL_LENGTH)}."}),
            Purpose.REFLECT: reflection(request),
            Purpose.PLAN: plan.reply(modules=bool(offered)),
        }

    def react(self, request: ReactRequest, applying: Sequence[UsableSkill]) -> str:
        """The reply to a reactive call."""
        action = self._reaction(request, applying)
        if action is None:
            return _said({"escalate": "no action serves the subgoal"})
        return _said({"action": str(action)})

    # ---- plans

    def _planned(self, request: PlanRequest, applying: Sequence[UsableSkill]) -> Plan | None:
        """The skill planner's choice; None where it has none."""
        translated = self._translated(request)
        self._skills.request(translated)
        reply = self._skills.poll()
        assert reply is not None
        if reply.proposal is not None:
            self._source = reply.proposal.source
            return _of(reply.proposal, applying)
        if reply.keep and request.running is not None:
            return _kept(request.running)
        return None

    def _translated(self, request: PlanRequest) -> PlanRequest:
        """The request with the skill planner's own words for whose plan it was."""
        for note in request.trace:
            self._sources.setdefault(note.number, self._source)
        trace = tuple(
            replace(note, source=self._sources[note.number]) if note.source.startswith("model:") else note
            for note in request.trace
        )
        running = request.running
        if running is not None and running.source.startswith("model:"):
            running = replace(running, source=self._source)
        return replace(request, trace=trace, running=running)

    def _without_skills(self, request: PlanRequest, offered: Sequence[str]) -> Plan:
        failed = {note.action for note in request.trace}
        hinted = self._hinted(request.hints)
        if hinted is not None and str(hinted) not in failed:
            return Plan(
                situation=AS_REMEMBERED,
                subgoal=f"do {hinted.name}",
                actions=(str(hinted),),
                steps=REMEMBERED_STEPS,
            )
        if request.running is not None and not request.trace and not request.flush:
            return _kept(request.running)
        if offered and request.status is GameStatus.PLAYING:
            name = sorted(offered)[0]
            return Plan(situation=AS_CAN_BE, subgoal=f"let {name} play", module=name, steps=MOST_STEPS)
        names = [form.name for form in self._space.forms if legal(form.name, self._space) is not None]
        able = [name for name in names if name not in failed] or names
        return Plan(situation=AS_CAN_BE, subgoal="try what can be done", actions=tuple(able[:MOST_ACTIONS]))

    def _hinted(self, hints: Sequence[str], verdict: str = "worked") -> SemanticAction | None:
        """The first legal action of which a hint says so."""
        for hint in hints:
            found = _HINT.search(hint)
            if found is not None and found.group(2) == verdict:
                action = legal(found.group(1), self._space)
                if action is not None:
                    return action
        return None

    # ---- reactions

    def _reaction(self, request: ReactRequest, applying: Sequence[UsableSkill]) -> SemanticAction | None:
        candidates = request.proposal.candidates if request.proposal is not None else ()
        if candidates:
            upcoming = candidates[request.candidate % len(candidates)]
            if not request.override:
                return upcoming
            hinted = self._hinted(request.hints)
            if request.last_effect is Effect.UNVERIFIED and hinted is not None:
                return hinted
            if self._hinted(request.hints, "failed") == upcoming and len(candidates) > 1:
                return candidates[(request.candidate + 1) % len(candidates)]
            return upcoming
        hinted = self._hinted(request.hints)
        if hinted is not None:
            return hinted
        for one in applying:
            actions = _named(one, request.values, self._space)
            if actions:
                return actions[0]
        return None


def reflection(request: PlanRequest) -> str:
    """What became of the last action: as the fields, the trace and the failure level say."""
    last = request.history[-1] if request.history else None
    effect = last is not None and last.effect is Effect.CONFIRMED
    cause = request.trace[-1].problem if request.trace else ""
    level = request.signals.failure
    said = {
        "effect": effect,
        "cause": _plain(cause, SITUATION_LENGTH),
        "next": "go on" if effect and level is Failure.NONE else "try something else",
        "done": False,
        "failure": int(level),
        "confidence": 0.9 if effect else 0.5,
    }
    return _said(said)


# ---- parts


def _of(proposal: Proposal, applying: Sequence[UsableSkill]) -> Plan:
    """A fired skill's proposal as its line in the prompt lets it be written."""
    name = proposal.source.partition(":")[2]
    skill = next((one.skill for one in applying if one.skill.name == name), None)
    actions = tuple(str(action) for action in proposal.candidates[:MOST_ACTIONS])
    steps = USUAL_STEPS
    if proposal.module:
        steps = MOST_STEPS
    elif skill is not None and any(text.startswith("{") for text in skill.actions):
        steps = len(actions)
    elif not proposal.stop:
        steps = min(MOST_STEPS, proposal.steps)
    return Plan(
        situation=name,
        subgoal=proposal.subgoal,
        actions=actions,
        module=proposal.module,
        stop=stop_of(proposal.stop),
        steps=steps,
    )


def _kept(running: Proposal) -> Plan:
    """The plan in force once more."""
    return Plan(
        situation=running.situation or running.subgoal,
        subgoal=running.subgoal,
        actions=tuple(str(action) for action in running.candidates[:MOST_ACTIONS]),
        module=running.module,
        stop=stop_of(running.stop),
        steps=MOST_STEPS if running.module else USUAL_STEPS,
    )


def stop_of(condition: str) -> str:
    """A condition as the grammar of replies lets it be written; empty where it cannot be."""
    joined = re.split(r" (and|or) ", condition.strip())
    if not condition or len(joined) > 2 * _TWO - 1:
        return ""
    for at in range(0, len(joined), 2):
        name = _NAME.fullmatch(joined[at])
        if name is not None:
            joined[at] = f"{name.group(2)} == {'false' if name.group(1) else 'true'}"
        elif _COMPARED.fullmatch(joined[at]) is None:
            return ""
    return parse_condition(" ".join(joined)).text


def _named(one: UsableSkill, values: Mapping[str, Value], space: LegalActions) -> list[SemanticAction]:
    named = [part for text in one.actions for part in named_actions(text, values)]
    return [action for text in named if (action := legal(text, space)) is not None]


def _plain(text: str, most: int) -> str:
    """A text as replies may hold it: printable ASCII without quotes and backslashes."""
    plain = "".join(sign for sign in clean(text, most) if " " <= sign <= "~" and sign not in '"\\')
    return plain.strip() or "-"


def _said(reply: Mapping[str, object]) -> str:
    return json.dumps(reply, separators=(",", ":"))
