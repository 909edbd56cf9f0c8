"""What the memory says, read from a real file: the way of the command, with no engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pitwall.core.memories import FlagEntries, Provenance
from pitwall.core.memory_kinds import ActionEdge, ActionMemory, StateNode
from pitwall.core.paths import DataFolder
from pitwall.core.settings import MemorySettings
from pitwall.memory.reader import MemoryReader
from pitwall.memory.retrieval.hashing_embedder import HashingEmbedder
from pitwall.memory.store import AgentWrite, MemoryStore
from pitwall_memory_editor.explain import explain, rescore

_NOW_S = 1.8e9
_BY = Provenance(author="agent", run_id=1, step=3)


@pytest.fixture
def data(tmp_path: Path) -> Iterator[DataFolder]:
    folder = DataFolder(tmp_path)
    with MemoryStore.open(folder, role="test") as store:

        def write(content: ActionMemory | StateNode | ActionEdge) -> int:
            (entry,) = store.write([AgentWrite(game_id="cave", content=content, provenance=_BY)])
            assert entry is not None
            return entry.entry_id

        for action, successes in (("chop", 3), ("wait", 2)):
            write(
                ActionMemory(
                    state="playing front_tree wood_4",
                    action=action,
                    reward=0.5,
                    successes=successes,
                    attempts=4,
                    at_s=_NOW_S,
                )
            )
        write(ActionMemory(state="menu", action="confirm", reward=1, successes=1, attempts=1, at_s=_NOW_S))
        tree, rock = write(StateNode(text="playing front_tree wood_4")), write(StateNode(text="menu"))
        write(ActionEdge(source=tree, target=rock, action="wait", count=5, successes=5, attempts=5))
        store.write([AgentWrite(game_id="other", content=StateNode(text="elsewhere"), provenance=_BY)])
        store.put_vectors(
            HashingEmbedder.name, {tree: HashingEmbedder().embed(["playing front_tree wood_4"])[0]}
        )
    yield folder


def test_it_explains_from_the_file(data: DataFolder) -> None:
    reader = MemoryReader(data)
    answer = explain(reader, "cave", "Playing front_tree, wood_4", MemorySettings(hints=2), _NOW_S)
    assert answer.considered == 3 and answer.embedder == HashingEmbedder.name
    assert [(node.action, node.rho) for node in answer.graph] == [("wait", 1.0)]
    assert answer.candidates[0].action == answer.acted == "wait", "the graph speaks for it"
    assert answer.hints == (
        "in this state 'wait' worked 2 of 4 times",
        "in this state 'chop' worked 3 of 4 times",
    )
    plain = explain(
        reader, "cave", "playing front_tree wood_4", MemorySettings(knowledge_graph=False), _NOW_S
    )
    assert plain.acted == "chop" and plain.graph == () and plain.embedder == ""
    assert rescore(answer, answer.weights) == answer
    reader.close()


def test_what_is_forgotten_is_not_retrieved(data: DataFolder) -> None:
    reader = MemoryReader(data)
    answer = explain(reader, "cave", "playing front_tree wood_4", MemorySettings(), _NOW_S)
    with MemoryStore.open(data, role="test") as store:
        gone = FlagEntries(entry_ids=(answer.candidates[0].entry_id,), forgotten=True)
        assert store.apply([gone], Provenance(author="operator")).done
    assert explain(reader, "cave", "playing front_tree wood_4", MemorySettings(), _NOW_S).acted == "chop"
    reader.close()


@pytest.mark.parametrize("game", ["cave", "nowhere"])
def test_switched_off_or_empty_it_says_nothing(data: DataFolder, game: str) -> None:
    reader = MemoryReader(data)
    settings = MemorySettings(global_only=game == "cave")
    answer = explain(reader, game, "playing front_tree wood_4", settings, _NOW_S)
    assert answer.candidates == () and answer.hints == () and answer.acted == "" and answer.graph == ()
    reader.close()
