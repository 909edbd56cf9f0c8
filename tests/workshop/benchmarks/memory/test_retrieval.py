"""The memory benchmark measures the real parts; how long they took is its own affair."""

from __future__ import annotations

import sys
from itertools import islice
from pathlib import Path

import pytest

from pitwall.core.errors import PitwallError
from pitwall.core.memory_kinds import ActionMemory
from pitwall.core.paths import DataFolder
from workshop.benchmarks.memory import corpus as memory_corpus
from workshop.benchmarks.memory import retrieval as memory
from workshop.benchmarks.peers import chroma
from workshop.benchmarks.peers.chroma import Chroma
from workshop.benchmarks.peers.environments import VARIABLE, peer_python, peers_dir


def test_what_is_remembered_is_the_same_each_time_and_unlike() -> None:
    entries = memory_corpus.items(300)
    assert entries == memory_corpus.items(300) and len({entry.entry_id for entry in entries}) == 300
    done = {
        (item.content.state, item.content.action)
        for item in entries
        if isinstance(item.content, ActionMemory)
    }
    assert len(done) == 300 and len({state for state, _ in done}) > 60
    times = [element.content.at_s for element in entries if isinstance(element.content, ActionMemory)]
    assert times == sorted(times) and times[-1] == memory_corpus.NOW_S - 1
    states = list(islice(memory_corpus.states(1), 50))
    assert all(state.startswith("playing ") and 8 < len(state.split()) <= 40 for state in states)
    asked = memory_corpus.questions(entries, 30)
    known = {state for state, _ in done}
    assert 10 <= sum(text in known for text in asked) < 30


def test_both_rankings_are_measured_and_agree() -> None:
    figures = memory.bank(memory_corpus.items(1500), asked=12, direct_asked=4)
    assert len(figures.ours_ms) == 12 and len(figures.direct_ms) == 4 and figures.otherwise == 0
    assert min(*figures.ours_ms, *figures.direct_ms, figures.put_ms, figures.update_ms) > 0


def test_the_graph_is_measured_without_its_peer_too() -> None:
    figures = memory.graph(400, 10, None)
    assert len(figures.ours_ms) == 10 and figures.otherwise == 0
    assert figures.peer_ms == [] and figures.peer_found is None


def test_writes_reach_the_file(tmp_path: Path) -> None:
    took = memory.written_ms(DataFolder(tmp_path), held=40, count=10)
    assert len(took) == 10 and min(took) > 0


def test_a_peer_that_does_not_start_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chroma, "peer_python", lambda *_: Path(sys.executable))  # where it is not installed
    with Chroma() as peer, pytest.raises(PitwallError, match=r"(?s)ChromaDB, the peer, ended: .*chromadb"):
        peer.ask(0, 5)


def test_what_pip_refuses_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "peers"))
    assert peers_dir() == tmp_path / "peers"
    with pytest.raises(PitwallError, match="cannot be installed") as caught:
        peer_python("no such requirement")
    assert VARIABLE in caught.value.fix and (tmp_path / "peers" / "pyvenv.cfg").exists()
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "file"))
    with pytest.raises(PitwallError, match="cannot be made"):
        peer_python()
