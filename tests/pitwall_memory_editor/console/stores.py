"""Real memories in a real database, and an engine's session that answers edits from the real store."""

from __future__ import annotations

import contextlib
import itertools
import random
import time
from collections.abc import Sequence
from typing import Any

import pysqlite3
from tests.console.scripted_session import ScriptedSession

from pitwall.core import commands
from pitwall.core.memories import FlagEntries, MemoryEntry, Provenance, PutEntry
from pitwall.core.memory_fields import MemoryKind
from pitwall.core.memory_kinds import (
    ActionEdge,
    ActionMemory,
    EpisodeMemory,
    GlobalNote,
    KnowledgeMemory,
    Likeness,
    MemoryContent,
    ProcedureMemory,
    SkillMemory,
    StateNode,
)
from pitwall.core.paths import DataFolder
from pitwall.core.telemetry import MemoryChanged, MemoryEdited, MemoryOpened
from pitwall.memory.store import AgentWrite, MemoryStore

GAME = "flappy"
YOU = Provenance(author="operator")
_PLACES = ("gap ahead", "pipe near", "below the gap", "above the gap", "falling fast", "ground near")
_MORE = ("gap offset low", "gap offset high", "score rising", "just passed a pipe", "gap is wide")
_ACTIONS = ("flap", "glide")


def agent(run_id: int = 127, step: int = 1, reason: str = "outcome known") -> Provenance:
    return Provenance(author="agent", run_id=run_id, step=step, frame_id=step * 7, reason=reason)


def items(count: int, seed: int = 4) -> list[AgentWrite]:
    """So many SA-MB items, no two alike."""
    picked = random.Random(seed)
    result = []
    for number in range(count):
        attempts = picked.randint(1, 40)
        state = f"{picked.choice(_PLACES)} {picked.choice(_MORE)} bird y {number % 512} score {number // 512}"
        content = ActionMemory(
            state=state,
            action=picked.choice(_ACTIONS),
            reward=round(picked.random(), 3),
            successes=picked.randint(0, attempts),
            attempts=attempts,
            at_s=time.time() - picked.randint(1, 400_000),
            tag="played",
        )
        result.append(AgentWrite(game_id=GAME, content=content, provenance=agent(step=number + 1)))
    return result


def put(store: MemoryStore, *contents: MemoryContent, by: Provenance = YOU) -> list[int]:
    """Add entries; returns their ids."""
    edits = [PutEntry(game_id=GAME, content=content) for content in contents]
    result = store.apply(edits, by)
    assert result.done, result.what
    return list(result.entry_ids)


def pin(store: MemoryStore, ids: Sequence[int]) -> None:
    assert store.apply([FlagEntries(entry_ids=tuple(ids), pinned=True)], YOU).done


def proposed(other: int | None) -> SkillMemory:
    """A skill that waits in the inbox."""
    return SkillMemory(
        name="Brake before the ground",
        when="bird_y > 400 and not game_over",
        subgoal="Stay above the ground",
        situation="falling towards the ground",
        actions=("flap", "glide"),
        stop="bird_y < 300",
        priority=4,
        status="proposed",
        evidence=(
            "Lost 3 of 5 episodes of run 127 within 12 steps of this state.",
            "Resampled 3 times: better in 2, harmful in none.",
            "Cosine 0.61 to a skill in use: the judge was not sure.",
        ),
        similar_to=other,
    )


