"""The write gate of skills: four levels of likeness, then an A/B on recorded outcomes (SPEC §4).

Nothing that passes is used: it is listed for the operator, with every figure as evidence.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pitwall.core.memories import MemoryEntry
from pitwall.core.memory_kinds import SkillMemory
from pitwall.core.settings import MemorySettings
from pitwall.memory.prompt.skills import skill_sentence
from pitwall.memory.text import tokens
from pitwall.models.replies.reply_object import clean

MOST_EVIDENCE = 12
"""Sentences of evidence that a skill keeps, the newest (choice)."""

Level = Literal["update", "duplicate", "merge", "judge", "accept"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GateVerdict:
    """Holds the gate's verdict on a proposed skill.

    Attributes:
        level: update (that skill is known by name), duplicate (refused), merge (with `other`), judge (a judge
            model is to be asked, without one the operator), accept.
        other: id of the known skill it was weighed against; None for none, and for one of the profile's.
        cosine: of the two sentences' vectors. trigger_jaccard: of the two triggers' comparisons.
        why: a sentence with the figures.
    """

    level: Level
    other: int | None = None
    cosine: float = 0.0
    trigger_jaccard: float = 0.0
    why: str = ""

    @property
    def refused(self) -> bool:
        return self.level == "duplicate"


def gate(
    proposed: SkillMemory,
    known: Sequence[MemoryEntry],
    vector_of: Callable[[str], NDArray[np.float32]],
    settings: MemorySettings,
) -> GateVerdict:
    """Compare a proposed skill with the known skills: active, proposed and retired ones.

    A rejected skill is retired, so similar proposals are refused. A forgotten skill only blocks its name.

    Args:
        known: entries of one game, of any kind; the profile's skills may be among them
            (`skill_text.profile_entries`).
        vector_of: embeds a sentence; the vector may have any length except zero.
    """
    skills = [(entry, entry.content) for entry in known if isinstance(entry.content, SkillMemory)]
    name = clean(proposed.name, 80).casefold()
    for entry, skill in skills:
        if clean(skill.name, 80).casefold() == name:
            if entry.forgotten:
                gone = f"The skill {skill.name!r} ({_which(entry)}) was forgotten or merged before."
                return GateVerdict(level="duplicate", other=entry.entry_id or None, cosine=1.0, why=gone)
            why = f"A skill has the name {skill.name!r} already ({_which(entry)}): it is updated."
            jaccard = trigger_jaccard(proposed.when, skill.when)
            return GateVerdict(
                level="update", other=entry.entry_id or None, cosine=1.0, trigger_jaccard=jaccard, why=why
            )
    skills = [(entry, skill) for entry, skill in skills if not entry.forgotten]
    if not skills:
        return GateVerdict(level="accept", why="No skill is known to compare it with.")
    mine = vector_of(skill_sentence(proposed))
    weighed = [
        (
            cosine_of(mine, vector_of(skill_sentence(skill))),
            trigger_jaccard(proposed.when, skill.when),
            entry,
            skill,
        )
        for entry, skill in skills
    ]
    nearest = max(weighed, key=itemgetter(0, 1))
    in_band = [row for row in weighed if row[0] >= settings.skill_near and row[1] >= settings.skill_trigger]
    level: Level = "accept"
    if nearest[0] >= settings.skill_duplicate:
        level = "duplicate"
    elif in_band:
        level, nearest = "merge", max(in_band, key=itemgetter(0, 1))
    elif settings.skill_doubt <= nearest[0] < settings.skill_near:
        level = "judge"
    cosine, jaccard, entry, skill = nearest
    return GateVerdict(
        level=level,
        other=entry.entry_id or None,
        cosine=cosine,
        trigger_jaccard=jaccard,
        why=_why(level, cosine, jaccard, entry, skill, settings),
    )


def judged(verdict: GateVerdict, *, same: bool, by: str, why: str = "") -> GateVerdict:
    """Return the verdict after the judge's answer: "the same" refuses the skill, anything else accepts it."""
    if verdict.level != "judge":
        return verdict
    word = "the same skill" if same else "another skill"
    sentence = f"{verdict.why} {by} says it is {word}{f': {clean(why, 120)}' if why else ''}."
    return replace(verdict, level="duplicate" if same else "accept", why=sentence)


