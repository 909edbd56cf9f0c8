"""The write rules (SPEC §3): which outcomes become memory, one at a time, as writes for the store."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from pitwall.core.actions import Effect
from pitwall.core.memories import MemoryEntry, Provenance
from pitwall.core.memory_kinds import ActionEdge, ActionMemory, Likeness, StateNode
from pitwall.core.settings import MemorySettings
from pitwall.memory.store import AgentWrite

_COUNTED = 16
"""Newest unsure successes on edges that are not counted again where something makes them sure (choice)."""
REWARD_PROGRESS = 1.0
REWARD_EFFECT = 0.5
"""Reward of an action: progress counts fully, a confirmed effect without progress half (our choice)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionOutcome:
    """An action whose outcome is known.

    Attributes:
        before, after: the state in the memory's words.
        confidence: that the action did what it should: 1 if there was progress or its declared `expect` was
            seen, a reflection's own where it validates the action, else 0.
        evidence: what the confidence rests on, as half a sentence.
        failed: actions that failed in the same state right before, each with its times (a recovery).
        known: the action bank has this outcome already; only its promotion to the graph is new.
        tag: source tag: the plan that it came from.
    """

    before: str
    after: str
    action: str
    effect: Effect
    progressed: bool
    confidence: float
    evidence: str = "a success"
    failed: tuple[tuple[str, int], ...] = ()
    known: bool = False
    tag: str = ""
    run_id: int | None = None
    step: int | None = None
    frame_id: int | None = None

    @property
    def success(self) -> bool:
        return self.effect is Effect.CONFIRMED or self.progressed or self.known

    @property
    def reward(self) -> float:
        return REWARD_PROGRESS if self.progressed else REWARD_EFFECT * self.success

    def provenance(self, reason: str) -> Provenance:
        return Provenance(
            author="agent",
            run_id=self.run_id,
            step=self.step,
            frame_id=self.frame_id,
            reason=reason,
            source=self.tag,
        )


