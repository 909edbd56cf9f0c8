"""Draws memory entries for lessons besides skills: summaries of earlier runs, notes, added knowledge.

They never decide a reply: they appear in prompts, so a model must learn to ignore them. Summaries follow the
same rules as after a run, with invented figures.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from pitwall.core.memories import MemoryEntry, Provenance
from pitwall.core.memory_kinds import EpisodeMemory, GlobalNote, KnowledgeMemory
from pitwall.core.observations import Value
from pitwall.core.runs import RunOutcome, RunSummary
from pitwall.core.signals import Reason
from pitwall.memory.episodes import EpisodeFacts, write_summary
from workshop.shipped_model.dataset.name_generator import NameGenerator

_MANY_SUMMARIES = (0,) * 5 + (1, 1, 2, 2, 3, 6)
_NOTES, _KNOWLEDGE = 0.12, 0.12
"""Share of the memories that hold entries."""
_ABOUT: tuple[Literal["failure", "subgoal", "progress"], ...] = ("failure", "subgoal", "progress")
_OUTCOMES = tuple(outcome for outcome in get_args(RunOutcome) if outcome not in ("playing", "hung"))
"""Outcomes without "hung", which is newer than the shipped model, so that its lessons stay the same."""
_OPERATOR, _AGENT = Provenance(author="operator"), Provenance(author="agent")


def draw_memory_entries(
    rng: random.Random,
    words: NameGenerator,
    game_id: str,
    *,
    units: Mapping[str, str],
    actions: Sequence[str],
    subgoals: Sequence[str],
    instruction: str = "",
) -> tuple[MemoryEntry, ...]:
    """Draw entries as earlier runs and an operator may have left them; often there are none.

    Args:
        rng: decides everything. words: of notes and knowledge.
        units: field → its unit, empty for none: summaries name some of them.
        actions, subgoals: names for the entries; never empty.
        instruction: the present task; earlier runs had the same or none.
    """
    contents: list[EpisodeMemory | GlobalNote | KnowledgeMemory] = []
    for run in range(rng.choice(_MANY_SUMMARIES)):
        facts = _facts(rng, units, actions, subgoals, instruction)
        contents.append(EpisodeMemory(key="", text=write_summary(_figures(rng), facts), run_id=run + 1))
    if rng.random() < _NOTES:
        contents.append(GlobalNote(about=rng.choice(_ABOUT), text=words.phrase()))
    if rng.random() < _KNOWLEDGE:
        contents.append(KnowledgeMemory(heading=words.noun(), text=f"{words.phrase().capitalize()}."))
    return tuple(
        MemoryEntry(
            entry_id=number,
            game_id=game_id,
            content=content,
            provenance=_AGENT if isinstance(content, EpisodeMemory) else _OPERATOR,
            changed_by=_AGENT if isinstance(content, EpisodeMemory) else _OPERATOR,
            created_at=f"2026-01-01T00:00:{number:02d}",
            changed_at=f"2026-01-01T00:00:{number:02d}",
        )
        for number, content in enumerate(contents, start=1)
    )


def _figures(rng: random.Random) -> RunSummary:
    stuck = rng.choice((0, 0, 1, 2, 5, 12))
    asked = rng.sample(list(Reason), rng.randint(0, 3))
    return RunSummary(
        outcome=rng.choice(_OUTCOMES),
        seconds=rng.uniform(2, 400),
        steps=rng.randint(1, 200),
        stuck=stuck,
        recovered=rng.randint(0, stuck),
        escalations={reason.value: rng.randint(1, 60) for reason in asked},
    )


def _facts(
    rng: random.Random,
    units: Mapping[str, str],
    actions: Sequence[str],
    subgoals: Sequence[str],
    instruction: str,
) -> EpisodeFacts:
    names = rng.sample(list(units), min(len(units), rng.choice((0, 1, 1, 2, 4))))
    reached: dict[str, Value] = {name: rng.choice((rng.randint(0, 40), True, False)) for name in names}
    trouble = f"{rng.choice(actions)}: no effect seen" if rng.random() < 0.5 else ""
    return EpisodeFacts(
        instruction=instruction if rng.random() < 0.7 else "",
        progress=rng.randint(0, 60),
        reached=reached,
        units=units,
        terminal=rng.choice((0, 0, 0, 1, 3)),
        subgoal=rng.choice(subgoals) if rng.random() < 0.8 else "",
        trouble=trouble,
        times=rng.randint(1, 9),
    )
