"""What the memory was asked at a step is kept with every figure, exported, and a run names its memory."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pitwall.core.errors import UnknownRun
from pitwall.core.paths import DataFolder
from pitwall.core.retrieval import Candidate, GraphSupport, MemoryWeights, Retrieval
from pitwall.core.runs import RunManifest
from pitwall.store.export import export_run
from pitwall.store.run_log import RunLog
from pitwall.store.run_reader import RunReader


def _retrieval(step: int) -> Retrieval:
    support = GraphSupport(node_id=4, edge_id=None, action="flap", v=0.9, rho=0.5, score=0.74)
    candidate = Candidate(
        entry_id=7,
        action="flap(ms=60)",
        state="bird low \u6f22\u5b57 \ud83d",
        jaccard=0.5,
        cosine=0.25,
        reward=1.0,
        success=1 / 3,
        recency=0.99,
        semantic=0.3875,
        bank=0.55,
        support=(support,),
        cut="legal no more",
    )
    return Retrieval(
        step=step,
        query="bird low",
        candidates=(candidate,),
        considered=12_000,
        graph=(support,),
        hints=("like this, flap worked",),
        weights=MemoryWeights(jaccard=0.6),
        took_ms=0.4,
        embedder="hashing-384",
        values={"bird_y": 201.5, "dead": False, "lost": None, "text": "GO"},
    )


def test_a_retrieval_comes_back_whole_and_a_later_one_replaces_it(
    log: RunLog, data: DataFolder, manifest: RunManifest
) -> None:
    run_id = log.begin(manifest)
    log.add_retrieval(run_id, _retrieval(3))
    kept = RunReader(data).retrieval(run_id, 3)
    assert kept is not None
    mended = replace(kept.candidates[0], state=_retrieval(3).candidates[0].state)
    assert kept.candidates[0].state == "bird low \u6f22\u5b57 \ufffd"
    assert replace(kept, candidates=(mended,)) == _retrieval(3)
    log.add_retrieval(run_id, replace(_retrieval(3), hints=()))
    log.add_retrieval(run_id, _retrieval(9))
    reader = RunReader(data)
    again = reader.retrieval(run_id, 3)
    assert again is not None and again.hints == ()
    assert reader.retrieval(run_id, 4) is None
    assert reader.retrieved_steps(run_id) == [3, 9]
    with pytest.raises(UnknownRun):
        log.add_retrieval(99, _retrieval(1))
    with pytest.raises(UnknownRun):
        reader.retrieval(99, 1)


def test_a_run_names_the_memory_it_began_with(log: RunLog, data: DataFolder, manifest: RunManifest) -> None:
    with_memory = log.begin(replace(manifest, memory="ab" * 32))
    without = log.begin(manifest)
    reader = RunReader(data)
    assert reader.run(with_memory).manifest.memory == "ab" * 32
    assert reader.run(without).manifest.memory == ""


def test_retrievals_are_exported(
    log: RunLog, data: DataFolder, manifest: RunManifest, tmp_path: Path
) -> None:
    run_id = log.begin(manifest)
    log.add_retrieval(run_id, _retrieval(3))
    log.add_retrieval(run_id, _retrieval(5))
    result = export_run(data, run_id, ["jsonl", "sqlite"], tmp_path / "out")
    lines = [json.loads(line) for line in (result.folder / "run.jsonl").read_text("utf-8").splitlines()]
    retrieved = [line for line in lines if line["type"] == "retrieval"]
    assert [line["step"] for line in retrieved] == [3, 5]
    assert retrieved[0]["candidates"][0]["jaccard"] == 0.5
    moved = DataFolder(tmp_path / "elsewhere")
    moved.root.mkdir()
    (result.folder / "run.sqlite").rename(moved.database)
    assert RunReader(moved).retrieved_steps(run_id) == [3, 5]
