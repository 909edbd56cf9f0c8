"""Works out what the memory learns from a finished run: episode, proposed skills, use counts, procedures.

The result depends only on the run's record and the known entries. The caller writes it to the store, which
leaves pinned entries unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pitwall.core.memories import MemoryEntry, Provenance
from pitwall.core.memory_kinds import EpisodeMemory, MemoryContent, SkillMemory
from pitwall.core.runs import RunSummary
from pitwall.core.settings import MemorySettings, Settings
from pitwall.core.steps import StepRecord
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.schema.profile import Profile
from pitwall.memory.discovery import write_gate
from pitwall.memory.discovery.lost_segments import Segment
from pitwall.memory.discovery.procedures import procedures_of
from pitwall.memory.discovery.resampling_trial import SkillTrial, tried
from pitwall.memory.discovery.skill_proposals import lost_segments, propose, recoveries, run_table
from pitwall.memory.discovery.skill_usage import SkillUses, count_uses, with_use_counts
from pitwall.memory.episodes import EpisodeFacts, write_summary
from pitwall.memory.prompt.skills import SkillTerms, as_profile_skill, profile_entries, usable_skill
from pitwall.memory.store import AgentWrite

MOST_PROPOSED = 5
"""Skills that one run may propose, those of the most lost steps (choice)."""
VectorOf = Callable[[str], NDArray[np.float32]]


@dataclass(frozen=True, slots=True, kw_only=True)
class GatedSkill:
    """A proposed skill with its verdict and measurements.

    Attributes:
        write: None if the gate or the trial refused it.
    """

    skill: SkillMemory
    verdict: write_gate.GateVerdict
    trial: SkillTrial | None
    write: AgentWrite | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunUpdate:
    """Holds the lessons of a run.

    Attributes:
        writes: for the store, in one transaction.
        weighed: every skill that was proposed, the refused ones too.
    """

    writes: tuple[AgentWrite, ...] = ()
    weighed: tuple[GatedSkill, ...] = ()


def run_update(
    steps: Sequence[StepRecord],
    summary: RunSummary,
    profile: Profile,
    known: Sequence[MemoryEntry],
    vector_of: VectorOf,
    settings: Settings,
    *,
    run_id: int | None = None,
    role: str = "",
    episode_key: str = "",
    facts: EpisodeFacts | None = None,
    uses: SkillUses | None = None,
) -> RunUpdate:
    """Return the lessons of a finished run.

    Args:
        steps: all steps, in order.
        known: the game's entries in use and its forgotten skills; skills and procedures matter.
        vector_of: embeds a sentence, for the write gate.
        role: the role that was played; empty: the game's first.
        episode_key: key of its summary (`LayerBook.episode_key`). facts: facts of the summary.
        uses: uses counted during the run; None: they are counted from its steps.
    """
    if not settings.memory.write or not steps:
        return RunUpdate()
    run = _Run(steps, profile, role, settings.memory, run_id)
    writes: list[AgentWrite] = []
    if settings.layers.l4 == "update":
        text = write_summary(summary, facts or EpisodeFacts(progress=steps[-1].signals.progress))
        content = EpisodeMemory(key=episode_key, text=text, run_id=run_id)
        writes.append(run.write(content, "the run is over"))
    weighed: tuple[GatedSkill, ...] = ()
    if settings.layers.l5 == "update":
        used = with_use_counts(known, uses or count_uses(steps))
        writes += [run.write(skill, "its uses in this run are counted", entry) for entry, skill in used]
        now = {entry.entry_id: replace(entry, content=skill) for entry, skill in used}
        known = [now.get(entry.entry_id, entry) for entry in known]
        weighed = tuple(_weigh_all(run, run.proposals(known), known, vector_of))
        writes += [gated.write for gated in weighed if gated.write is not None]
    for entry, procedure in procedures_of(steps).procedures(known, Vocabulary(profile, role)):
        writes.append(run.write(procedure, "its effect was seen in this run", entry))
    newest = {write.entry_id or -number: write for number, write in enumerate(writes, 1)}
    return RunUpdate(writes=tuple(newest.values()), weighed=weighed)


def weigh_drafts(
    drafts: Sequence[SkillMemory],
    steps: Sequence[StepRecord],
    profile: Profile,
    known: Sequence[MemoryEntry],
    vector_of: VectorOf,
    settings: MemorySettings,
    *,
    model: str,
    run_id: int | None = None,
    role: str = "",
) -> list[GatedSkill]:
    """Weigh skills that a model proposed of a run (`skill_proposals.from_draft`): by the gate and the trial
    that those of the rules pass."""
    run = _Run(steps, profile, role, settings, run_id, source=model)
    return list(_weigh_all(run, drafts, known, vector_of))


def after_judge(gated: GatedSkill, *, same: bool, by: str, why: str) -> GatedSkill:
    """Return a doubtful skill after the judge's answer; a skill equal to a known one is not written."""
    verdict = write_gate.judged(gated.verdict, same=same, by=by, why=why)
    if verdict.refused or gated.write is None:
        return replace(gated, verdict=verdict, write=None)
    skill = replace(
        gated.skill, evidence=write_gate.more_evidence(gated.skill, (verdict.why,)), similar_to=None
    )
    return replace(gated, verdict=verdict, skill=skill, write=replace(gated.write, content=skill))


