"""Runs that share a memory, with seats that learn a line each: the chain of hashes, kills, edits by hand."""

from __future__ import annotations

import json
import resource
import signal
import sqlite3
import subprocess
import sys
import zlib
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.pitwall_bench.playing.learning_seats import LearningSeats, LearningTask

from pitwall.core.errors import DataFolderError, PitwallError, SuiteError
from pitwall.core.memories import Provenance, PutEntry, TakeSnapshot, UndoEdit
from pitwall.core.memory_kinds import EpisodeMemory, SkillMemory
from pitwall.core.paths import DataFolder
from pitwall.memory.reader import MemoryReader
from pitwall.memory.store import MemoryStore
from pitwall_bench.cli.suite.memory import adopt, memory
from pitwall_bench.playing import play, ray_workers
from pitwall_bench.playing.play import PlayedSuite, play_suite
from pitwall_bench.playing.ray_workers import RayTaskHost
from pitwall_bench.suites.folder import SuiteFolder
from pitwall_bench.suites.memories import EMPTY, BrokenChain, SuiteMemories, chains_of
from pitwall_bench.suites.reading import read_suite
from pitwall_bench.suites.results import Cell, MemoryLink
from pitwall_bench.suites.spec import AgentSpec, Limits
from pitwall_bench.tasks.messages import ANSWERS, LentMemory, PlayTask, TaskDone

if sys.platform == "win32":
    pytest.skip("its limits of files are POSIX", allow_module_level=True)

_KILLED = """
import os, signal, sys
from pathlib import Path
from tests.pitwall_bench.playing.learning_seats import LearningSeats
from pitwall.core.paths import DataFolder
from pitwall_bench.playing import play
from pitwall_bench.suites.folder import SuiteFolder
from pitwall_bench.suites.reading import read_suite
play._workers = lambda *_: LearningSeats()
keep, done = SuiteFolder.keep, []
def killed(self, run):
    done.append(run)
    if len(done) == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    keep(self, run)
SuiteFolder.keep = killed
data = DataFolder(Path(sys.argv[1]) / "data")
play.play_suite(read_suite(Path(sys.argv[1]) / "trial.yaml", data), data)
"""


class Desk:
    """A data folder and the file of a suite whose runs share memories."""

    def __init__(self, folder: Path, seats: LearningSeats) -> None:
        self.folder, self.data, self.seats = folder, DataFolder(folder / "data"), seats
        self.data.root.mkdir(parents=True)

    def suite(self, **changes: Any) -> Path:
        spec = {
            "name": "trial",
            "games": [{"game": "flappy", "tasks": ["first_pipe"]}],
            "agents": [{"name": "learner", "carry": "agent"}],
            "seeds": [1, 2, 3],
            **changes,
        }
        file = self.folder / "trial.yaml"
        file.write_text(yaml.safe_dump(spec), encoding="utf-8")
        return file

    def play(self, file: Path, **more: Any) -> PlayedSuite:
        return play_suite(read_suite(file, self.data), self.data, **more)

    @property
    def database(self) -> Path:
        return SuiteFolder(self.data, "trial").root / "memory" / "memory.sqlite"


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    seats = LearningSeats()
    monkeypatch.setattr(play, "_workers", lambda *_: seats)
    monkeypatch.setattr(LearningTask, "ends", {})
    return Desk(tmp_path, seats)


def _links(played: PlayedSuite, chain: str = "flappy~learner") -> list[MemoryLink]:
    return [run.memory for run in chains_of(played.runs.values())[chain] if run.memory is not None]


def _texts(played: PlayedSuite, content_hash: str) -> list[str]:
    rows = SuiteMemories(played.folder.root).diff(EMPTY, content_hash)
    return [
        row.after.content.text for row in rows if row.after and isinstance(row.after.content, EpisodeMemory)
    ]


def _chained(links: list[MemoryLink]) -> bool:
    return all(after.before == before.after for before, after in pairwise(links))


def test_runs_that_share_a_memory_hand_it_on_in_order_while_cells_play_side_by_side(desk: Desk) -> None:
    agents = [{"name": "learner", "carry": "agent"}, {"name": "second", "carry": "agent"}, {"name": "plain"}]
    file = desk.suite(agents=agents, seeds=[1, 2], parallel=6)
    played = desk.play(file)
    links = _links(played)
    assert [link.position for link in links] == [0, 1]
    assert links[0].before == EMPTY and len({link.after for link in links}) == 2 and _chained(links)
    chain = chains_of(played.runs.values())["flappy~learner"]
    assert [(run.cell.seed, run.run_id) for run in chain] == [(1, 1), (2, 2)], "numbered on"
    assert _texts(played, links[-1].after) == [
        f"flappy~first_pipe~learner~{seed}~0 was played" for seed in (1, 2)
    ]
    assert _texts(played, _links(played, "flappy~second")[0].after) == [
        "flappy~first_pipe~second~1~0 was played"
    ]
    assert played.runs["flappy~first_pipe~plain~1~0"].memory is None
    assert not list(played.folder.sessions.glob("*/memory.sqlite")), "kept once, in the suite's own"
    other = Desk(desk.folder / "other", desk.seats)
    assert _links(other.play(other.suite(agents=agents, seeds=[1, 2]))) == links, (
        "equal runs give equal hashes"
    )
    again = desk.play(file)
    assert (again.kept, len(desk.seats.played)) == (6, 12)


