"""The agent's memory of one game during play: asked before a decision, written after its outcome.

Slow work is done elsewhere: the store in a thread (`memory_worker`), embeddings in the host (`embedder`). An
entry is in the indexes as soon as its commit returned.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pitwall.core.clock import NS_PER_MS, now_ns
from pitwall.core.commands import EditMemory
from pitwall.core.memories import EditResult, MemoryEntry, Provenance
from pitwall.core.memory_kinds import ActionMemory
from pitwall.core.model_telemetry import Tally
from pitwall.core.observations import GameStatus, Value
from pitwall.core.paths import DataFolder
from pitwall.core.retrieval import Retrieval
from pitwall.core.settings import Settings
from pitwall.core.telemetry import Fault, MemoryChanged, MemoryEdited, MemoryOpened
from pitwall.engine.control.default_agent import KEPT_TAG
from pitwall.engine.recall.embedder import Embedder
from pitwall.engine.recall.memory_worker import Edited, Loaded, MemoryWorker, Refused, VectorsRead, Written
from pitwall.engine.recall.write_rules import ActionOutcome, MemoryWriter
from pitwall.games.schema.profile import Game
from pitwall.memory.prompt.memory_entries import PROMPT_KINDS
from pitwall.memory.retrieval.retriever import MemoryRetriever, weights_of
from pitwall.memory.store import AgentWrite
from pitwall.memory.text import state_summary
from pitwall.memory.track_record import TrackRecord

_WRITES_A_LOOK = 32
"""How many writes lie between two checks of the caps."""
_PREFETCH_NS = 50 * NS_PER_MS
"""How often a state's vector is requested ahead of the decision that needs it."""
_MOST_WAITING = 64
"""How many outcomes may wait; older ones are dropped if the disk does not keep up."""


