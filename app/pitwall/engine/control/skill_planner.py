"""The skill planner: the strategic controller without a model. It carries out stored skills (layer L5)."""

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
"""Most proposals of other skills before a skill that keeps failing is tried again (choice)."""


@dataclass(slots=True, eq=False)
class _Stored:
    """A skill, ready to fire, and its record in this run.

    Attributes:
        candidates: its legal actions, where none of them comes from a field.
        fields: the fields that name its actions as it fires; empty for none.
        fired: serial number of its last firing, 0 for never.
        ready_step: first step in which it is not cooling down.
        failures: how often in a row it failed, stalled or looped without progress between.
        behind: how many proposals of other skills must be tried to their end before it.
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

    def applies(self, values: Mapping[str, Value]) -> bool:
        if self.stop is not None and self.stop.holds(values):
            return False
        if self.module is not None and self.module.ended(values):
            return False
        return self.when.holds(values)


class SkillPlanner:
    """Fires the highest-priority skill whose trigger holds; a `Planner`.

    A skill applies when its `when` holds, its `stop` and its module's end do not, and it is not cooling down
    (counted from the step it fired in). A skill that failed, stalled or looped, or whose every action just
    did, is put back behind all others that apply until another was tried to its end: after the n-th failure
    in a row, n proposals of others, at most eight. Among equal priorities the skill fired longest ago goes
    first, but the last one continues while a skill is put back. So an agent that walks into a corner turns
    left, walks; turns right twice, walks; turns left three times: a widening sweep, where single turns would
    undo each other. A running proposal whose skill still applies, has not failed and is not outranked is
    kept; a running module that failed is kept too, if nothing else applies.

    An action "{FIELD}" stands for the actions that the field names as the skill fires, separated by
    semicolons ("move_left; move_left; take"): they are taken in turn, once, and then renewed without
    a request while the skill continues (`next_actions`).

    Args:
        space: the legal actions; others are left out of a skill, and a skill with none is
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
        """Fire these skills from now on. The record of unchanged skills is kept.

        Returns:
            Names of the skills that were changed or removed.

        Raises:
            ConditionError: as the constructor.
        """
        known = {stored.skill.name: stored for stored in self._skills}
        adopted = []
        for skill in skills:
            earlier = known.get(skill.name)
            same = earlier is not None and earlier.skill == skill
            adopted.append(earlier if earlier is not None and same else _store(skill, *self._terms))
        self._skills = [stored for stored in adopted if stored.candidates or stored.fields or stored.module]
        self.unusable = tuple(stored.skill.name for stored in adopted if stored not in self._skills)
        return frozenset(name for name, stored in known.items() if stored not in self._skills)

    @property
    def empty(self) -> bool:
        """Return whether no skill at all can be carried out."""
        return not self._skills

    def news(self, name: str, before: Mapping[str, Value], now: Mapping[str, Value]) -> str | None:
        """Return a reason against continuing a skill; empty for none, None if it is unknown.

        Args:
            before: values at the previous decision. now: present values.
        """
        ours = self._named(name)
        if ours is None:
            return None
        if not ours.applies(now):
            return f"{name!r} does not apply any more"
        for rival in self._skills:
            outranks = rival.skill.priority > ours.skill.priority
            if outranks and rival.applies(now) and not rival.applies(before):
                return f"{rival.skill.name!r} applies now, which comes first"
        return ""

    def next_actions(self, name: str, values: Mapping[str, Value]) -> tuple[SemanticAction, ...]:
        """Return the actions that fields name now for a skill that still applies.

        Empty where a skill of equal or higher priority applies too: then a new plan must decide.
        """
        ours = self._named(name)
        if ours is None or not ours.fields or not ours.applies(values):
            return ()
        for rival in self._skills:
            if rival is not ours and rival.skill.priority >= ours.skill.priority and rival.applies(values):
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
        """Return the names of the skills that can be carried out now, its own choice first.

        For a planner that chooses among them, and reports its choice by `took`.
        """
        able, _ = self._ranked(request)
        return tuple(stored.skill.name for stored in able)

    def took(self, name: str, step: int) -> None:
        """Note that the skill of this name is started in this step."""
        stored = self._named(name)
        if stored is not None:
            self._begin(stored, step)

    def _answer(self, request: PlanRequest) -> PlanReply:
        able, kept = self._ranked(request)
        if not able:
            return PlanReply(request_id=request.request_id, proposal=None, why="No skill applies; holding.")
        if kept:
            why = f"Going on with the skill {able[0].skill.name!r}."
            return PlanReply(request_id=request.request_id, proposal=None, keep=True, why=why)
        return self._fire(able[0], request)

    def _ranked(self, request: PlanRequest) -> tuple[list[_Stored], bool]:
        """Return the skills that can be carried out, best first, and whether the first one continues."""
        running = self._named(request.running.skill) if request.running else None
        self._learn(request, running)
        able = [stored for stored in self._skills if self._able(stored, request, running)]
        sweeping = any(stored.behind for stored in able)
        able.sort(key=lambda stored: (stored.behind, -stored.skill.priority, self._turn(stored, sweeping)))
        if running is None or running not in able or not self._keeps(running, able[0]):
            return able, False
        return [running, *(stored for stored in able if stored is not running)], True

    def _named(self, name: str) -> _Stored | None:
        return next((stored for stored in self._skills if stored.skill.name == name), None)

    def _able(self, stored: _Stored, request: PlanRequest, running: _Stored | None) -> bool:
        cooling = request.step < stored.ready_step and stored is not running
        if cooling or not stored.applies(request.values):
            return False
        return not stored.fields or bool(legal_actions(stored.skill.actions, request.values, self._space))

    def _keeps(self, running: _Stored, best: _Stored) -> bool:
        if running is best:
            return not running.behind or bool(running.skill.module)
        return not running.behind and running.skill.priority >= best.skill.priority

    def _turn(self, stored: _Stored, sweeping: bool) -> int:
        return -1 if sweeping and stored.fired == self._serial else stored.fired

    def _learn(self, request: PlanRequest, running: _Stored | None) -> None:
        """Clear the failures of a skill that made progress; put back the skills that new failures blame.

        Once a request: a request that was ranked for another planner may come again to be answered.
        """
        if request is self._learnt:
            return
        self._learnt = request
        notes = [note for note in request.trace if note.number > self._seen_note and not note.transient]
        blamed = {note.skill for note in notes}
        actions = {note.action for note in notes}
        last = next((stored for stored in self._skills if stored.fired == self._serial), None)
        if last is not None and request.signals.progress > self._progress:
            last.failures = 0
        if last is not None and (last is not running or last.skill.name in blamed):
            for other in self._skills:
                other.behind = max(0, other.behind - 1)
        for stored in self._skills:
            if request.flush:
                stored.failures = stored.behind = 0
            itself = stored.skill.name in blamed
            repeats = (
                actions and stored.candidates and all(str(done) in actions for done in stored.candidates)
            )
            if itself or repeats:
                stored.failures += itself
                stored.behind = max(1, min(stored.failures, MOST_BEHIND))
        self._seen_note = max((note.number for note in request.trace), default=self._seen_note)
        self._progress = request.signals.progress

    def _fire(self, best: _Stored, request: PlanRequest) -> PlanReply:
        self._begin(best, request.step)
        skill, source = best.skill, SKILL_SOURCE + best.skill.name
        proposal = proposal_of(
            skill, request.values, self._space, next(self._ids), source=source, planned_ns=request.now_ns
        )
        why = f"The skill {skill.name!r} applies: {skill.subgoal}."
        return PlanReply(request_id=request.request_id, proposal=proposal, why=why)

    def _begin(self, stored: _Stored, step: int) -> None:
        self._serial += 1
        stored.fired, stored.behind = self._serial, 0
        stored.ready_step = step + stored.skill.cooldown_steps


def proposal_of(
    skill: Skill,
    values: Mapping[str, Value],
    space: ActionSpace,
    proposal_id: int,
    *,
    source: str,
    planned_ns: int,
) -> Proposal:
    """Return a skill's proposal on these values: its legal actions, or the actions that a field names."""
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
