"""Runs for the tests of discovery: steps written in one line each, and a run of Doom as it was recorded."""

from __future__ import annotations

import gzip
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter
from tests.plain_records import step_record

from pitwall.core.actions import Effect, InputEvent, Proposal, SemanticAction, SentEvent
from pitwall.core.memories import Author, MemoryEntry, Provenance
from pitwall.core.memory_kinds import MemoryContent
from pitwall.core.observations import GameStatus, Value
from pitwall.core.signals import Reason, Route, Signals
from pitwall.core.steps import StepRecord
from pitwall.games.manifest import load_profile
from pitwall.games.schema.profile import Profile

_ROOT = Path(__file__).resolve().parents[3]
_PRESS = SentEvent(event=InputEvent(kind="key_down", key="a"), sent_ns=1)


@cache
def doom_steps() -> tuple[StepRecord, ...]:
    """The 161 steps of 90 s of Doom played by its profile's skills: recorded, not made up. Of what was sent
    the first event is kept."""
    read = TypeAdapter(StepRecord).validate_json
    with gzip.open(Path(__file__).with_name("data") / "doom_steps.jsonl.gz") as lines:
        return tuple(read(line) for line in lines)


@cache
def doom_profile() -> Profile:
    return load_profile(_ROOT / "plugins" / "doom")


def step(
    number: int,
    action: str,
    *,
    progress: int,
    plan: int = 1,
    skill: str = "explore",
    stop: str = "",
    status: GameStatus = GameStatus.PLAYING,
    effect: Effect = Effect.CONFIRMED,
    reasons: Sequence[Reason] = (),
    module: str = "",
    **fields: Value,
) -> StepRecord:
    """A step. `progress` is the counter as it was decided: the next step's says what this one brought."""
    proposal = Proposal(
        proposal_id=plan,
        situation="",
        subgoal=f"goal of {skill}",
        module=module,
        stop=stop,
        source=f"skill:{skill}",
    )
    return step_record(
        number,
        at_ns=number,
        status=status,
        route=Route.REFLEX if module else Route.REACTIVE,
        reasons=tuple(reasons),
        signals=Signals(progress=progress),
        fields=dict(fields),
        proposal=proposal if skill else None,
        action=SemanticAction(name=action),
        sent=(_PRESS,),
        effect=effect,
    )


def entry(
    number: int,
    content: MemoryContent,
    *,
    game_id: str = "cave",
    author: Author = "agent",
    run_id: int | None = None,
) -> MemoryEntry:
    by = Provenance(author=author, run_id=run_id)
    return MemoryEntry(entry_id=number, game_id=game_id, content=content, provenance=by, changed_by=by)


def with_fields(item: StepRecord, fields: Mapping[str, Value]) -> StepRecord:
    return replace(item, fields={**item.fields, **fields})
