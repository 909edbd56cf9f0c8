"""Proposes skills after a run, from segments in which the agent was lost and recovered (SPEC §4).

Rules alone decide. The trigger is a condition that held in the segment and nowhere else in the run. The
actions are those that recovered. The stop condition is the change that they brought. `from_draft` turns a
model's proposal into the same form. A proposed skill is not used: it passes the write gate and waits for the
operator.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from pitwall.core.actions import skill_of
from pitwall.core.errors import PitwallError
from pitwall.core.memories import MemoryEntry
from pitwall.core.memory_kinds import SkillMemory
from pitwall.core.observations import Value
from pitwall.core.signals import Route
from pitwall.core.steps import StepRecord
from pitwall.games.schema.profile import Profile
from pitwall.memory.discovery.lost_segments import KIND_WORDS, Segment
from pitwall.memory.discovery.lost_segments import lost_segments as lost_segments
from pitwall.memory.discovery.lost_segments import recoveries as recoveries
from pitwall.memory.discovery.separating_conditions import Separation, StepTable, looked_at
from pitwall.memory.prompt.skills import SkillTerms, UsableSkill, as_profile_skill, is_active, usable_skill
from pitwall.models.replies.reply_object import clean
from pitwall.models.replies.skills import SkillDraft

LEAST_ROWS = 2
"""Steps that a trigger is read from, at least: of one alone every condition holds (choice)."""
_NAME_LENGTH, _TEXT_LENGTH = 80, 160
_MOST_TOLD = 4
_ABOVE = 1
"""Added to the priority of the skill that led into the trouble; else the new one would never fire."""


def propose(
    segment: Segment,
    profile: Profile,
    *,
    steps: Sequence[StepRecord],
    run_id: int | None = None,
    role: str = "",
    alike: Sequence[Segment] = (),
    known: Sequence[MemoryEntry] = (),
    table: StepTable | None = None,
) -> SkillMemory | None:
    """Propose a skill that does at once what led the agent out of a segment.

    Args:
        steps: the whole run, in order; the trigger must not hold elsewhere in it.
        alike: other segments with the same trouble and the same way out, evaluated together.
        known: the memory's skills. If one of them led into the trouble, the new skill gets a higher priority.
        table: table of these steps, if several segments are evaluated.

    Returns:
        None if the agent did not recover, no condition separates the segment from the rest of the run, or
        no legal action remains. The status of the skill is "proposed".
    """
    group = [member for member in (segment, *alike) if member.recovered]
    if not segment.recovered:
        return None
    table = table or run_table(steps)
    inside = _troubled(group)
    others = sorted(set(range(len(steps))) - _covered(group))
    if len(inside) < LEAST_ROWS:
        return None
    preferred = looked_at(profile)
    trigger = table.separate(inside, others, preferred=preferred)
    if trigger is None:
        return None
    skill = SkillMemory(
        name=_name(segment, trigger),
        when=trigger.text,
        situation=clean(f"{_lost_words(segment)} {KIND_WORDS[segment.kind]}", _TEXT_LENGTH),
        subgoal=_subgoal(segment),
        actions=_actions(group),
        module=_module(segment),
        stop=_stop(group, steps, table, inside, preferred),
        priority=_priority(group, profile, known),
        steps=max(1, len(segment.after)),
        cooldown_steps=len(segment.after),
        status="proposed",
        evidence=(
            *evidence_of(group, run_id),
            f"Its trigger held at all {trigger.inside} steps in which the trouble showed and at "
            f"{trigger.wrong} of {trigger.others} others of the run.",
        ),
    )
    return skill if _usable(skill, profile, role) is not None else None


def from_draft(
    draft: SkillDraft,
    segment: Segment,
    profile: Profile,
    *,
    steps: Sequence[StepRecord],
    model: str,
    run_id: int | None = None,
    role: str = "",
    known: Sequence[MemoryEntry] = (),
) -> SkillMemory | None:
    """Return a skill that a model proposed, with evidence from the run's record about its trigger.

    Returns:
        None if the role cannot do any of its actions, or its trigger held nowhere in that segment.
    """
    skill = SkillMemory(
        name=clean(draft.name, _NAME_LENGTH),
        when=draft.when,
        situation=draft.situation,
        subgoal=draft.subgoal,
        actions=draft.actions,
        module=draft.module,
        stop=draft.stop,
        priority=_priority([segment], profile, known),
        steps=draft.steps,
        cooldown_steps=draft.steps,
        status="proposed",
    )
    usable = _usable(skill, profile, role)
    if usable is None:
        return None
    covered = _covered([segment])
    held = [usable.applies(_row(step)) for step in steps]
    inside = sum(held[at] for at in covered)
    if not inside:
        return None
    measured = (
        f"Its trigger held at {inside} of the {len(covered)} steps of that part and at "
        f"{sum(held) - inside} of {len(steps) - len(covered)} others of the run."
    )
    by = f"Proposed by the model {clean(model, 60)}."
    return replace(skill, evidence=(by, *evidence_of([segment], run_id), measured))


def run_table(steps: Sequence[StepRecord]) -> StepTable:
    """Return a table of the fields of a run's steps, including `status`."""
    return StepTable([_row(step) for step in steps])


