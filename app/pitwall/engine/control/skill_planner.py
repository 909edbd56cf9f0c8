"""The skill planner: the strategic controller without a model. It fires stored skills (layer L5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from pitwall.core.actions import SKILL_SOURCE, Proposal, SemanticAction
from pitwall.core.conditions import Condition, parse_condition
from pitwall.core.errors import ConditionError
from pitwall.core.observations import Value
from pitwall.engine.control.legality import ActionSpace, legal_actions
from pitwall.engine.control.planner import PlanReply, PlanRequest
from pitwall.games.schema.profile import Skill, field_of
from pitwall.gsm.contract import GameSenseModule

MOST_BEHIND = 8
"""Proposals of others at most before one that failed again and again has its turn (choice)."""


@dataclass(slots=True, eq=False)
class _Stored:
    """A skill, ready to fire, and what is known of it in this run.

    Attributes:
        candidates: the legal ones of its actions, where none of them comes from a field.
        fields: the fields that name its actions as it fires; empty for none.
        fired: serial number of its last firing, 0 for never.
        ready_step: first step in which it is not cooling down.
        failures: how often in a row it failed, stalled or looped without progress between.
        behind: proposals of others to be tried to their end before it.
    """

    skill: Skill
    when: Condition
    stop: Condition | None
    module: GameSenseModule | None
    candidates: tuple[SemanticAction, ...]
    fields: tuple[str, ...] = ()
    fired: int = 0
    ready_step: int = 0
    failures: int = 0
    behind: int = 0

    @property
    def source(self) -> str:
        return SKILL_SOURCE + self.skill.name

    def applies(self, values: Mapping[str, Value]) -> bool:
        if self.stop is not None and self.stop.holds(values):
            return False
        if self.module is not None and self.module.ended(values):
            return False
        return self.when.holds(values)


class SkillPlanner:
    """Fires the highest-priority skill whose trigger holds; a `Planner`.

    A skill applies when its `when` holds, its `stop` and its module's end do not, and it is not
    cooling down (counted from the step it fired in). One that failed, stalled or looped, or whose
    every action just did, is put back behind all others that apply until another was tried to its
    end: after the n-th failure in a row, n proposals of others, at most eight. Among equal
    priorities the one fired longest ago goes first, but goes on while one is put back. So an agent
    that walks into a corner turns left, walks; turns right twice, walks; turns left three times: a
    widening sweep, where single turns would undo each other. A running proposal whose skill still
    applies, has not failed and is not outranked is kept; a running module that failed is kept too,
    if nothing else applies.

    An action "{FIELD}" stands for the actions that the field names as the skill fires, separated by
    semicolons ("move_left; move_left; take"): they are taken in turn, once, and then named anew without
    a request while the skill goes on (`next_actions`).

    Args:
        space: which actions are legal; others are left out of a skill, and a skill with none is
            never fired (`unusable`).
        fields: names of the profile's state-reader fields; None allows any.

    Raises:
        ConditionError: a skill's `when` or `stop` does not parse; names the skill.
    """

    name = "skills"

    def __init__(
        self,
        skills: Sequence[Skill],
        space: ActionSpace,
        *,
        fields: frozenset[str] | None = None,
        modules: Mapping[str, GameSenseModule] | None = None,
    ) -> None:
        self._space = space
        self._terms = (space, fields, modules or {})
        self._skills: list[_Stored] = []
        self.unusable: tuple[str, ...] = ()
        self.adopt(skills)
        self._open: PlanRequest | None = None
        self._ids = count(1)
        self._serial = 0
        self._seen_note = 0
        self._progress = 0
        self._learnt: PlanRequest | None = None

    def adopt(self, skills: Sequence[Skill]) -> frozenset[str]:
        """Fire these skills from now on. What is known of those that stay as they are is kept.

        Returns:
            Names of those that are others now than they were, or gone.

        Raises:
            ConditionError: as the constructor.
        """
        known = {one.skill.name: one for one in self._skills}
        stored = []
        for skill in skills:
            one = known.get(skill.name)
            stored.append(one if one is not None and one.skill == skill else _store(skill, *self._terms))
        self._skills = [one for one in stored if one.candidates or one.fields or one.module]
        self.unusable = tuple(one.skill.name for one in stored if one not in self._skills)
        return frozenset(name for name, one in known.items() if one not in self._skills)

    @property
    def empty(self) -> bool:
        """Whether there is no skill that can be carried out at all."""
        return not self._skills

    def news(self, name: str, before: Mapping[str, Value], now: Mapping[str, Value]) -> str | None:
        """Return the reasons against going on with a skill, as half a sentence; empty for no reason, None if
        there is no such skill.

        Args:
            before: values as the step before was decided on. now: values of now.
        """
        ours = self._named(name)
        if ours is None:
            return None
        if not ours.applies(now):
            return f"{name!r} does not apply any more"
        better = (
            one
            for one in self._skills
            if one.skill.priority > ours.skill.priority and one.applies(now) and not one.applies(before)
        )
        one = next(better, None)
        return f"{one.skill.name!r} applies now, which comes first" if one is not None else ""

    def next_actions(self, name: str, values: Mapping[str, Value]) -> tuple[SemanticAction, ...]:
        """Return the actions that fields name now for a skill that applies still, and that no skill of equal
        or higher priority rivals. Empty: a plan has to say."""
        ours = self._named(name)
        if ours is None or not ours.fields or not ours.applies(values):
            return ()
        rivals = (
            one for one in self._skills if one is not ours and one.skill.priority >= ours.skill.priority
        )
        if any(one.applies(values) for one in rivals):
            return ()
        return legal_actions(ours.skill.actions, values, self._space)

    def request(self, request: PlanRequest) -> None:
        self._open = request

    def poll(self) -> PlanReply | None:
        request, self._open = self._open, None
        return self._answer(request) if request is not None else None

    def cancel(self) -> None:
        self._open = None

    def rank(self, request: PlanRequest) -> tuple[str, ...]:
        """Names of the skills that can be carried out now, best first: what it would do itself stands
        first. For a planner that chooses among them, and says by `took` which one."""
        able, _ = self._ranked(request)
        return tuple(one.skill.name for one in able)

    def took(self, name: str, step: int) -> None:
        """The skill of this name is carried out anew from this step on."""
        one = self._named(name)
        if one is not None:
            self._begin(one, step)

    def _answer(self, request: PlanRequest) -> PlanReply:
        able, kept = self._ranked(request)
        if not able:
            return PlanReply(request_id=request.request_id, proposal=None, why="No skill applies; holding.")
        if kept:
            why = f"Going on with the skill {able[0].skill.name!r}."
            return PlanReply(request_id=request.request_id, proposal=None, keep=True, why=why)
        return self._fire(able[0], request)

    def _ranked(self, request: PlanRequest) -> tuple[list[_Stored], bool]:
        """The skills that can be carried out, best first; whether the first is to go on."""
        running = self._running(request)
        self._learn(request, running)
        able = [one for one in self._skills if self._able(one, request, running)]
        sweeping = any(one.behind for one in able)
        able.sort(key=lambda one: (one.behind, -one.skill.priority, self._turn(one, sweeping)))
        if running is None or running not in able or not self._keeps(running, able[0]):
            return able, False
        return [running, *(one for one in able if one is not running)], True

    def _running(self, request: PlanRequest) -> _Stored | None:
        return self._named(request.running.skill) if request.running else None

    def _named(self, name: str) -> _Stored | None:
        return next((one for one in self._skills if one.skill.name == name), None)

    def _able(self, one: _Stored, request: PlanRequest, running: _Stored | None) -> bool:
        cooling = request.step < one.ready_step and one is not running
        if cooling or not one.applies(request.values):
            return False
        return not one.fields or bool(legal_actions(one.skill.actions, request.values, self._space))

    def _keeps(self, running: _Stored, best: _Stored) -> bool:
        if running is best:
            return not running.behind or bool(running.skill.module)
        return not running.behind and running.skill.priority >= best.skill.priority

    def _turn(self, one: _Stored, sweeping: bool) -> int:
        return -1 if sweeping and one.fired == self._serial else one.fired

    def _learn(self, request: PlanRequest, running: _Stored | None) -> None:
        """Forgive what made progress, put back what the new lines of the failure trace speak against.

        Once a request: one that was ranked for another planner may come again, to be answered in its place.
        """
        if request is self._learnt:
            return
        self._learnt = request
        notes = [note for note in request.trace if note.number > self._seen_note and not note.transient]
        blamed = {note.skill for note in notes}
        actions = {note.action for note in notes}
        last = next((one for one in self._skills if one.fired == self._serial), None)
        if last is not None and request.signals.progress > self._progress:
            last.failures = 0
        if last is not None and (last is not running or last.skill.name in blamed):
            for other in self._skills:
                other.behind = max(0, other.behind - 1)
        for one in self._skills:
            if request.flush:
                one.failures = one.behind = 0
            itself = one.skill.name in blamed
            if itself or (one.candidates and all(str(action) in actions for action in one.candidates)):
                one.failures += itself
                one.behind = max(1, min(one.failures, MOST_BEHIND))
        self._seen_note = max((note.number for note in request.trace), default=self._seen_note)
        self._progress = request.signals.progress

    def _fire(self, best: _Stored, request: PlanRequest) -> PlanReply:
        self._begin(best, request.step)
        skill = best.skill
        proposal = proposal_of(
            skill,
            request.values,
            self._space,
            proposal_id=next(self._ids),
            source=best.source,
            planned_ns=request.now_ns,
        )
        why = f"The skill {skill.name!r} applies: {skill.subgoal}."
        return PlanReply(request_id=request.request_id, proposal=proposal, why=why)

    def _begin(self, one: _Stored, step: int) -> None:
        self._serial += 1
        one.fired, one.behind = self._serial, 0
        one.ready_step = step + one.skill.cooldown_steps


def proposal_of(
    skill: Skill,
    values: Mapping[str, Value],
    space: ActionSpace,
    *,
    proposal_id: int,
    source: str,
    planned_ns: int,
) -> Proposal:
    """Return a skill's proposal on these values: its legal actions, or those that a field names."""
    candidates = () if skill.module else legal_actions(skill.actions, values, space)
    return Proposal(
        proposal_id=proposal_id,
        situation=skill.situation or skill.when,
        subgoal=skill.subgoal,
        candidates=candidates,
        module=skill.module,
        stop=skill.stop,
        steps=skill.steps,
        named=not skill.module and any(field_of(text) for text in skill.actions),
        source=source,
        planned_ns=planned_ns,
    )


def _store(
    skill: Skill, space: ActionSpace, fields: frozenset[str] | None, modules: Mapping[str, GameSenseModule]
) -> _Stored:
    try:
        when = parse_condition(skill.when, fields)
        stop = parse_condition(skill.stop, fields) if skill.stop else None
    except ConditionError as error:
        raise ConditionError(f"skill {skill.name!r}: {error.what}", error.fix) from None
    texts = [] if skill.module else skill.actions
    named = tuple(field for text in texts if (field := field_of(text)))
    candidates = () if named else legal_actions(texts, {}, space)
    return _Stored(skill, when, stop, modules.get(skill.module), candidates, named)
