"""`pitwall memory`: every command on a real data folder, in words and as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx
import pytest
from tests.plain_records import run_manifest

from pitwall.cli.main import main
from pitwall.core.memories import Provenance
from pitwall.core.memory_kinds import ActionMemory
from pitwall.core.model_telemetry import Situation, Tally
from pitwall.core.paths import DataFolder
from pitwall.core.retrieval import Candidate, Retrieval
from pitwall.memory.store import AgentWrite, MemoryStore
from pitwall.store.run_log import RunLog

Pitwall = Callable[..., tuple[int, str, str]]
Output = Callable[..., dict[str, Any]]


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path / "data")


@pytest.fixture
def memory(data: DataFolder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Pitwall:
    """Runs a command; its status, what it expected, and its error output."""

    def run(*words: object) -> tuple[int, str, str]:
        arguments = ["pitwall", "memory", *map(str, words), "--data", str(data.root)]
        monkeypatch.setattr("sys.argv", arguments)
        status = main()
        answer = capsys.readouterr()
        return status, answer.out, answer.err

    return run


@pytest.fixture
def output(memory: Pitwall) -> Output:
    """Runs a command with --json; its last line."""

    def run(*words: object, status: int = 0) -> dict[str, Any]:
        got, out, err = memory(*words, "--json")
        assert got == status, (out, err)
        answer: dict[str, Any] = json.loads(out.splitlines()[-1])
        return answer

    return run


def _add(output: Output, *words: object) -> int:
    [entry_id] = output("add", *words, "--game", "flappy")["entry_ids"]
    return int(entry_id)


def test_an_empty_memory_says_what_will_come(memory: Pitwall, output: Output, data: DataFolder) -> None:
    assert "Nothing is remembered yet" in memory("stats")[1]
    assert output() == {
        "file": str(data.memory),
        "bytes": 0,
        "holder": None,
        "embedder": "",
        "snapshots": 0,
        "games": {},
    }
    assert output("search") == {"total": 0, "entries": []}
    assert "No snapshots yet" in memory("snapshots")[1]
    assert "inbox is empty" in memory("inbox")[1]
    assert "Nothing was changed yet" in memory("history")[1]


def test_an_entry_s_whole_life(memory: Pitwall, output: Output) -> None:
    note = _add(output, "note", "about=failure", "text=fell at \u202epipe 3", "--reason", "seen twice")
    assert "fell at \\u202epipe 3" in memory("show", note)[1]
    assert "by operator (command): seen twice" in memory("show", note)[1]
    assert output("edit", note, "text=fell at pipe 4")["entry_ids"] == [note]
    shown = output("show", note)
    assert shown["entry"]["content"] == {"kind": "note", "about": "failure", "text": "fell at pipe 4"}
    assert shown["history"][0]["before"]["content"]["text"] == "fell at \u202epipe 3"
    assert output("search", "PIPE 4")["total"] == 1
    assert memory("pin", note)[1] == "1 entry pinned.\n"
    assert output("search", "--filter", "pinned=true", "--kind", "note")["total"] == 1
    memory("unpin", note)
    memory("forget", note)
    assert output("search")["total"] == 0 and output("search", "--forgotten")["total"] == 1
    memory("restore-entry", note)
    memory("undo")
    assert output("stats")["games"]["flappy"]["forgotten"] == 1
    memory("redo")
    assert output("stats")["games"]["flappy"]["counts"]["note"] == 1
    status, _, err = memory("purge", note)
    assert status == 1 and "Forget it first" in err
    memory("forget", note)
    assert output("purge", "--all")["entry_ids"] == [note]
    assert memory("show", note)[0] == 1


def test_conflicts_are_shown_and_end_with_1(memory: Pitwall, output: Output) -> None:
    item = _add(output, "action", "state=low", "action=flap", "reward=0.5", "attempts=2")
    output("edit", item, "attempts=3")
    answer = output("edit", item, "attempts=9", "--version", 1, status=1)
    assert answer["done"] is False
    assert answer["conflicts"][0]["theirs"]["content"]["attempts"] == 3
    status, out, _ = memory("edit", item, "attempts=9", "--version", 1)
    assert status == 1 and "was changed since; nothing was done" in out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("add", "note", "about=failure", "text=x"), "no game was named"),
        (("add", "note", "abuot=failure", "--game", "g"), "Did you mean about=…?"),
        (("add", "note", "about=joy", "text=x", "--game", "g"), "about is 'joy'"),
        (("add", "note", "about=failure", "--game", "g"), "text is missing"),
        (("add", "edge", "source=7", "action=go", "--game", "g"), "needs entry 7"),
        (("edit", "5", "text=x"), "there is no entry 5"),
        (("forget", "5"), "entry 5 is not in the memory"),
        (("undo",), "there is nothing to undo"),
        (("undo", "--batch", "4"), "there is no batch 4"),
        (("restore", "none"), "there is no snapshot 'none'"),
        (("diff", "none"), "there is no snapshot 'none'"),
        (("import", "none.jsonl"), "none.jsonl: is not there"),
        (("purge",), "no entries were named"),
        (("explain",), "nothing was asked"),
        (("search", "--filter", "text"), "is no filter"),
    ],
)
def test_what_cannot_be_done_is_said(
    memory: Pitwall, output: Output, words: tuple[str, ...], expected: str
) -> None:
    status, _, err = memory(*words)
    assert status == 1 and expected in err
    answer = output(*words, status=1)
    assert expected in f"{answer['what']} {answer['fix']}"


def test_another_s_hold_is_named(memory: Pitwall, output: Output, data: DataFolder) -> None:
    with MemoryStore.open(data, role="engine"):
        status, _, err = memory("add", "note", "about=failure", "text=x", "--game", "flappy")
        assert status == 1 and "is in use by engine with process id" in err
        assert output("stats")["holder"].startswith("engine with process id")


def test_snapshots_and_files(memory: Pitwall, output: Output, tmp_path: Path) -> None:
    low, high = _add(output, "node", "text=low"), _add(output, "node", "text=high")
    _add(output, "edge", f"source={low}", f"target={high}", "action=flap")
    _add(output, "skill", "name=a", "when=x > 1", "subgoal=up", "actions=flap", "actions=wait", "steps=3")
    taken = output("snapshot", "start")["content_hash"]
    memory("forget", low)
    assert [row["change"] for row in output("diff", "start")["rows"]] == ["removed", "removed"]
    assert "0 added, 2 removed, 0 changed." in memory("diff", taken[:8])[1]
    assert output("restore", "start")["content_hash"] == taken
    assert output("diff", "start")["rows"] == []
    lines, graph = tmp_path / "m.jsonl", tmp_path / "m.graphml"
    assert output("export", lines)["content_hash"] == taken
    assert "is there already" in memory("export", lines)[2]
    assert output("export", graph, "--snapshot", "start")["entries"] == 3
    assert networkx.read_graphml(graph).number_of_edges() == 1
    assert output("import", lines)["entry_ids"] == []
    assert len(output("import", graph, "--game", "doom")["entry_ids"]) == 3
    assert output("import", lines, "--as-snapshot")["content_hash"] == taken
    lines.write_text(lines.read_text().replace('"text":"low"', '"text":7'))
    broken = output("import", lines, status=1)
    assert "m.jsonl, row 2: content.text is 7; expected text" in broken["what"]


def test_the_track_record_is_shown_and_forgotten(memory: Pitwall, output: Output, data: DataFolder) -> None:
    assert memory("trust", "flappy")[1] == "No model has driven flappy yet.\n"
    tally = Tally(driver="model", situation=Situation.STUCK, decisions=2, steps=7, progressed=3, harms=1)
    with MemoryStore.open(data, role="test") as store:
        store.add_tally("flappy", "ab12", tally)
    assert "2 decisions, progress in 3 of 7 steps, 0 with a gain, 1 harms" in memory("trust", "flappy")[1]
    answer = output("trust", "flappy", "--forget")
    assert answer["forgotten"] and answer["tallies"][0]["model"] == "ab12"
    assert output("trust", "flappy")["tallies"] == []


def test_the_inbox_is_judged(memory: Pitwall, output: Output) -> None:
    skill = ("skill", "when=x > 1", "subgoal=up", "actions=flap", "status=proposed")
    ids = [_add(output, *skill, f"name={name}", f"evidence=seen in {name}") for name in "ab"]
    assert [item["entry_id"] for item in output("inbox")["proposed"]] == ids[::-1]
    assert "seen in a" in memory("inbox")[1]
    assert output("inbox", "--accept", ids[0], "--reject", ids[1], "--reason", "tried")["done"]
    statuses = [output("show", item)["entry"]["content"]["status"] for item in ids]
    assert statuses == ["active", "retired"] and output("inbox")["proposed"] == []


def test_why_something_was_retrieved(memory: Pitwall, output: Output, data: DataFolder) -> None:
    manifest = run_manifest(game_name="Flappy Bird", profile_hash="", role="bird", seed=None, screen=(1, 1))
    result = Candidate(
        entry_id=3,
        action="flap",
        state="bird low",
        jaccard=1.0,
        cosine=1.0,
        reward=0.5,
        success=1.0,
        recency=0.75,
        semantic=1.0,
        bank=0.9,
        fused=0.625,
    )
    with RunLog.open(data) as log:
        run_id = log.begin(manifest)
        log.add_retrieval(
            run_id, Retrieval(step=4, query="bird low", candidates=(result,), hints=("flap worked",))
        )
    assert output("explain", run_id, 4)["candidates"][0]["fused"] == 0.625
    assert "hint: flap worked" in memory("explain", run_id, 4)[1]
    assert "Nearest steps where it was: 4." in memory("explain", run_id, 9)[2]
    with MemoryStore.open(data, role="test") as store:
        item = ActionMemory(state="bird low", action="flap", reward=1.0, successes=1, attempts=1, at_s=1e9)
        by = Provenance(author="agent", run_id=run_id)
        store.write([AgentWrite(game_id="flappy", content=item, provenance=by)])
    now = output("explain", "--game", "flappy", "--query", "Bird, LOW!")
    assert (now["query"], now["candidates"][0]["jaccard"]) == ("bird low", 1.0)
