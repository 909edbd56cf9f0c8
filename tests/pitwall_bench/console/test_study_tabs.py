"""A study on the Evaluate page and by command: tables, learning curves, chain of memories, skills."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.pitwall_bench.console.suite_folders import task_run, write_suite
from tests.pitwall_bench.console.test_page import PageHarness, desk

from pitwall.core.errors import PitwallError
from pitwall.core.memories import Provenance, PutEntry
from pitwall.core.memory_kinds import SkillMemory
from pitwall.core.paths import DataFolder
from pitwall.memory.store import MemoryStore
from pitwall_bench.cli.study_show import show
from pitwall_bench.study.sheet import StudySheet, StudyTable, keep_sheet
from pitwall_bench.suites.folder import SuiteStart
from pitwall_bench.suites.learning import learning_of
from pitwall_bench.suites.memories import EMPTY, SuiteMemories, keep_snapshot
from pitwall_bench.suites.results import MemoryLink, SuiteProgress, TaskRun
from pitwall_memory_editor.cli.files import diff

__all__ = ["desk"]
CHAIN = "snake~learner"


def _skill(name: str, **more: object) -> SkillMemory:
    body = {"name": name, "when": "score > 1", "subgoal": name, "actions": ("turn_up",), **more}
    return SkillMemory(**body)  # type: ignore[arg-type]


def write_study(data: DataFolder, scratch: Path) -> list[str]:
    """A study of six carried runs, of which two accept a skill; return the memories' hashes in order."""
    live, file = DataFolder(scratch / "live"), scratch / "lent.jsonl"
    memories = SuiteMemories(data.suites / "study-snake")
    hashes, runs = [EMPTY], list[TaskRun]()
    for at in range(6):
        accepted = {2: ("up",), 4: ("down",)}.get(at, ())
        with MemoryStore.open(live, role="test") as store:
            edits = [PutEntry(game_id="snake", content=_skill(name)) for name in accepted]
            edits += [PutEntry(game_id="snake", content=_skill("up", status="retired"), entry_id=1)] * (
                at == 4
            )
            if edits:
                store.apply(edits, Provenance(author="agent"))
        after = keep_snapshot(live, "snake", file, role="test")
        memories.keep(file, after)
        link = MemoryLink(
            chain=CHAIN,
            position=at,
            before=hashes[-1],
            after=after,
            accepted=accepted,
            retired=("up",) if at == 4 else (),
            verdict=f"Played; {'accepted' if accepted else 'refused'}.",
            uses={"up": 3} if at in (3, 4) else {},
        )
        hashes.append(after)
        runs.append(task_run("snake", "reach", "learner", at, success=at > 3, memory=link))
    for seed in range(8):
        link = MemoryLink(measures=CHAIN, position=6, before=after, after=after, uses={"down": 2})
        runs.append(task_run("snake", "reach", "after-6", seed, success=seed > 1, memory=link))
    board = SuiteProgress(state="done", done=len(runs), of=len(runs))
    root = write_suite(data, "study-snake", runs, board=board)
    rows = (("after-6", "75 %"), ("the paper, Table 2", "50 %"))
    table = StudyTable(title="Cells", head=("cell", "success"), rows=rows, note="Fisher.")
    keep_sheet(
        root, StudySheet(title="A study", verdict="It learnt.", suites=("study-snake",), tables=(table,))
    )
    return hashes


def test_the_page_shows_a_study_and_the_command_the_same(
    desk: PageHarness, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hashes = write_study(desk.data, tmp_path)
    desk.show("study-snake")
    results = desk.page.results
    tabs = results.tabs
    desk.wait(lambda: tabs.isTabVisible(tabs.indexOf(results.memories)))
    assert tabs.isTabVisible(tabs.indexOf(results.tables))
    assert results.tables.table.rows.rows[0][1] == ("after-6", "75 %")
    measured, carried = results.learning.curve.plot.lines
    (point,) = measured.points
    assert (point.after, point.success.wins, point.success.runs) == (6, 6, 8)
    assert point.success.low < 0.75 < point.success.high
    assert [point.after for point in carried.points] == [5, 6], "from five runs on"
    assert [
        (row.name, row.status, row.accepted, row.retired, row.uses, row.measured)
        for row in results.learning.skills.rows.rows
    ] == [
        ("down", "active", (5,), (), 0, 16),
        ("up", "retired", (3,), (5,), 6, 0),
    ]
    tabs.setCurrentWidget(results.memories)
    memories = results.memories
    desk.wait(lambda: memories.summary == "+ 2 added")
    memories.compare(hashes[3], hashes[5])
    desk.wait(lambda: memories.summary == "+ 1 added · ~ 1 changed")
    memories.steps.setCurrentIndex(memories.steps.rows.index(2, 0))
    desk.wait(lambda: memories.summary == "+ 1 added")
    assert memories.before.current == EMPTY and memories.after.current == hashes[3]
    show("study-snake", data=desk.data.root, json=True)
    body = json.loads(capsys.readouterr().out)
    (chain,) = body["chains"]
    assert [step["after"] for step in chain["steps"]] == hashes[1:]
    assert chain["skills"][0]["accepted"] == [5] and body["sheet"]["verdict"] == "It learnt."
    diff(hashes[3], hashes[5], data=Path(chain["memory"]), json=True)
    told = json.loads(capsys.readouterr().out)
    assert (told["added"], told["changed"], told["removed"]) == (1, 1, 0)


def test_a_suite_without_a_study_has_no_such_tabs_and_the_command_says_so(desk: PageHarness) -> None:
    write_suite(desk.data, "plain", [task_run()])
    desk.show("plain")
    desk.page.results._aside.finish()
    tabs = desk.page.results.tabs
    shown = [tabs.tabText(at) for at in range(tabs.count()) if tabs.isTabVisible(at)]
    assert shown == ["Sessions", "At a glance", "Table", "Compare", "Suite"]
    with pytest.raises(PitwallError, match="plain is no study"):
        show("plain", data=desk.data.root)


def test_a_study_that_a_command_plays_is_not_resumed_as_a_suite(desk: PageHarness) -> None:
    root = write_suite(desk.data, "study-learner", [task_run()])
    command = "pitwall study learner --as study-learner"
    (root / "begun.json").write_text(SuiteStart(hashes={}, command=command).model_dump_json())
    desk.show("study-learner")
    heard: list[str] = []
    desk.page.doing.notified.connect(lambda note: heard.append(note.text))
    desk.page.acts.resume()
    assert len(heard) == 1 and command in heard[0] and not desk.page.doing.running


def test_a_long_chain_has_few_points_and_a_damaged_memory_is_named(tmp_path: Path) -> None:
    link = MemoryLink(chain=CHAIN, before=EMPTY, after=EMPTY)
    runs = [task_run("snake", seed=at, memory=link.model_copy(update={"position": at})) for at in range(1000)]
    (chain,) = learning_of(tmp_path, runs)
    assert len(chain.steps) == 1000 and 50 < len(chain.carried) <= 101
    file = tmp_path / "memory" / "memory.sqlite"
    file.parent.mkdir()
    file.write_bytes(b"edited by hand" * 400)
    (chain,) = learning_of(tmp_path, runs)
    assert "memory.sqlite" in chain.problem and len(chain.steps) == 1000