class MemoryWriter:
    """Turns lessons into writes, and knows the entry of each state and action.

    A success goes to SA-MB and, if it is sure enough, to SA-KG in two steps: the states first, then the
    action between them, once their ids are known. A failure goes to SA-MB if the settings keep failures. An
    edge that exists counts failures and unsure successes too; a recovery brings the failures before it into
    the graph. What the environment refused shows nothing and is not kept.
    """

    def __init__(self, game_id: str) -> None:
        self._game_id = game_id
        self.reset(())

    def reset(self, entries: Iterable[MemoryEntry]) -> None:
        self._items: dict[tuple[str, str], MemoryEntry] = {}
        self._nodes: dict[str, int] = {}
        self._edges: dict[tuple[int, str], dict[int | None, MemoryEntry]] = {}
        self._texts: dict[int, str] = {}
        self._bare: dict[int, str] = {}
        self._promoting: ActionOutcome | None = None
        self._alike: list[Likeness] = []
        self._counted: deque[tuple[int | None, int | None]] = deque(maxlen=_COUNTED)
        for entry in entries:
            self.put(entry)

    def put(self, entry: MemoryEntry) -> None:
        content = entry.content
        match content:
            case ActionMemory(state=state, action=action):
                self._items[state, action] = entry
            case StateNode(text=text):
                self._nodes[text] = entry.entry_id
                if self._texts.get(entry.entry_id) != text:
                    self._texts[entry.entry_id] = text
                    self._bare[entry.entry_id] = text
            case ActionEdge(source=source, target=target, action=action):
                self._edges.setdefault((source, action), {})[target] = entry

    def remove(self, entry_id: int) -> None:
        text = self._texts.pop(entry_id, None)
        self._bare.pop(entry_id, None)
        if text is not None and self._nodes.get(text) == entry_id:
            del self._nodes[text]
        for key in [key for key, entry in self._items.items() if entry.entry_id == entry_id]:
            del self._items[key]
        for edges in self._edges.values():
            for target in [target for target, edge in edges.items() if edge.entry_id == entry_id]:
                del edges[target]

    def next(self, lessons: deque[ActionOutcome], memory: MemorySettings) -> list[AgentWrite]:
        """Return the next writes for a lesson taken off the queue. Call again once they are written."""
        if self._alike and self._promoting is None:
            alike, self._alike = self._alike, []
            reason = Provenance(author="agent", reason="their states are alike")
            return [
                AgentWrite(game_id=self._game_id, content=content, provenance=reason) for content in alike
            ]
        while lessons or self._promoting is not None:
            if self._promoting is not None:
                lesson, self._promoting = self._promoting, None
                changes = self._edge(lesson, memory)
            else:
                lesson = lessons.popleft()
                changes = [] if lesson.known else self._item(lesson, memory)
                changes += self._graph(lesson, memory)
            if changes:
                return changes
        return []

    def without_vector(self) -> list[tuple[int, str]]:
        """Return the first few states without a vector."""
        return list(self._bare.items())[:8]

    def has_vector(self, entry_id: int) -> None:
        self._bare.pop(entry_id, None)

    def forget_vectors(self) -> None:
        """Require a new vector for every state: the embedder changed."""
        self._bare = dict(self._texts)

    def alike(self, likenesses: Iterable[Likeness]) -> None:
        """Add likenesses found by a new state's vector; they are written with the next writes."""
        self._alike += likenesses

    def _item(self, lesson: ActionOutcome, memory: MemorySettings) -> list[AgentWrite]:
        known = self._items.get((lesson.before, lesson.action))
        if not lesson.success and not memory.write_failures:
            return []
        old = known.content if known is not None else None
        if not isinstance(old, ActionMemory):
            old = ActionMemory(state=lesson.before, action=lesson.action)
            reward = lesson.reward
        else:
            reward = memory.reward_keeps * old.reward + (1 - memory.reward_keeps) * lesson.reward
        content = replace(
            old,
            reward=reward,
            successes=old.successes + lesson.success,
            attempts=old.attempts + 1,
            at_s=time.time(),
            tag=lesson.tag or old.tag,
        )
        why = "it worked" if lesson.success else "it was tried, and no effect was seen"
        return [self._write(content, lesson.provenance(why), known)]

    def _graph(self, lesson: ActionOutcome, memory: MemorySettings) -> list[AgentWrite]:
        """Write the states of a sure success; every outcome updates an edge that exists."""
        if not lesson.success:
            return self._edge(lesson, memory) if lesson.before in self._nodes else []
        if lesson.confidence < memory.promote_at or not lesson.before:
            source, target = self._nodes.get(lesson.before), self._nodes.get(lesson.after)
            known = source is not None and target in self._edges.get((source, lesson.action), ())
            if lesson.known or target is None or not known:
                return []
            self._counted.append((lesson.run_id, lesson.step))
            return self._edge(replace(lesson, evidence="an effect that was seen"), memory)
        self._promoting = lesson
        why = f"{lesson.evidence}, with confidence {lesson.confidence:.2f}"
        missing = [text for text in dict.fromkeys((lesson.before, lesson.after)) if text not in self._nodes]
        return [self._write(StateNode(text=text), lesson.provenance(why), None) for text in missing if text]

    def _edge(self, lesson: ActionOutcome, memory: MemorySettings) -> list[AgentWrite]:
        source, target = self._nodes.get(lesson.before), self._nodes.get(lesson.after)
        if source is None:
            return []
        if not lesson.success:
            return self._weaken(source, lesson, memory)
        failures = [
            change
            for action, times in lesson.failed
            for change in self._failed(source, action, times, lesson)
        ]
        if lesson.known and (lesson.run_id, lesson.step) in self._counted:
            return failures
        known = self._edges.get((source, lesson.action), {}).get(target)
        old = known.content if known is not None else None
        if not isinstance(old, ActionEdge):
            old, reward = ActionEdge(source=source, target=target, action=lesson.action), lesson.reward
        else:
            reward = memory.reward_keeps * old.reward + (1 - memory.reward_keeps) * lesson.reward
        content = replace(
            old,
            count=old.count + 1,
            reward=reward,
            successes=old.successes + 1,
            attempts=old.attempts + 1,
        )
        why = f"{lesson.evidence} between two known states"
        return [self._write(content, lesson.provenance(why), known), *failures]

    def _failed(self, source: int, action: str, times: int, lesson: ActionOutcome) -> Iterator[AgentWrite]:
        """Write a failure before a recovery as an action without target, unless an edge counts it already."""
        if not self._edges.get((source, action)):
            content = ActionEdge(source=source, action=action, count=times, attempts=times)
            yield self._write(content, lesson.provenance("it failed before the recovery"), None)

    def _weaken(self, source: int, lesson: ActionOutcome, memory: MemorySettings) -> list[AgentWrite]:
        """Count a failure against the edges that exist; it makes no edge."""
        changes = []
        for known in self._edges.get((source, lesson.action), {}).values():
            old = known.content
            if isinstance(old, ActionEdge):
                content = replace(old, attempts=old.attempts + 1, reward=memory.reward_keeps * old.reward)
                why = "the same action had no effect here this time"
                changes.append(self._write(content, lesson.provenance(why), known))
        return changes

    def _write(
        self,
        content: ActionMemory | StateNode | ActionEdge,
        provenance: Provenance,
        known: MemoryEntry | None,
    ) -> AgentWrite:
        return AgentWrite(
            game_id=self._game_id,
            content=content,
            provenance=provenance,
            entry_id=known.entry_id if known is not None else None,
        )
