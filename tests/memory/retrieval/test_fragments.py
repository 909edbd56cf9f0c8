"""Fragments of the graph in words, under their cap, for the controller that gets them."""

from __future__ import annotations

import numpy as np

from pitwall.core.memories import MemoryEntry, Provenance
from pitwall.core.memory_kinds import ActionEdge, StateNode
from pitwall.core.retrieval import Fragment, MemoryWeights
from pitwall.core.settings import MemorySettings
from pitwall.memory.retrieval.fragments import evidence_for, fragment_spans
from pitwall.memory.retrieval.knowledge_graph import KnowledgeGraph

NEAR, FAR = np.array([1, 0], np.float32), np.array([0, 1], np.float32)


def entry(number: int, content: StateNode | ActionEdge) -> MemoryEntry:
    agent = Provenance(author="agent", reason="played")
    return MemoryEntry(entry_id=number, game_id="g", content=content, provenance=agent, changed_by=agent)


def graph() -> KnowledgeGraph:
    made = KnowledgeGraph(MemoryWeights())
    contents: list[StateNode | ActionEdge] = [
        StateNode(text="at the tree wood_3"),
        StateNode(text='wood_4" and more'),
        StateNode(text="in the lake"),
        ActionEdge(source=1, target=2, action="chop", successes=4, attempts=5, count=4),
        ActionEdge(source=1, target=3, action="chop", successes=1, attempts=2, count=1),
        ActionEdge(source=1, action="jump", successes=0, attempts=3, count=3),
        ActionEdge(source=1, target=3, action="quit_game", successes=9, attempts=9, count=9),
        ActionEdge(source=3, target=1, action="swim", successes=1, attempts=1, count=1),
    ]
    for number, content in enumerate(contents, 1):
        made.put(entry(number, content))
    made.set_vector(1, NEAR)
    made.set_vector(3, FAR)
    return made


def legal(action: str) -> bool:
    return action != "quit_game"


def test_a_fragment_tells_state_actions_counts_what_followed_and_what_failed() -> None:
    made = graph()
    (fragment,) = made.fragments(made.query(NEAR), legal)
    assert fragment.node_id == 1
    assert fragment.text == (
        'in this state ("at the tree wood_3") \'chop\' worked 5 of 6 times, then "wood_4\\" and more"; '
        "tried and failed: 'jump' failed 3 times of 3"
    ), "a failure on both edges of an action counts once; texts cannot close their quotes"


def test_a_state_without_a_legal_action_is_no_evidence() -> None:
    made = graph()
    assert made.fragments(made.query(FAR), lambda action: action == "chop") == ()


def test_fragments_keep_to_their_cap_and_name_their_state() -> None:
    three = tuple(Fragment(node_id=n, score=1.0 - n / 10, text="x" * 40) for n in (4, 5, 6))
    spans = fragment_spans(three, 25 + 40, lambda text: len(text) // 2)
    assert [span.item for span in spans] == ["", "SA-KG state 4", "SA-KG state 5"]
    assert fragment_spans(three, 10, lambda text: len(text) // 2) == ()


def test_each_cell_gives_each_controller_its_evidence() -> None:
    hints, fragments = ("chop worked",), (Fragment(node_id=1, score=1.0, text="tree"),)

    def cell(**settings: object) -> list[tuple[bool, bool]]:
        memory = MemorySettings.model_validate(settings)
        given = [evidence_for(memory, hints, fragments, strategic=planning) for planning in (True, False)]
        return [(bool(told), bool(shown)) for told, shown in given]

    assert cell() == [(False, True), (True, False)], "strategic: the graph; reactive: the bank"
    assert cell(controllers="swapped") == [(True, False), (False, True)]
    assert cell(controllers="both") == [(True, True), (True, True)]
    assert cell(controllers="shared") == [(True, False), (True, False)]
    assert cell(controllers="both", global_only=True) == [(False, False), (False, False)]