def test_a_learned_memory_is_listed_adopted_and_taken_back_by_one_command(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    links = _links(desk.play(desk.suite(seeds=[1, 2])))
    memory("trial", check=True, data=desk.data.root, json=True)
    body = json.loads(capsys.readouterr().out)
    assert body["checked"] == 2
    assert [link["after"] for link in body["chains"]["flappy~learner"]] == [link.after for link in links]
    with pytest.raises(PitwallError, match="no chain 'flappy~learners'"):
        memory("trial", chain="flappy~learners", data=desk.data.root)
    with MemoryStore.open(desk.data, role="test") as store:
        mine = _entry("flappy", EpisodeMemory(key="", text="mine"))
        store.apply([mine], Provenance(author="operator"))
        before = store.snapshot_hash("flappy")
    adopt("trial", data=desk.data.root, json=True)
    batch = json.loads(capsys.readouterr().out)["batch"]
    with MemoryStore.open(desk.data, role="test") as store:
        assert store.snapshot_hash("flappy") == links[-1].after
        store.apply([UndoEdit(batch=batch)], Provenance(author="operator"))
        assert store.snapshot_hash("flappy") == before


def test_a_memory_is_carried_as_far_as_asked(desk: Desk) -> None:
    ladder = {"game": "flappy", "rungs": ["first_pipe", "first_pipes"], "attempts": 2}
    for carry, chains in {
        "climb": {"flappy~learner~1~0": 2, "flappy~learner~1~1": 2},
        "wave": {"flappy~learner~wave-0": 3, "flappy~learner~wave-1": 3},
        "agent": {"flappy~learner": 6},
    }.items():
        agents = [{"name": "learner", "carry": carry}]
        played = desk.play(
            desk.suite(name=carry, agents=agents, ladders=[ladder], seeds=[1], repeats=2, parallel=4)
        )
        found = chains_of(played.runs.values())
        assert {name: len(chain) for name, chain in found.items()} == chains
        assert all(
            _chained(_links(played, name)) and _links(played, name)[0].before == EMPTY for name in found
        )


def test_a_run_that_was_not_played_teaches_nothing_and_stays_a_link(desk: Desk) -> None:
    key = "flappy~first_pipe~learner~2~0"
    LearningTask.ends[key] = "launch"
    file = desk.suite()
    links = _links(desk.play(file))
    assert links[1].before == links[1].after == links[2].before
    LearningTask.ends.clear()
    again = desk.play(file, failed_again=True)
    assert again.kept == 3, "the third run began with what the failed one left"


def test_a_runner_killed_while_a_memory_is_handed_over_loses_and_repeats_nothing(desk: Desk) -> None:
    desk.suite()
    words = [sys.executable, "-c", _KILLED, str(desk.folder)]
    dead = subprocess.run(words, capture_output=True, text=True, check=False)
    assert dead.returncode == -signal.SIGKILL, dead.stderr
    half = SuiteFolder(desk.data, "trial")
    assert len(half.runs()) == 1, "the second memory is kept, its result is not"
    done = desk.play(desk.folder / "trial.yaml")
    assert (done.kept, len(desk.seats.played)) == (1, 2), "only what had no result was played again"
    whole = Desk(desk.folder / "whole", desk.seats)
    assert _links(done) == _links(whole.play(whole.suite())), "as if nothing had happened"


def test_a_worker_killed_before_it_answered_leaves_nothing_in_the_chain(desk: Desk) -> None:
    undisturbed = _links(desk.play(desk.suite(seeds=[1, 2])))
    LearningTask.dies.add("flappy~first_pipe~learner~2~0")
    again = desk.play(desk.suite(seeds=[1, 2]), fresh=True)
    assert len(desk.seats.played) == 2 + 3 and not LearningTask.dies
    assert _links(again) == undisturbed, "what it had learned or accepted went with its session"


def test_a_full_disk_ends_the_suite_and_the_chain_goes_on_later(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep, (soft, hard) = SuiteMemories.keep, resource.getrlimit(resource.RLIMIT_FSIZE)

    def full(self: SuiteMemories, file: Path, content_hash: str) -> None:
        if len(desk.seats.played) == 2:
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
        try:
            keep(self, file, content_hash)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    file = desk.suite()
    monkeypatch.setattr(SuiteMemories, "keep", full)
    with pytest.raises(DataFolderError, match="the disk reports an error"):
        desk.play(file)
    assert len(SuiteFolder(desk.data, "trial").runs()) == 1
    done = desk.play(file)
    assert (done.board.state, done.kept) == ("done", 1)
    assert len(_links(done)) == 3 and _chained(_links(done))


@pytest.mark.parametrize(
    "runs", [30, pytest.param(1000, marks=[pytest.mark.long, pytest.mark.timeout(3600)])]
)
def test_a_long_chain_stays_small_and_a_run_opens_only_its_own_memory(desk: Desk, runs: int) -> None:
    file = desk.suite(seeds={"first": 1, "count": runs})
    links = _links(desk.play(file))
    assert len(links) == runs and _chained(links)
    assert desk.database.stat().st_size < (64 + 16 * runs) * 1024, "equal parts are kept once"
    assert len(list(desk.database.parent.rglob("*"))) < 20, "no file for each run"
    played = len(desk.seats.played)
    assert _links(desk.play(file)) == links and len(desk.seats.played) == played


def test_a_memory_changed_by_hand_and_a_missing_result_are_named(desk: Desk) -> None:
    file = desk.suite()
    played = desk.play(file)
    last = _links(played)[-1].after
    results = played.folder.root / "results.jsonl"
    lines = results.read_text().splitlines(keepends=True)
    results.write_text(lines[0] + lines[2])
    with pytest.raises(BrokenChain, match="run 2 of the chain flappy~learner is missing"):
        desk.play(file)
    results.write_text("".join(lines))
    with sqlite3.connect(desk.database) as database:
        wanted = (
            "SELECT data_hash, data FROM parts JOIN snapshot_parts USING (data_hash) WHERE content_hash = ?"
        )
        ((part, data),) = database.execute(wanted, (last,)).fetchall()
        edited = zlib.compress(zlib.decompress(data).replace(b"was played", b"was lost!!"))
        database.execute("UPDATE parts SET data = ? WHERE data_hash = ?", (edited, part))
    database.close()
    with pytest.raises(BrokenChain, match=f"memory {last[:12]} of the suite 'trial' is not as it was kept"):
        desk.play(file)


def _entry(game: str, content: Any) -> PutEntry:
    return PutEntry(game_id=game, content=content)


def test_runs_begin_with_a_snapshot_or_a_file_and_wrong_ones_are_faults(desk: Desk) -> None:
    skill = SkillMemory(name="up", when="no_such_field > 1", subgoal="rise", actions=("flap",))
    with MemoryStore.open(desk.data, role="test") as store:
        for name, edit in {
            "mine": _entry("flappy", EpisodeMemory(key="", text="it was hard")),
            "snake's": _entry("snake", EpisodeMemory(key="", text="it was long")),
            "older": _entry("flappy", skill),
        }.items():
            game = edit.game_id
            store.apply([edit, TakeSnapshot(name=name, game_id=game)], Provenance(author="operator"))
    exported = desk.folder / "mine.jsonl"
    with closing(MemoryReader(desk.data)) as reader:
        reader.export(exported, "jsonl", snapshot="mine")

    def agents(memory: str, carry: str = "none") -> list[dict[str, str]]:
        return [{"name": "learner", "memory": memory, "carry": carry}]

    by_name = desk.play(desk.suite(name="named", agents=agents("mine"), seeds=[1, 2]))
    links = [run.memory for run in by_name.runs.values()]
    assert len({(link.before, link.chain) for link in links if link}) == 1, "each begins with the same"
    by_file = desk.play(desk.suite(agents=agents("mine.jsonl", "agent"), seeds=[1, 2]))
    assert _links(by_file)[0].before == links[0].before if links[0] else False
    assert _texts(by_file, _links(by_file)[-1].after)[0] == "it was hard"
    exported.write_text(exported.read_text().replace("hard", "easy"))
    for wrong, problem in {
        "mine.jsonl": "content_hash",
        "none.jsonl": "is not there",
        "nothing": "there is no snapshot 'nothing'",
        "snake's": "it holds nothing of flappy",
        "older": "made for another version of flappy",
    }.items():
        with pytest.raises(SuiteError, match="memory") as fault:
            read_suite(desk.suite(agents=agents(wrong)), desk.data)
        assert problem in str(fault.value.faults[0])


def test_a_memory_travels_to_a_worker_of_another_machine_by_its_hash(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = desk.play(desk.suite(seeds=[1]))
    before = _links(played)[0].after
    lent = SuiteMemories(played.folder.root).lend(before, desk.folder / "lent")
    assert lent is not None
    order = PlayTask(
        cell=Cell(game="flappy", task="first_pipe", agent="learner", seed=2),
        game="flappy",
        agent=AgentSpec(name="learner", carry="agent"),
        protocol="real-time",
        limits=Limits(),
        data=desk.data.root,
        session=desk.folder / "elsewhere",
        memory=LentMemory(content_hash=before, file=Path("/no/such/file"), kept=True),
    )
    monkeypatch.setattr(ray_workers, "LocalTask", LearningTask)
    host = RayTaskHost(order.model_dump_json(), b"", lent.read_bytes())
    ((text, session),) = host.hear()
    host.end()
    answer = ANSWERS.decode(text.encode())
    assert isinstance(answer, TaskDone)
    run = answer.run
    assert run.memory is not None and run.memory.before == before != run.memory.after
    assert run.run_id == 2 and session, "the session comes back with its memory"
