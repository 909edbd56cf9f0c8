"""Words what models are asked after a run: the run, a lost part of it, two skills to compare (SPEC §4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pitwall.core.actions import Effect
from pitwall.core.memory_kinds import SkillMemory
from pitwall.core.observations import Value
from pitwall.core.steps import StepRecord
from pitwall.memory.discovery.lost_segments import KIND_WORDS, Segment
from pitwall.memory.prompt.skills import skill_sentence
from pitwall.memory.value_format import field_lines, format_changes, quoted

MOST_STEPS = 12
"""Most lost steps in a prompt: the first and the last ones (choice)."""
_SENTENCE = 600
_EFFECTS = {
    Effect.CONFIRMED: "took effect",
    Effect.UNVERIFIED: "no effect seen",
    Effect.NONE: "nothing was sent",
}


def format_run(by_rules: str, segments: Sequence[Segment], units: Mapping[str, str]) -> str:
    """Describe a whole run: the rules' summary, and the parts in which the agent was lost."""
    parts = [format_segment(segment, units) for segment in segments]
    return "\n".join([f"The run's figures: {by_rules}\n", *(parts or ["It was lost nowhere.\n"])])


def format_segment(segment: Segment, units: Mapping[str, str]) -> str:
    """Describe a part of a run: its actions, their effects and the fields' values."""
    part = segment.steps
    lines = [f"A part of a run ({part[0].status.value}), {segment.span}: it {KIND_WORDS[segment.kind]}."]
    lines += ["Fields as it began:", *field_lines(part[0].fields, units)]
    lines.append("What was done:")
    shown = part if len(part) <= MOST_STEPS else (*part[: MOST_STEPS // 2], *part[-(MOST_STEPS // 2) :])
    lines += _steps(shown, units)
    if len(shown) < len(part):
        lines.append(f"- {len(part) - len(shown)} steps between are left out")
    if segment.after:
        lines += ["Fields as the way out began:", *field_lines(segment.after[0].fields, units)]
        lines += ["What got out of it:", *_steps(segment.after, units)]
    else:
        lines.append(f"Nothing got out of it; then {segment.ended_by}.")
    return "".join(f"{line}\n" for line in lines)


def format_judged_skills(proposed: SkillMemory, known: SkillMemory) -> str:
    """Put two skills into words."""
    return "".join(
        f"{label}: {quoted(f'{skill.name}: {skill_sentence(skill)}', _SENTENCE)}\n"
        for label, skill in (("The proposed skill", proposed), ("The known skill", known))
    )


def _steps(steps: tuple[StepRecord, ...], units: Mapping[str, str]) -> list[str]:
    lines = []
    before: Mapping[str, Value] | None = None
    for step in steps:
        parts = [f"step {step.step}: {step.action}: {_EFFECTS[step.decided_effect]}"]
        if step.invalid is not None:
            parts.append(f"invalid ({step.invalid.value})")
        if step.proposal is not None:
            parts.append(f"for {quoted(step.proposal.subgoal)}")
        changed = _changed(before, step.fields)
        if changed:
            parts.append(f"came to it with {format_changes(changed, units)}")
        lines.append(f"- {'; '.join(parts)}")
        before = step.fields
    return lines


def _changed(before: Mapping[str, Value] | None, now: Mapping[str, Value]) -> dict[str, tuple[Value, Value]]:
    if before is None:
        return {}
    return {name: (before.get(name), value) for name, value in now.items() if before.get(name) != value}
