"""`promotion`: do scores change with the rule of what becomes long-term evidence (SPEC §3)?

Four games without a window or a model.

A first play, by chance, is remembered under both rules: *picture* promotes each success, a mere change of the
picture too; *sure* promotes progress, a declared effect and a recovery. Then the same world is played once
with each graph by a reader that follows it: in a state that the graph knows it takes the best action, else
one by chance. It takes no advice twice in the same state in a row, so that none holds it for ever.
"""

from __future__ import annotations

import random
import tempfile
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from pitwall.core.actions import NO_OP, Effect, SemanticAction
from pitwall.core.memories import MemoryEntry
from pitwall.core.memory_kinds import ActionEdge, StateNode
from pitwall.core.paths import DataFolder
from pitwall.core.settings import MemorySettings
from pitwall.engine.control.baselines import drawn
from pitwall.engine.control.legality import legal
from pitwall.engine.recall.promotion import PromotionJudge
from pitwall.engine.recall.write_rules import ActionOutcome, MemoryWriter
from pitwall.engine.trigger.progress import EFFECT, ProgressCounter
from pitwall.games.registry import Registry
from pitwall.games.schema.profile import Game
from pitwall.memory.retrieval.hashing_embedder import HashingEmbedder
from pitwall.memory.retrieval.hints import ACT_SUCCESS
from pitwall.memory.retrieval.knowledge_graph import KnowledgeGraph
from pitwall.memory.retrieval.retriever import weights_of
from pitwall.memory.text import state_summary
from pitwall_bench.suites.statistics import mean_of
from workshop.benchmarks.report import check, figure, report
from workshop.fixtures.headless_episodes import TURN_NS, HeadlessGame, HeadlessStage
from workshop.fixtures.story_episodes import StoryWorld
from workshop.fixtures.twin_episodes import TwinWorld

SEEDS, STEPS = 20, 24
_QUICK_SEEDS, _QUICK_STEPS = 2, 10
_SECOND = 1_000
"""Added to the seed of the second play's dice: its chance is another than the first play's."""
_SAME = 0.999
"""Cosine from which two states are called the same."""
_MEMORY = MemorySettings()

Begin = Callable[[Game, int], HeadlessGame]
GAMES: dict[str, Begin] = {
    "flappy": lambda game, seed: TwinWorld(game, seed),
    "nightpost": lambda game, seed: TwinWorld(game, seed),
    "story": lambda _game, seed: StoryWorld(seed, "lamp"),
    "arena": lambda game, seed: TwinWorld(game, seed),
}
_SCORES: dict[str, Callable[[Any], float]] = {
    "story": lambda truth: float(truth["game_state"]["score"]),
}


class Graph:
    """A knowledge graph that one of the rules fills."""

    def __init__(self) -> None:
        self.graph = KnowledgeGraph(weights_of(_MEMORY))
        self.edges = 0
        self._writer, self._lessons = MemoryWriter("bench"), deque[ActionOutcome]()
        self._ids, self._embedder = count(1), HashingEmbedder()

    def learn(self, lesson: ActionOutcome) -> None:
        """Write what the rules of writing make of a lesson."""
        self._lessons.append(lesson)
        while changes := self._writer.next(self._lessons, _MEMORY):
            for change in changes:
                new = change.entry_id is None
                entry = MemoryEntry(
                    entry_id=change.entry_id or next(self._ids),
                    game_id="bench",
                    content=change.content,
                    provenance=change.provenance,
                    changed_by=change.provenance,
                )
                self._writer.put(entry)
                if isinstance(change.content, StateNode | ActionEdge):
                    self.graph.put(entry)
                if isinstance(change.content, StateNode) and new:
                    self.graph.set_vector(entry.entry_id, self._embedder.embed([change.content.text])[0])
                self.edges += isinstance(change.content, ActionEdge) and new

    def advice(self, state: str) -> str:
        """Return the best action that is known of this very state; empty for none."""
        near = self.graph.query(self._embedder.embed([state])[0])
        best = near[0] if near and near[0].v >= _SAME else None
        return best.action if best is not None and best.rho >= ACT_SUCCESS else ""


@dataclass(frozen=True, slots=True)
class Play:
    """A play: its best score, its progress counter, and how many of its steps followed the graph."""

    score: float
    progress: int
    followed: int


