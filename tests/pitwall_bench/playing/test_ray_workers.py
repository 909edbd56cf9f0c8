"""What a Ray worker does with an order, without Ray: its seat, what comes back, a game that came along."""

from __future__ import annotations

import json
import random
import shutil
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from tests.pitwall_bench.playing.quick_worker import SCRIPT, QuickChild

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.games.registry import Registry
from pitwall.games.trust import is_trusted
from pitwall_bench.playing.ray_workers import RayTaskHost, _settled, ray_workers
from pitwall_bench.playing.workers import Answer
from pitwall_bench.suites.results import Cell
from pitwall_bench.suites.spec import AgentSpec, Limits
from pitwall_bench.tasks.messages import ANSWERS, PlayTask, TaskDone, TaskProgress
from pitwall_evaluation import worker_client
from pitwall_evaluation.ray_cluster import game_files, packed

if sys.platform == "win32":
    pytest.skip("its seats inherit their channel by number", allow_module_level=True)


def _order(folder: Path, game: str = "flappy") -> PlayTask:
    return PlayTask(
        cell=Cell(game="flappy", task="first_pipe", agent="skills", seed=1),
        game=game,
        agent=AgentSpec(name="skills"),
        protocol="real-time",
        limits=Limits(),
        data=folder / "data",
        session=folder / "elsewhere" / "session",
    )


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(worker_client, "Child", QuickChild)
    (tmp_path / "data").mkdir()
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    (tmp_path / SCRIPT).write_text(json.dumps({"flappy~first_pipe~skills~1~0": ["win"]}), encoding="utf-8")
    yield tmp_path


def _heard(host: RayTaskHost) -> tuple[list[Answer], bytes]:
    """Everything up to the seat's last word, and the files that came with that."""
    answers: list[Answer] = []
    while True:
        for text, files in host.hear():
            answers.append(ANSWERS.decode(text.encode()))
            if not isinstance(answers[-1], TaskProgress):
                return answers, files


def test_a_worker_sends_back_what_its_seat_says_and_the_session_as_files(desk: Path) -> None:
    host = RayTaskHost(_order(desk).model_dump_json(), b"")
    (progress, done), session = _heard(host)
    host.end()
    assert isinstance(progress, TaskProgress)
    assert isinstance(done, TaskDone) and done.run.success
    with tarfile.open(fileobj=BytesIO(session)) as packed:
        assert packed.getnames() == ["task.json"]
    assert not (desk / "elsewhere").exists(), "the order's own paths are of another machine"


def test_a_worker_that_is_told_to_end_ends_its_seat_and_leaves_nothing(desk: Path) -> None:
    script = {"flappy~first_pipe~skills~1~0": ["wait"]}
    (desk / SCRIPT).write_text(json.dumps(script), encoding="utf-8")
    (desk / "tmp" / "pitwall-ray-999999999-gone").mkdir()
    host = RayTaskHost(_order(desk).model_dump_json(), b"")
    while not host.hear():
        continue
    (pid,) = [int(line.split()[0]) for line in next((desk / "played").iterdir()).read_text().splitlines()]
    assert Path(f"/proc/{pid}").exists()
    host.give_up()
    (stopped,), _ = _heard(host)
    assert isinstance(stopped, TaskDone) and stopped.run.ended == "stopped"
    host.end()
    assert not Path(f"/proc/{pid}").exists()
    assert list((desk / "tmp").iterdir()) == [], "neither its own folder nor that of a host that was killed"


def test_a_game_of_ones_own_travels_along_and_is_trusted_there(desk: Path, project_root: Path) -> None:
    mine = desk / "mine"
    shutil.copytree(project_root / "plugins" / "flappy", mine, ignore=shutil.ignore_patterns("__pycache__"))
    assert game_files(desk / "data", "flappy") == b""
    files = game_files(desk / "data", str(mine))
    scratch = desk / "worker"
    scratch.mkdir()
    settled = _settled(_order(desk, str(mine)), files, scratch)
    own = DataFolder(settled.data)
    assert Path(settled.game).is_relative_to(scratch)
    assert is_trusted(own, Path(settled.game))
    assert Registry(own).load(settled.game).game_id == "flappy"


def test_a_folder_that_is_too_big_to_be_sent_is_no_empty_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "page.html").write_bytes(random.Random(3).randbytes(4096))
    assert packed(tmp_path)
    monkeypatch.setattr("pitwall_evaluation.ray_cluster._MOST_BYTES", 1024)
    with pytest.raises(PitwallError, match=r"too big to be sent.*1 KiB at most"):
        packed(tmp_path)


def test_a_result_counts_where_its_session_is_too_big_to_be_sent(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pitwall_evaluation.ray_cluster._MOST_BYTES", 1)
    host = RayTaskHost(_order(desk).model_dump_json(), b"")
    answers, session = _heard(host)
    host.end()
    assert isinstance(answers[-1], TaskDone) and answers[-1].run.success and not session


def test_workers_that_are_none_are_told() -> None:
    with pytest.raises(PitwallError, match="Say local-ray, or ray://"):
        ray_workers("http://somewhere", 1)