def cosine_of(vector: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    """Return the cosine of two vectors, −1 … 1; 0 if either has no length."""
    length = float(np.linalg.norm(vector)) * float(np.linalg.norm(other))
    return min(1.0, max(-1.0, float(np.dot(vector, other)) / length)) if length > 0 else 0.0


def trigger_jaccard(trigger: str, other: str) -> float:
    """Return the likeness of two triggers, 0 … 1: shared comparisons over all of them."""
    mine, theirs = _comparisons(trigger), _comparisons(other)
    union = mine | theirs
    return len(mine & theirs) / len(union) if union else 1.0


_DIRECTION: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<",
    ast.Gt: ">",
    ast.GtE: ">",
    ast.Eq: "==",
    ast.NotEq: "!=",
}


def _comparisons(text: str) -> frozenset[str]:
    try:
        tree = ast.parse(text.strip(), mode="eval").body
        return frozenset(_parts(tree, True))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset(tokens(text))


def _parts(node: ast.expr, truth: bool) -> list[str]:
    match node:
        case ast.BoolOp(values=values):
            return [part for value in values for part in _parts(value, truth)]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _parts(operand, not truth)
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _DIRECTION:
            direction = _DIRECTION[type(op)]
            number = isinstance(right, ast.Constant) and type(right.value) in (int, float)
            value = "" if number and direction in "<>" else f" {ast.unparse(right)}"
            return [f"{'' if truth else 'not '}{ast.unparse(left)} {direction}{value}"]
    return [f"{'' if truth else 'not '}{ast.unparse(node)}"]


def _which(entry: MemoryEntry) -> str:
    if entry.entry_id:
        return f"entry {entry.entry_id}"
    return "the profile's" if entry.provenance.author == "profile" else "of this run"


def _why(
    level: Level,
    cosine: float,
    jaccard: float,
    entry: MemoryEntry,
    skill: SkillMemory,
    settings: MemorySettings,
) -> str:
    figures = (
        f"Nearest is {skill.name!r} ({_which(entry)}): cosine {cosine:.2f}, triggers' Jaccard {jaccard:.2f}"
    )
    match level:
        case "duplicate":
            end = f"known already (cosine ≥ {settings.skill_duplicate:g})"
        case "merge":
            end = f"to be merged (cosine ≥ {settings.skill_near:g}, triggers ≥ {settings.skill_trigger:g})"
        case "judge":
            end = f"in doubt (cosine ≥ {settings.skill_doubt:g}): a judge decides, without one the operator"
        case _:
            near = cosine >= settings.skill_near
            end = f"another trigger (< {settings.skill_trigger:g})" if near else "new"
    return f"{figures}: {end}."


# ---- what becomes of the skills


def updated(known: MemoryEntry, proposed: SkillMemory, *, better: bool = True) -> SkillMemory:
    """Return a known skill after the same skill was proposed again.

    Its status and counts stay. Where the operator wrote it last, or it is in use, its text stays too and only
    evidence is added, so that a run does not change a skill that the operator has accepted.

    Args:
        better: the trial did not refuse the new text; a refused text replaces none.
    """
    skill = known.content
    assert isinstance(skill, SkillMemory)
    evidence = more_evidence(skill, proposed.evidence)
    if not better or skill.status != "proposed" or known.changed_by.author == "operator":
        return replace(skill, evidence=evidence)
    return replace(
        proposed,
        status=skill.status,
        uses=skill.uses,
        successes=skill.successes,
        similar_to=skill.similar_to,
        evidence=evidence,
    )


def more_evidence(skill: SkillMemory, sentences: Sequence[str]) -> tuple[str, ...]:
    """Add sentences to a skill's evidence, each once, and keep the newest `MOST_EVIDENCE`."""
    return tuple(dict.fromkeys((*skill.evidence, *sentences)))[-MOST_EVIDENCE:]