class Reader:
    """Plays one world by a graph and by chance."""

    def __init__(self, game: Game, world: HeadlessGame, *, dice: int) -> None:
        self._game, self._stage, self._dice = game, HeadlessStage(game, world), random.Random(dice)
        self._progress = ProgressCounter(game.profile.progress)
        self._progress.update(self._stage.values, effect_confirmed=False)

    def play(self, steps: int, graph: Graph | None, learn: Sequence[Callable[[ActionOutcome], None]]) -> Play:
        """Play so many steps; the best score counts."""
        best = followed = 0.0
        last = ("", "")
        for step in range(1, steps + 1):
            state = self._state()
            advice = graph.advice(state) if graph is not None else ""
            known = legal(advice, self._stage.space) if advice and (state, advice) != last else None
            followed += known is not None
            last = (state, advice) if known is not None else ("", "")
            outcome = self._outcome(step, state, known or self._chance())
            for take in learn if outcome.effect is not Effect.NONE else ():
                take(outcome)
            best = max(best, _score(self._game.game_id, self._stage.world))
        return Play(best, self._progress.count, int(followed))

    def _outcome(self, step: int, state: str, action: SemanticAction) -> ActionOutcome:
        effect = self._stage.act(action, step * TURN_NS)
        grown = self._progress.update(self._stage.values, effect_confirmed=effect is Effect.CONFIRMED)
        declared = any(bound.name == action.name and bound.expect for bound in self._game.profile.actions)
        sure = any(kind != EFFECT for kind in grown) or (declared and effect is Effect.CONFIRMED)
        return ActionOutcome(
            before=state,
            after=self._state(),
            action=str(action),
            effect=effect,
            progressed=bool(grown),
            confidence=float(sure),
            step=step,
        )

    def _chance(self) -> SemanticAction:
        """Draw a legal action; a command of a story is one of those that would do something."""
        possible = [text for text in str(self._stage.values.get("possible") or "").split("; ") if text]
        if possible:
            return SemanticAction(name="say", arguments={"text": self._dice.choice(possible)})
        return drawn(self._stage.space.forms, self._stage.space, self._dice) or NO_OP

    def _state(self) -> str:
        rules = self._game.profile.progress
        return state_summary(
            self._stage.values,
            self._stage.seen,
            {field.name: field.unit for field in self._game.profile.fields},
            fields=(*rules.inventory, *rules.selection, *rules.dialogue, *rules.facing),
            key=self._game.profile.knowledge.state_key,
        )


def _score(game_id: str, world: HeadlessGame) -> float:
    truth = world.true_state()
    return _SCORES[game_id](truth) if game_id in _SCORES else float(truth["score"])


def learn_by_picture(graph: Graph, lesson: ActionOutcome) -> None:
    """Learn as the rule before did: each success is sure."""
    graph.learn(replace(lesson, confidence=float(lesson.success)))


def run(*, quick: bool) -> dict[str, Any]:
    """Play each game under both rules."""
    seeds, steps = (_QUICK_SEEDS, _QUICK_STEPS) if quick else (SEEDS, STEPS)
    with tempfile.TemporaryDirectory(prefix="pitwall-bench-") as scratch:
        registry = Registry(DataFolder(Path(scratch)))
        games = {
            name: [_pair(registry.load(name), begin, seed, steps) for seed in range(1, seeds + 1)]
            for name, begin in GAMES.items()
        }
    return report(
        "promotion",
        [each for name, pairs in games.items() for each in compared(name, pairs)],
        seeds=seeds,
        steps=steps,
        games={name: _means(pairs) for name, pairs in games.items()},
    )


@dataclass(frozen=True, slots=True)
class Pair:
    """A seed's second plays under both rules, with the edges of both graphs."""

    chance: Play
    picture: Play
    sure: Play
    edges: tuple[int, int]


def _pair(game: Game, begin: Begin, seed: int, steps: int) -> Pair:
    picture, sure = Graph(), Graph()
    judge = PromotionJudge(sure.learn)
    first = Reader(game, begin(game, seed), dice=seed)
    chance = first.play(steps, None, [partial(learn_by_picture, picture), judge.note])
    by_picture, by_sure = (
        Reader(game, begin(game, seed), dice=seed + _SECOND).play(steps, graph, [])
        for graph in (picture, sure)
    )
    return Pair(chance, by_picture, by_sure, (picture.edges, sure.edges))


def compared(name: str, pairs: Sequence[Pair]) -> list[dict[str, Any]]:
    """Return the differences of score and of progress, each with its interval over the seeds."""
    differences = {
        "score": [pair.sure.score - pair.picture.score for pair in pairs],
        "progress": [float(pair.sure.progress - pair.picture.progress) for pair in pairs],
    }
    checks = []
    for kind, values in differences.items():
        mean = mean_of(values)
        shown = f"{name}: {kind}, sure less picture ({mean.low:.2f} to {mean.high:.2f}, {mean.n} seeds)"
        checks.append(check(shown, "", figure(mean.mean), aim="not surely below 0", met=mean.high >= 0))
    return checks


def _means(pairs: Sequence[Pair]) -> dict[str, float]:
    figures: dict[str, Sequence[float]] = {
        "score by chance": [pair.chance.score for pair in pairs],
        "score, picture": [pair.picture.score for pair in pairs],
        "score, sure": [pair.sure.score for pair in pairs],
        "progress by chance": [pair.chance.progress for pair in pairs],
        "progress, picture": [pair.picture.progress for pair in pairs],
        "progress, sure": [pair.sure.progress for pair in pairs],
        "steps by the graph, picture": [pair.picture.followed for pair in pairs],
        "steps by the graph, sure": [pair.sure.followed for pair in pairs],
        "edges, picture": [pair.edges[0] for pair in pairs],
        "edges, sure": [pair.edges[1] for pair in pairs],
    }
    return {name: round(sum(values) / len(pairs), 2) for name, values in figures.items()}