def fill(data: DataFolder, count: int = 60, *, inbox: bool = True) -> list[int]:
    """A memory of every kind, with so many SA-MB items. Returns the items' ids."""
    with MemoryStore.open(data, role="test") as store:
        written = [entry for entry in store.write(items(count)) if entry is not None]
        ids = [entry.entry_id for entry in written]
        put(
            store,
            KnowledgeMemory(heading="Pipes", text="A gap is 100 px high; touching a pipe ends the game."),
            KnowledgeMemory(heading="Gravity", text="The bird falls faster the longer it falls."),
            EpisodeMemory(key="bird", text="Died at the third pipe: flapped too late twice.", run_id=121),
            EpisodeMemory(key="bird", text="28 pipes; lost where the gap jumped up.", run_id=127),
            GlobalNote(about="failure", text="Two flaps in a row under a low gap hit the pipe."),
            ProcedureMemory(
                action="flap", construction="Space down, up after 60 ms", successes=40, attempts=41
            ),
        )
        (skill,) = put(
            store,
            SkillMemory(
                name="Flap below the gap",
                when="bird_y > gap_bottom - 20",
                subgoal="Stay inside the gap",
                actions=("flap",),
                stop="bird_y < gap_top",
                uses=210,
                successes=188,
            ),
        )
        if inbox:
            put(store, proposed(skill), by=agent(step=388, reason="after the run"))
            put(
                store,
                SkillMemory(
                    name="Glide at the top",
                    when="bird_y < 20",
                    subgoal="Come down",
                    actions=("glide",),
                    uses=24,
                    successes=3,
                ),
            )
        nodes = put(
            store, *(StateNode(text=f"{place} {more}") for place in _PLACES for more in _MORE), by=agent()
        )
        put(
            store,
            *(
                ActionEdge(
                    source=item,
                    target=two,
                    action=_ACTIONS[item % 2],
                    count=9,
                    reward=0.5,
                    successes=item % 9,
                    attempts=9,
                )
                for item, two in itertools.pairwise(nodes)
            ),
            *(
                Likeness(first=item, second=two, cosine=0.93)
                for item, two in zip(nodes, nodes[3:], strict=False)
            ),
            by=agent(),
        )
        pin(store, ids[:2])
        return ids


def multiply(data: DataFolder, count: int) -> None:
    """Make it so many SA-MB items: copies in the database itself, which takes seconds where writing takes
    minutes. Their states say which copy they are."""
    with MemoryStore.open(data, role="test") as store:
        there = len(store.entries(GAME, [MemoryKind.ACTION]))
    columns = (
        "game_id, kind, standing, pinned, version, action, facet, reward, successes, attempts, amount, at_s,"
        " first, second, author, run_id, fingerprint, created_at, changed_at, provenance, changed_by"
    )
    database = pysqlite3.connect(str(data.memory))
    with contextlib.closing(database), database:
        database.execute(
            f"""WITH RECURSIVE copies(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < ?)
            INSERT INTO entries ({columns}, label, content)
            SELECT {columns}, label || ' copy ' || n,
                json_set(content, '$.state', json_extract(content, '$.state') || ' copy ' || n)
            FROM entries, copies WHERE kind = 'action' LIMIT ?""",
            (count // there + 1, count - there),
        )
        database.execute(
            """INSERT INTO entry_texts (rowid, text) SELECT entry_id, json_extract(content, '$.state')
            FROM entries WHERE label LIKE '% copy %'"""
        )


class StoreSession(ScriptedSession):
    """An engine's session with the real store behind it: edits are answered as an engine answers them."""

    def __init__(self, data: DataFolder, opening: commands.Open) -> None:
        super().__init__(data, opening)
        self.store = MemoryStore.open(data, role="engine")
        self.tell(MemoryOpened(game_id=GAME))

    def send(self, command: Any) -> None:
        super().send(command)
        if isinstance(command, commands.EditMemory):
            result = self.store.apply(command.edits, YOU)
            self.tell(MemoryEdited(edit_id=command.edit_id, result=result))
            if result.done:
                self.tell(MemoryChanged(entry_ids=result.entry_ids, author="operator"))

    def write(self, *writes: AgentWrite) -> list[MemoryEntry | None]:
        """As the agent writes while it plays."""
        written = self.store.write(writes)
        ids = tuple(entry.entry_id for entry in written if entry is not None)
        self.tell(MemoryChanged(entry_ids=ids, kinds=("action",), author="agent"))
        return written

    def close(self) -> int:
        self.store.close()
        return super().close()