class _Run:
    """The run that is over, and how its lessons are signed."""

    def __init__(
        self,
        steps: Sequence[StepRecord],
        profile: Profile,
        role: str,
        settings: MemorySettings,
        run_id: int | None,
        *,
        source: str = "rules",
    ) -> None:
        self._source = source
        self.steps = steps
        self.profile = profile
        self.terms = SkillTerms.of(profile, role)
        self.settings = settings
        self._role = role
        self._run_id = run_id

    def proposals(self, known: Sequence[MemoryEntry]) -> list[SkillMemory]:
        """Propose by rules a skill for each kind of trouble that the agent overcame, the costliest first."""
        alike: dict[tuple[str, ...], list[Segment]] = {}
        for segment in recoveries(lost_segments(self.steps)):
            alike.setdefault(segment.place, []).append(segment)
        groups = sorted(alike.values(), key=lambda group: -sum(len(segment.steps) for segment in group))
        table = run_table(self.steps)
        skills = []
        for first, *others in groups:
            skill = propose(
                first,
                self.profile,
                steps=self.steps,
                run_id=self._run_id,
                role=self._role,
                alike=others,
                known=known,
                table=table,
            )
            if skill is not None:
                skills.append(skill)
            if len(skills) == MOST_PROPOSED:
                break
        return skills

    def write(self, content: MemoryContent, why: str, entry: MemoryEntry | None = None) -> AgentWrite:
        last = self.steps[-1]
        by = Provenance(
            author="agent",
            run_id=self._run_id,
            step=last.step,
            frame_id=last.frame_id,
            reason=why,
            source=self._source,
        )
        number = entry.entry_id if entry is not None else None
        return AgentWrite(game_id=self.profile.game.id, content=content, provenance=by, entry_id=number)

    def tried(self, skill: SkillMemory) -> SkillTrial | None:
        usable = usable_skill(as_profile_skill(skill), self.terms)
        if usable is None:
            return None
        return tried(skill, usable, self.steps, trials=self.settings.skill_trials)


def _weigh_all(
    run: _Run, skills: Sequence[SkillMemory], known: Sequence[MemoryEntry], vector_of: VectorOf
) -> Iterator[GatedSkill]:
    """Pass each proposed skill through the gate and the trial; each one knows the proposals before it."""
    seen = [*known, *profile_entries(run.profile)]
    vectors: dict[str, NDArray[np.float32]] = {}

    def remembered(text: str) -> NDArray[np.float32]:
        if text not in vectors:
            vectors[text] = vector_of(text)
        return vectors[text]

    for skill in skills:
        gated = _weigh(run, skill, seen, remembered)
        yield gated
        if gated.write is not None and gated.write.entry_id is None:
            by = gated.write.provenance
            seen.append(
                MemoryEntry(
                    entry_id=0, game_id=gated.write.game_id, content=skill, provenance=by, changed_by=by
                )
            )


def _weigh(run: _Run, skill: SkillMemory, known: Sequence[MemoryEntry], vector_of: VectorOf) -> GatedSkill:
    verdict = write_gate.gate(skill, known, vector_of, run.settings)
    if verdict.refused:
        return GatedSkill(skill=skill, verdict=verdict, trial=None, write=None)
    trial = run.tried(skill)
    evidence = (verdict.why, trial.sentence) if trial is not None else (verdict.why,)
    skill = replace(skill, evidence=write_gate.more_evidence(skill, evidence))
    if verdict.level == "update":
        entry = next((other for other in known if other.entry_id and other.entry_id == verdict.other), None)
        kept = trial is not None and trial.verdict != "refused"
        content = write_gate.updated(entry, skill, better=kept) if entry is not None else None
        write = run.write(content, verdict.why, entry) if content is not None else None
        return GatedSkill(skill=skill, verdict=verdict, trial=trial, write=write)
    if trial is None or trial.verdict == "refused":
        return GatedSkill(skill=skill, verdict=verdict, trial=trial, write=None)
    if verdict.level in ("merge", "judge"):
        skill = replace(skill, similar_to=verdict.other)
    return GatedSkill(skill=skill, verdict=verdict, trial=trial, write=run.write(skill, verdict.why))