class AgentMemory:
    """The memory of one game.

    Attributes:
        revision: grows with every change of the entries that prompts use.
        track_record: who drove how well.
    """

    def __init__(
        self,
        data: DataFolder,
        game: Game,
        embedder: Embedder,
        settings: Callable[[], Settings],
        tell: Callable[[Any], None],
    ) -> None:
        self._game = game
        self._embedder = embedder
        self._settings = settings
        self._tell = tell
        self._worker = MemoryWorker(data, game.game_id)
        self._units = {field.name: field.unit for field in game.profile.fields}
        rules = game.profile.progress
        self._key = tuple(game.profile.knowledge.state_key)
        self._progress = (*rules.inventory, *rules.selection, *rules.dialogue, *rules.facing)
        self._entries: dict[int, MemoryEntry] = {}
        self._prompt_entries: tuple[MemoryEntry, ...] | None = None
        self._recall: MemoryRetriever | None = None
        self._learner = MemoryWriter(game.game_id)
        self._lessons: deque[ActionOutcome] = deque(maxlen=_MOST_WAITING)
        self._writing = False
        self._written = 0
        self._prefetch_at_ns = 0
        self._vectors_of = ""
        self._snapshot = ""
        self._opened = False
        self.revision = 0
        self.track_record = TrackRecord()

    def fileno(self) -> int:
        return self._worker.fileno()

    @property
    def prompt_entries(self) -> tuple[MemoryEntry, ...]:
        """Return the entries that prompts and the skill planner use: skills, episodes, knowledge, notes."""
        if self._prompt_entries is None:
            kinds = {kind.value for kind in PROMPT_KINDS}
            self._prompt_entries = tuple(
                entry for entry in self._entries.values() if entry.content.kind in kinds
            )
        return self._prompt_entries

    def pump(self) -> None:
        """Take finished jobs, write what waits, give states their vectors. Never waits."""
        for done in self._worker.done():
            self._take(done)
        self._embedder.pump()
        for problem in self._embedder.problems():
            self._tell(Fault.of(problem))
        if self._recall is None:
            return
        self._follow_vectors(self._recall)
        self._write()

    def ask(
        self,
        values: Mapping[str, Value],
        status: GameStatus,
        *,
        step: int,
        legal: Callable[[str], bool],
    ) -> Retrieval | None:
        """Ask the memory about this state; return None if it is not open, or may not be asked."""
        memory = self._settings().memory
        if self._recall is None or memory.global_only or not (memory.action_bank or memory.knowledge_graph):
            return None
        query = self.state_text(values, status)
        vector = self._embedder.vector(query) if memory.knowledge_graph else None
        return self._recall.ask(
            query,
            vector,
            step=step,
            now_s=time.time(),
            settings=memory,
            legal=legal,
            embedder=self._embedder.name if vector is not None else "",
            values=values,
        )

    def prefetch_vector(self, values: Mapping[str, Value], status: GameStatus) -> None:
        """Request the state's vector now and then, before a decision needs it."""
        now = now_ns()
        if self._recall is None or now < self._prefetch_at_ns:
            return
        self._prefetch_at_ns = now + _PREFETCH_NS
        if self._settings().memory.knowledge_graph:
            self._embedder.vector(self.state_text(values, status))

    def state_text(self, values: Mapping[str, Value], status: GameStatus) -> str:
        """Return the description by which the memory compares states, like "playing facing_left wood_4"."""
        return state_summary(values, status, self._units, fields=self._progress, key=self._key)

    def learn(self, lesson: ActionOutcome) -> None:
        """Learn from an action whose outcome is known."""
        if self._settings().memory.write and self._recall is not None:
            self._lessons.append(lesson)

    def learn_from_run(self, lessons: Callable[[list[MemoryEntry]], Sequence[AgentWrite]]) -> None:
        """Keep the lessons of a finished run; they are worked out beside the loop."""
        if self._recall is not None and self._settings().memory.write:
            self._worker.write_lessons(lessons)

    def explored(self) -> dict[ActionMemory, int]:
        """Return what the default agent kept in earlier runs, with the ids of its entries."""
        entries = self._entries.values() if self._settings().memory.action_bank else ()
        kept = ((entry.content, entry.entry_id) for entry in entries)
        return {
            made: number for made, number in kept if isinstance(made, ActionMemory) and made.tag == KEPT_TAG
        }

    def keep_explored(self, kept: Sequence[ActionMemory]) -> None:
        """Keep what the default agent learned, in place of what it kept before."""
        ids = {(made.state, made.action): number for made, number in self.explored().items()}
        why = Provenance(author="agent", reason="what the default agent learned", source=KEPT_TAG)
        game = self._game.game_id
        writes = [
            AgentWrite(
                game_id=game, content=made, provenance=why, entry_id=ids.get((made.state, made.action))
            )
            for made in kept
        ]
        self.learn_from_run(lambda _: writes)

    def add_tally(self, model: str, tally: Tally) -> None:
        """Add a decision's outcome to the track record."""
        self.track_record.add(model, tally)
        if self._settings().memory.write and self._recall is not None:
            self._worker.add_tally(model, tally)

    def edit(self, command: EditMemory) -> None:
        """Carry out an operator's edit beside the play; telemetry answers it."""
        self._worker.edit(command)

    def snapshot(self) -> str:
        """Keep the memory that a run begins with; return its content hash. Waits two seconds at most."""
        self._snapshot = self._worker.snapshot(2.0) if self._recall is not None else ""
        self._report_opened()
        return self._snapshot

    def close(self) -> None:
        self._worker.close()

    def _take(self, done: Any) -> None:
        match done:
            case Loaded(entries=entries, tallies=tallies, notices=notices):
                for model, tally in tallies:
                    self.track_record.add(model, tally)
                self._entries = {entry.entry_id: entry for entry in entries}
                self._rebuild()
                for notice in notices:
                    self._tell(Fault(what=notice, error="Notice"))
            case Written(entries=entries, lessons=lessons):
                self._writing = self._writing and lessons  # the loop's own write may still be on its way
                self._written += 1
                self._adopt([entry for entry in entries if entry is not None], (), author="agent")
            case Edited(answers=answers, entries=entries, gone=gone, whole=whole):
                if whole:
                    self._entries = {entry.entry_id: entry for entry in entries}
                    self._rebuild()
                else:
                    self._adopt(entries, gone, author="")
                for note in answers:
                    self._tell(note)
            case VectorsRead(embedder=name, vectors=vectors) if name == self._vectors_of:
                for entry_id, vector in vectors.items():
                    if self._recall is not None and entry_id in self._entries:
                        self._recall.set_vector(entry_id, vector)
                        self._learner.has_vector(entry_id)
            case Refused():
                self._refused(done)

    def _refused(self, refused: Refused) -> None:
        self._writing = False
        error = refused.error
        self._tell(Fault.of(error))
        if refused.opening:
            self._tell(MemoryOpened(game_id=self._game.game_id, text=f"{error.what} Nothing is remembered."))

    def _rebuild(self) -> None:
        """Rebuild every index: at the opening, after a restored snapshot or an import."""
        self._recall = MemoryRetriever(self._entries.values(), {}, weights_of(self._settings().memory))
        self._learner.reset(self._entries.values())
        self._vectors_of = ""
        self._touch()
        self._report_opened()

    def _adopt(self, entries: list[MemoryEntry], gone: tuple[int, ...], *, author: str) -> None:
        assert self._recall is not None
        for entry_id in gone:
            if self._entries.pop(entry_id, None) is not None:
                self._recall.remove(entry_id)
                self._learner.remove(entry_id)
        for entry in entries:
            if entry.forgotten:
                continue
            self._entries[entry.entry_id] = entry
            self._recall.put(entry)
            self._learner.put(entry)
        kinds = {entry.content.kind for entry in entries}
        if gone or kinds & {kind.value for kind in PROMPT_KINDS}:
            self._touch()
        if author and entries:
            ids = tuple(entry.entry_id for entry in entries)
            self._tell(MemoryChanged(entry_ids=ids, kinds=tuple(sorted(kinds)), author=author))

    def _touch(self) -> None:
        self._prompt_entries = None
        self.revision += 1

    def _write(self) -> None:
        """Start the next write once the previous one is done: it needs the ids of those entries."""
        if self._writing:
            return
        memory = self._settings().memory
        changes = self._learner.next(self._lessons, memory)
        if changes:
            self._writing = True
            self._worker.write(changes)
        elif self._recall is not None and self._written >= _WRITES_A_LOOK:
            self._written = 0
            surplus = self._recall.surplus(memory)
            if surplus:
                self._worker.forget(surplus)

    def _follow_vectors(self, recall: MemoryRetriever) -> None:
        """Give states their vectors as the embedder makes them; a new embedder starts from scratch."""
        name = self._embedder.name
        if name != self._vectors_of:
            self._vectors_of = name
            self._learner.forget_vectors()
            if name:
                self._worker.read_vectors(name)
            self._report_opened()
            return
        if not name:
            return
        made = {}
        for entry_id, text in self._learner.without_vector():
            vector = self._embedder.vector(text)  # requests those that are missing
            if vector is None:
                continue
            made[entry_id] = vector
            self._learner.has_vector(entry_id)
            recall.set_vector(entry_id, vector)
            self._learner.alike(recall.graph.propose_likenesses(entry_id))
        if made:
            self._worker.keep_vectors(name, made)

    def _report_opened(self) -> None:
        counts = dict(Counter(str(entry.content.kind) for entry in self._entries.values()))
        self._tell(
            MemoryOpened(
                game_id=self._game.game_id,
                counts=counts,
                embedder=self._embedder.name,
                snapshot=self._snapshot,
            )
        )


def refused_edit(command: EditMemory, message: str, fix: str) -> MemoryEdited:
    """Return the answer to an edit that cannot be done."""
    return MemoryEdited(edit_id=command.edit_id, result=EditResult(what=message, fix=fix))