def _row(step: StepRecord) -> dict[str, Value]:
    return {**step.fields, "status": step.status.value}


def _troubled(group: Sequence[Segment]) -> list[int]:
    """Return the steps with the trouble: those after the first lost one, and the start of the way out."""
    return [member.start + at for member in group for at in range(1, len(member.steps) + 1)]


def _covered(group: Sequence[Segment]) -> set[int]:
    """Return the places of every step of some segments."""
    return {member.start + at for member in group for at in range(len(member.steps) + len(member.after))}


# ---- parts of a skill


def _name(segment: Segment, trigger: Separation) -> str:
    """Return the skill's name: the same in every run for the same trouble, way out and fields."""
    names = " ".join(dict.fromkeys(part.split()[0] for part in trigger.text.split(" and ")))
    way = segment.after[0].proposal.module if _module(segment) and segment.after[0].proposal else ""
    way = way or segment.after[0].action.name
    return clean(f"after {segment.steps[-1].action.name} {way} ({names})", _NAME_LENGTH)


def _lost_words(segment: Segment) -> str:
    return ", ".join(dict.fromkeys(str(step.action) for step in segment.steps))


def _subgoal(segment: Segment) -> str:
    proposal = segment.after[0].proposal
    if proposal is not None and proposal.subgoal:
        return clean(proposal.subgoal, _TEXT_LENGTH)
    return f"get on after {segment.steps[-1].action.name}"


def _module(segment: Segment) -> str:
    first = segment.after[0]
    if first.route is Route.REFLEX and first.proposal is not None:
        return first.proposal.module
    return ""


def _actions(group: Sequence[Segment]) -> tuple[str, ...]:
    """Return the first segment's actions; if one field named just what each segment did, that field."""
    if _module(group[0]):
        return ()
    fields = set.intersection(*(_naming(member) for member in group))
    if fields:
        return (f"{{{min(fields)}}}",)
    return tuple(str(step.action) for step in group[0].after)


def _naming(segment: Segment) -> set[str]:
    """Return the fields that named the actions at the moment when they were done."""
    done = tuple(str(step.action) for step in segment.after)
    names = set()
    for name, value in segment.after[0].fields.items():
        named = _named(value)
        if named and named[: len(done)] == done and (len(done) > 1 or len(named) == 1):
            names.add(name)
    return names


def _named(value: Value) -> tuple[str, ...]:
    """Return the actions in a field's text, such as "left; left; take"."""
    if not isinstance(value, str):
        return ()
    return tuple(part.strip() for part in value.split(";") if part.strip())


def _stop(
    group: Sequence[Segment],
    steps: Sequence[StepRecord],
    table: StepTable,
    troubled: Collection[int],
    preferred: Collection[str],
) -> str:
    """Return a condition that held once the way out was over and never while the trouble showed; empty for
    none."""
    over = [member.start + len(member.steps) + len(member.after) for member in group]
    over = [at for at in over if at < len(steps) and at not in troubled]
    conditions = table.separate(over, troubled, preferred=preferred, most=1, most_wrong=0.0)
    return conditions.text if conditions is not None else ""


def _priority(group: Sequence[Segment], profile: Profile, known: Sequence[MemoryEntry]) -> int:
    priorities = {skill.name: skill.priority for skill in profile.skills}
    for entry in known:
        if isinstance(entry.content, SkillMemory) and is_active(entry):
            priorities[entry.content.name] = entry.content.priority
    sources = {step.proposal.source for member in group for step in member.steps if step.proposal is not None}
    lost = [priorities[name] for source in sources if (name := skill_of(source)) in priorities]
    return max(lost, default=0) + _ABOVE


def _usable(skill: SkillMemory, profile: Profile, role: str) -> UsableSkill | None:
    """Check a skill as the operator's edits are checked; None if it cannot be used."""
    try:
        return usable_skill(as_profile_skill(skill), SkillTerms.of(profile, role))
    except PitwallError:
        return None


# ---- evidence


def evidence_of(group: Sequence[Segment], run_id: int | None) -> tuple[str, ...]:
    """Return sentences on the first few segments, with run and steps, and the number of the others."""
    sentences = [_sentence(member, run_id) for member in group[:_MOST_TOLD]]
    if len(group) > _MOST_TOLD:
        sentences.append(f"The same happened {len(group) - _MOST_TOLD} times more.")
    return tuple(sentences)


def _sentence(segment: Segment, run_id: int | None) -> str:
    where = (
        f"Run {run_id}, {segment.span}"
        if run_id is not None
        else f"{segment.span[:1].upper()}{segment.span[1:]}"
    )
    lost = clean(_lost_words(segment), _TEXT_LENGTH)
    return f"{where}: {lost} {KIND_WORDS[segment.kind]}; then {segment.ended_by}."
