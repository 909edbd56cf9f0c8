"""A question to the memory: what is told, what acts, what is cut and why; and other weights."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.memory.retrieval.bank_cases import NOW_S, action_entry, bank_of, item_of, text_of

from pitwall.core.memories import MemoryEntry, Provenance
from pitwall.core.memory_kinds import ActionEdge, ActionMemory, MemoryContent, StateNode
from pitwall.core.retrieval import MemoryWeights, Retrieval
from pitwall.core.settings import MemorySettings
from pitwall.memory.retrieval import reference as direct
from pitwall.memory.retrieval.fusion import fuse
from pitwall.memory.retrieval.hints import ILLEGAL, NO_HINTS, NO_ROOM, SCALE, hinted_actions
from pitwall.memory.retrieval.retriever import MemoryRetriever, weights_of
from pitwall_memory_editor.explain import rescore

_BY = Provenance(author="agent")
_UP, _SIDE = np.array([0, 1, 0], np.float32), np.array([0, 0, 1], np.float32)


def kept(entry_id: int, content: MemoryContent) -> MemoryEntry:
    return MemoryEntry(entry_id=entry_id, game_id="cave", content=content, provenance=_BY, changed_by=_BY)


def tried(
    entry_id: int, state: str, action: str, successes: int, attempts: int, **more: float
) -> MemoryEntry:
    rate = successes / max(1, attempts)
    return action_entry(entry_id, state, action, reward=rate, successes=successes, attempts=attempts, **more)  # type: ignore[arg-type]


def asked(
    entries: list[MemoryEntry],
    query: str,
    vector: NDArray[np.float32] | None = None,
    vectors: dict[int, NDArray[np.float32]] | None = None,
    legal: Callable[[str], bool] = lambda _: True,
    **settings: float | bool | str,
) -> Retrieval:
    chosen = MemorySettings.model_validate(settings)
    recall = MemoryRetriever(entries, vectors or {}, weights_of(chosen))
    return recall.ask(query, vector, step=7, now_s=NOW_S, settings=chosen, legal=legal, embedder="e")


_FOREST = [
    tried(1, "playing front_tree wood_4", "chop", 4, 5),
    tried(2, "playing front_tree wood_4", "wait", 1, 5),
    tried(3, "playing front_stone wood_4", "dig", 2, 2),
    tried(4, "menu", "confirm", 9, 9, at_s=NOW_S - 9e5),
]


def test_the_best_like_one_is_told_and_acts() -> None:
    answer = asked(_FOREST, "Playing: front_tree, wood_4!")
    assert answer.query == "playing front_tree wood_4" and answer.step == 7 and answer.considered == 4
    assert answer.hints == ("in this state 'chop' worked 4 of 5 times",) and answer.acted == "chop"
    assert [(candidate.entry_id, candidate.cut) for candidate in answer.candidates][:2] == [
        (1, ""),
        (2, NO_ROOM),
    ]
    assert all("not like enough" in candidate.cut for candidate in answer.candidates[2:])
    assert answer.took_ms > 0 and answer.embedder == ""


def test_a_like_state_gives_a_hint_and_does_not_act() -> None:
    states = "playing front_tree wood_4 food_4 health_8 drink_8 daylight_full"
    answer = asked(
        [tried(1, states, "chop", 1, 1)], states.replace("food_4", "food_3") + " turned", hint_at=0.7
    )
    assert answer.hints == ("in a like state 'chop' worked when it was tried once",) and answer.acted == ""


def test_more_hints_tell_of_different_actions() -> None:
    twice = [*_FOREST, tried(5, "playing front_tree wood_4", "chop", 1, 1, at_s=NOW_S - 60)]
    answer = asked(twice, "playing front_tree wood_4", hints=3)
    assert [hint.split("'")[1] for hint in answer.hints] == ["chop", "wait"]
    assert "a better one tells of the same action" in [candidate.cut for candidate in answer.candidates]
    assert "in this state 'wait' worked 1 of 5 times" in answer.hints


def test_what_failed_is_told_and_never_acts() -> None:
    answer = asked([tried(1, "a b c", "jump", 0, 3)], "a b c")
    assert answer.hints == ("in this state 'jump' failed 3 times of 3",) and answer.acted == ""
    answer = asked([tried(1, "a b c", "jump", 0, 0)], "a b c")
    assert answer.hints == ("in this state 'jump' was not tried yet",) and answer.acted == ""


def test_only_legal_actions_are_told() -> None:
    answer = asked(_FOREST, "playing front_tree wood_4", legal=lambda action: action != "chop")
    assert answer.candidates[0].action == "wait" and answer.acted == ""
    assert {candidate.action for candidate in answer.candidates if candidate.cut == ILLEGAL} == {"chop"}


@pytest.mark.parametrize(
    "switch",
    [
        {"global_only": True},
        {"action_bank": False, "knowledge_graph": False},
        {"hints": 0, "act_directly": False},
    ],
)
def test_switches_silence_it(switch: dict[str, bool]) -> None:
    answer = asked(_FOREST, "playing front_tree wood_4", None, None, lambda _: True, **switch)
    assert answer.hints == () and answer.acted == ""
    if "hints" in switch:
        assert answer.candidates[0].cut == NO_HINTS
    else:
        assert answer.candidates == () and answer.considered == 0


def test_it_acts_only_where_it_may() -> None:
    assert asked(_FOREST, "playing front_tree wood_4", act_directly=False).acted == ""
    answer = asked(_FOREST, "playing front_tree wood_4", hints=0)
    assert answer.acted == "chop" and answer.hints == () and answer.candidates[0].cut == ""


_GRAPH = [
    kept(11, StateNode(text="at a tree")),
    kept(12, StateNode(text="at a stone")),
    kept(21, ActionEdge(source=11, target=12, action="wait", count=4, successes=3, attempts=4)),
]
_VECTORS = {11: _UP, 12: _SIDE}


def test_the_graph_lifts_what_it_speaks_for() -> None:
    near = 0.9 * _UP + 0.1 * _SIDE
    close = [
        tried(1, "playing front_tree wood_4", "chop", 3, 5),
        tried(2, "playing front_tree wood_4", "wait", 5, 9),
        tried(3, "menu", "confirm", 0, 9),
    ]
    assert asked(close, "playing front_tree wood_4").acted == "chop"
    answer = asked([*close, *_GRAPH], "playing front_tree wood_4", near, _VECTORS)
    assert answer.acted == "wait" and answer.embedder == "e"
    assert [(candidate.node_id, candidate.action, candidate.rho) for candidate in answer.graph] == [
        (11, "wait", 0.75)
    ]
    assert answer.candidates[0].graph_norm == 1.0 and answer.candidates[0].support == answer.graph
    alone = asked([*close, *_GRAPH], "playing front_tree wood_4", near, _VECTORS, knowledge_graph=False)
    assert alone.acted == "chop" and alone.graph == () and alone.embedder == ""
    assert asked([*close, *_GRAPH], "playing front_tree wood_4", None, _VECTORS).acted == "chop"


def test_without_the_bank_the_graph_tells_by_itself() -> None:
    answer = asked([*_FOREST, *_GRAPH], "anything", _UP, _VECTORS, action_bank=False, controllers="shared")
    assert answer.candidates == () and answer.acted == ""
    assert answer.hints == ("in a state like this 'wait' worked 75% of the times",)


def test_the_actions_that_hints_tell_of_and_how_often_they_worked() -> None:
    twice = [*_FOREST, tried(5, "playing front_tree wood_4", "chop", 1, 1, at_s=NOW_S - 60)]
    answer = asked(twice, "playing front_tree wood_4", hints=3)
    assert list(hinted_actions(answer, bool).items()) == [("chop", 1.0), ("wait", 0.2)]
    answer = asked(_FOREST, "playing front_tree wood_4")
    assert hinted_actions(answer, bool) == {"chop": 0.8}, "what was not told is none"
    assert hinted_actions(asked(_FOREST, "playing front_tree wood_4", hints=0), bool) == {}
    answer = asked([*_FOREST, *_GRAPH], "anything", _UP, _VECTORS, action_bank=False, controllers="shared")
    assert hinted_actions(answer, bool) == {"wait": 0.75}


def test_it_follows_each_write() -> None:
    settings = MemorySettings()
    recall = MemoryRetriever([*_FOREST, *_GRAPH], _VECTORS, MemoryWeights())

    def told() -> tuple[str, ...]:
        return recall.ask(
            "playing front_tree wood_4", None, step=1, now_s=NOW_S, settings=settings, legal=lambda _: True
        ).hints

    recall.put(tried(1, "playing front_tree wood_4", "chop", 0, 9))
    assert told() == ("in this state 'wait' worked 1 of 5 times",)
    recall.put(replace(_FOREST[1], forgotten=True))
    assert told() == ("in this state 'chop' failed 9 times of 9",)
    recall.remove(1)
    assert told() == ()
    recall.put(_FOREST[1])
    assert told() == ("in this state 'wait' worked 1 of 5 times",)
    caps = MemorySettings(bank_items=10, graph_nodes=10)
    assert recall.surplus(caps) == []
    for number in range(30, 40):
        recall.put(tried(number, "a", "b", 1, 1, at_s=NOW_S + number))
    assert recall.surplus(caps)[0] == 4, "the one that was executed longest ago"


def test_an_answer_ranks_as_the_whole_fused_ranking(campaign_size: Callable[[int], int]) -> None:
    """The candidates of an answer are the best of fusing everything, with the very same figures."""
    for case in range(campaign_size(120)):
        rng, numbers = random.Random(case), np.random.default_rng(case)
        entries, words = bank_of(rng)
        count = rng.randint(0, 12)
        vectors = {10_000 + key: numbers.normal(size=6).astype(np.float32) for key in range(count)}
        edges = {
            20_000 + number: ActionEdge(
                source=rng.choice(list(vectors)),
                action=rng.choice(("walk", "jump", "fly")),
                successes=rng.randint(0, 2),
                attempts=2,
            )
            for number in range(2 * count)
        }
        nodes = [kept(key, StateNode(text="a")) for key in vectors]
        settings = MemorySettings(
            graph_least=rng.choice((0.85, 0.0)), hints=rng.choice((1, 3)), reward=rng.random()
        )
        weights = weights_of(settings)
        linked = [kept(key, edge) for key, edge in edges.items()]
        recall = MemoryRetriever([*entries, *nodes, *linked], vectors, weights)
        text, vector = text_of(rng, words), numbers.normal(size=6).astype(np.float32)
        answer = recall.ask(
            text, vector, step=1, now_s=NOW_S, settings=settings, legal=lambda action: action != "jump"
        )
        items = [item_of(entry) for entry in entries]
        whole = fuse(
            direct.rank(text, items, now_s=NOW_S, weights=weights), recall.graph.query(vector), weights
        )
        places = {candidate.entry_id: place for place, candidate in enumerate(whole)}
        result = sorted(
            (replace(candidate, cut="") for candidate in answer.candidates),
            key=lambda candidate: places[candidate.entry_id],
        )
        assert result[:8] == whole[:8]
        assert all(candidate == whole[places[candidate.entry_id]] for candidate in result)
        hinted = [
            candidate for candidate in whole if candidate.semantic >= 0.85 and candidate.action != "jump"
        ]
        actions = list(dict.fromkeys(candidate.action for candidate in hinted))[: settings.hints]
        assert [candidate.action for candidate in answer.candidates if not candidate.cut] == actions
        assert [hint.split("'")[1] for hint in answer.hints] == actions
        assert rescore(answer, weights) == answer, "the same weights give the same answer"


# ---- what if


def test_other_weights_rank_otherwise() -> None:
    old = tried(2, "playing front_tree wood_4", "wait", 5, 5, at_s=NOW_S - 3600 * 30)
    answer = asked([_FOREST[0], old, _FOREST[3]], "playing front_tree wood_4")
    assert answer.acted == "chop" and answer.candidates[0].recency == 1.0
    later = rescore(answer, replace(answer.weights, age_h=1e6))
    assert later.acted == "wait" and later.candidates[0].recency == pytest.approx(1.0, abs=1e-3)
    assert later.hints == ("in this state 'wait' worked 100% of the times",)
    assert {candidate.entry_id for candidate in later.candidates} == {
        candidate.entry_id for candidate in answer.candidates
    }
    strict = rescore(answer, replace(answer.weights, hint_at=1.1, act_at=1.2))
    assert strict.hints == () and strict.acted == "" and all(candidate.cut for candidate in strict.candidates)
    back = rescore(later, answer.weights)
    assert [candidate.entry_id for candidate in back.candidates] == [
        candidate.entry_id for candidate in answer.candidates
    ]
    assert rescore(answer, answer.weights, act=False).acted == ""
    assert len(rescore(answer, answer.weights, hints=2).hints) == 2


def test_other_figures_rank_otherwise() -> None:
    answer = asked(_FOREST, "playing front_tree wood_4")
    better = tuple(
        replace(candidate, reward=1.0, success=1.0) if candidate.action == "wait" else candidate
        for candidate in answer.candidates
    )
    assert rescore(replace(answer, candidates=better), answer.weights).acted == "wait"


def test_illegal_ones_stay_illegal_and_graph_hints_stay() -> None:
    answer = asked(_FOREST, "playing front_tree wood_4", legal=lambda action: action != "chop")
    again = rescore(answer, replace(answer.weights, reward=1.0))
    assert {candidate.action for candidate in again.candidates if candidate.cut == ILLEGAL} == {"chop"}
    alone = asked([*_FOREST, *_GRAPH], "anything", _UP, _VECTORS, action_bank=False, controllers="shared")
    assert rescore(alone, replace(alone.weights, reward=1.0)).hints == alone.hints


def test_the_lowest_of_a_large_bank_is_shown_for_the_scale() -> None:
    many = [
        tried(number, f"playing word{number}", "walk", 1, 1, at_s=NOW_S - number) for number in range(1, 200)
    ]
    answer = asked(many, "playing word7")
    (scale,) = [candidate for candidate in answer.candidates if candidate.cut == SCALE]
    assert scale.bank_norm == 0.0 and len(answer.candidates) < 60 and answer.considered == 199
    assert answer.candidates[0].bank_norm == 1.0
    assert isinstance(many[0].content, ActionMemory)
