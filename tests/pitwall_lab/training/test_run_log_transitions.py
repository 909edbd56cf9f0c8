"""Decisions in the run log become transitions: whole, once each, from runs that are over or go on."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
import torch
from tests.pitwall_lab.tiny_game import REWARD, write_line
from tests.plain_records import run_manifest, step_record

from pitwall.core.actions import SemanticAction
from pitwall.core.errors import PitwallError
from pitwall.core.observations import GameStatus
from pitwall.core.paths import DataFolder
from pitwall.core.runs import RunSummary
from pitwall.core.signals import Route
from pitwall.core.steps import ReflexRecord, StepRecord
from pitwall.games.drafting.learned_module import reward_text
from pitwall.gsm.version_record import VersionStatus
from pitwall.gsm.versions import ModuleFolder
from pitwall.store.frames import SEEN, keep_seen
from pitwall.store.run_log import RunLog
from pitwall_lab.algorithms.double_dqn import DoubleDQN
from pitwall_lab.algorithms.policy_network import NO_ACTION, Shape
from pitwall_lab.live.shown_play import ShownPlay
from pitwall_lab.orders import TrainingOrder
from pitwall_lab.rewards.reward_function import RewardFunction
from pitwall_lab.training.checkpoint import CHECKPOINT, write_checkpoint
from pitwall_lab.training.curve_accumulator import CurveAccumulator
from pitwall_lab.training.log_writer import TrainingLogWriter
from pitwall_lab.training.new_version import begin_version
from pitwall_lab.training.run_log_transitions import GRADIENT_STEPS_PER_DECISION, RunLogTransitions
from pitwall_lab.training.train import _Training, train
from pitwall_lab.training_log import PLAYS_LOCK, Evaluated, Line, State


@pytest.fixture
def log(line_data: DataFolder) -> Iterator[RunLog]:
    with RunLog.open(line_data) as opened:
        yield opened


def run(log: RunLog, game_id: str = "line") -> int:
    return log.begin(
        run_manifest(
            game_id, game_name="Line", game_version="1.0.0", profile_hash="tiny", role="", screen=(16, 16)
        )
    )


def decisions(start: int, walked: Sequence[tuple[float, int]], **more: Any) -> list[ReflexRecord]:
    """One start: where it stood, what it did; the frame on which it ended is told as NONE."""
    text = {"module": "walk", "version": "v1", **more}
    return [
        ReflexRecord(
            step=1,
            at_ns=(start * 1000 + number) * 50_000_000,
            start=start,
            action=action,
            values={"x": x, "status": "playing" if action != NO_ACTION else "terminal"},
            **text,
        )
        for number, (x, action) in enumerate(walked)
    ]


class Pupil:
    """A learner that reads the log."""

    def __init__(self, walk: ModuleFolder, data: DataFolder, *, reward: str = REWARD, **how: Any) -> None:
        about = walk.about("v1")
        assert about.learned is not None and about.recipe is not None
        self.learner = DoubleDQN(Shape.of(about.learned, about.recipe), about.recipe, lanes=1, seed=1)
        self.reward = RewardFunction(reward)
        how = {"follow": False, **how}
        self.source = RunLogTransitions(data, walk, about.learned, self.reward, self.learner, **how)
        self.tally = CurveAccumulator()

    def __enter__(self) -> Pupil:
        return self

    def __exit__(self, *_: object) -> None:
        self.reward.close()
        self.source.close()

    def read(self, turns: int = 12) -> int:
        """How many decisions came."""
        return sum(self.source.turn(self.tally) for _ in range(turns))

    def rows(self) -> list[tuple[float, int, float, bool, int]]:
        """The memory: x, action, reward, terminal, age."""
        memory = self.learner.replay
        return [
            (
                round((float(memory.state[0, at, 0]) + 1) * 5, 3),
                int(memory.action[0, at]),
                round(float(memory.reward[0, at]), 3),
                bool(memory.terminal[0, at]),
                int(memory.age[0, at]),
            )
            for at in range(memory.count)
        ]


@pytest.fixture
def version(walk: ModuleFolder) -> str:
    return begin_version(walk, changes={"learn_from": 10, "evaluate_every": 100}).version


FLOWN = [(8.0, 2), (9.0, 2), (10.0, NO_ACTION)]
FLOWN_ROWS = [(8.0, 2, 0.9, False, 0), (9.0, 2, 6.0, True, 1), (10.0, NO_ACTION, 0.0, False, 2)]


def test_a_start_that_ended_becomes_its_transitions(
    log: RunLog, walk: ModuleFolder, line_data: DataFolder, version: str
) -> None:
    of = run(log)
    log.add_reflexes(of, decisions(1, FLOWN))
    log.finish(of, RunSummary())
    with Pupil(walk, line_data) as pupil:
        assert pupil.read() == 2
        assert pupil.rows() == FLOWN_ROWS
        assert pupil.source.exhausted
        assert pupil.tally.episodes == 1
        assert pupil.tally.returned == pytest.approx(6.9)
        assert pupil.tally.parts == pytest.approx({"way": 2.0, "goal": 4.9})
    assert version == "v1"
    assert GRADIENT_STEPS_PER_DECISION == 0.5


def test_what_was_cut_off_ends_without_being_an_end(
    log: RunLog, walk: ModuleFolder, line_data: DataFolder, version: str
) -> None:
    of = run(log)
    log.add_reflexes(of, decisions(1, [(3.0, 2), (4.0, 1)]))
    log.add_reflexes(of, decisions(2, [(0.0, 2), (1.0, 2), (2.0, NO_ACTION)]))
    paused = decisions(3, [(5.0, 2), (5.0, NO_ACTION)])
    paused[-1].values["status"] = "paused"
    log.add_reflexes(of, paused)
    log.finish(of, RunSummary())
    with Pupil(walk, line_data) as pupil:
        assert pupil.read() == 4
        assert pupil.rows() == [
            (3.0, 2, 0.9, False, 0),
            (4.0, NO_ACTION, 0.0, False, 1),
            (0.0, 2, 0.9, False, 0),
            (1.0, 2, 6.0, True, 1),
            (2.0, NO_ACTION, 0.0, False, 2),
            (5.0, 2, -0.1, False, 0),
            (5.0, NO_ACTION, 0.0, False, 1),
        ]
    assert version == "v1"


def test_only_this_module_s_decisions_of_finished_runs_count(
    log: RunLog, walk: ModuleFolder, line_data: DataFolder, version: str
) -> None:
    other_game, ours = run(log, "pong"), run(log)
    log.add_reflexes(other_game, decisions(1, FLOWN))
    log.add_reflexes(ours, decisions(1, FLOWN, module="swim"))
    log.add_reflexes(ours, decisions(2, FLOWN, version="v77"))
    log.add_reflexes(ours, decisions(3, FLOWN))
    log.finish(ours, RunSummary())
    going_on = run(log)
    log.add_reflexes(going_on, decisions(1, FLOWN))
    with Pupil(walk, line_data) as pupil:
        assert pupil.read() == 2
    with Pupil(walk, line_data, runs=(other_game, going_on)) as pupil:
        assert pupil.read() == 0
    assert version == "v1"


def test_a_run_that_goes_on_is_followed_and_remembered_across_a_break(
    log: RunLog, walk: ModuleFolder, line_data: DataFolder, version: str
) -> None:
    of = run(log)
    message = decisions(1, [(float(x), 2) for x in range(6)])
    log.add_reflexes(of, message[:3])
    with Pupil(walk, line_data, follow=True) as pupil:
        assert pupil.read(3) == 2
        log.add_reflexes(of, message[3:5])
        assert pupil.read(2) == 2
        saved = {"learner": pupil.learner.save(), "source": pupil.source.save()}
    log.add_reflexes(of, message[5:])
    with Pupil(walk, line_data, follow=True) as later:
        later.learner.load(saved["learner"])
        later.source.load(saved["source"])
        assert later.read(2) == 1
        assert not later.source.exhausted
        assert [row[0] for row in later.rows()] == [0.0, 1.0, 2.0, 3.0, 4.0]
        assert [row[4] for row in later.rows()] == [0, 1, 2, 3, 4]
    assert version == "v1"


def test_beside_play_the_seconds_of_play_count_and_not_the_wait_for_it(
    log: RunLog, walk: ModuleFolder, line_data: DataFolder, version: str
) -> None:
    started_at = datetime.now(UTC).isoformat()
    of = log.begin(run_manifest("line", started_at=started_at, screen=(16, 16)))
    log.add_reflexes(of, decisions(1, [(float(x), 2) for x in range(4)]))
    order = TrainingOrder(resume=version, drives=True)
    training = _Training(line_data, order, walk, walk.about(version), None, lambda: False, None)
    with closing(TrainingLogWriter(walk.folder(version))) as journal, training._opened(1) as course:
        for _ in range(8):  # nothing more comes after the first decisions
            training._turn(course, journal)
        assert course.learner.step == 3
        assert course.wall_s == pytest.approx(50.15)


def test_a_misread_score_is_no_reward_and_its_rise_pays_once(
    log: RunLog, line_data: DataFolder, tmp_path: Path
) -> None:
    score = '[[fields]]\nname = "score"\nkind = "derived"\nvalue = "x"\n\n[[modules]]\n'
    folder = ModuleFolder(line_data, write_line(tmp_path / "scored", ("[[modules]]\n", score)), "walk")
    begin_version(folder)
    read = [*[0] * 12, None, 271, 0, 0, 1, 1, 1, 17, 1, 1, 1]
    made = decisions(1, [(1.0, 0)] * len(read))
    for record, value in zip(made, read, strict=True):
        record.values["score"] = value
    again = decisions(2, [*[(1.0, 0)] * 14, (1.0, NO_ACTION)])
    for record in again:
        record.values["score"] = 1
    of = run(log)
    log.add_reflexes(of, [*made, *again])
    log.finish(of, RunSummary())
    with Pupil(folder, line_data, reward=reward_text({"score": 1.0})) as pupil:
        pupil.read()
        assert pupil.tally.parts == {"score": 1.0, "end": -1.0}
        assert pupil.tally.score == 1.0, "the curve shows no misread score either"
        assert pupil.tally.episodes == 1, "a game in which the module started twice is one game"


def test_a_module_that_sees_learns_from_its_own_decisions_where_their_pictures_were_kept(
    log: RunLog, walk: ModuleFolder, line_data: DataFolder, version: str
) -> None:
    about = walk.about(version)
    assert about.learned is not None
    eyes = {"vision": {"width": 16, "height": 16, "frames": 2}, "state": []}
    walk.write(
        about.model_copy(
            update={"learned": about.learned.model_validate({**about.learned.model_dump(), **eyes})}
        )
    )
    of, made = run(log), decisions(1, FLOWN)
    pictures = [
        (record.at_ns, np.full((16, 16), 10 + number, np.uint8)) for number, record in enumerate(made)
    ]
    keep_seen(line_data.run(of), pictures[:1])
    with (line_data.run(of) / SEEN).open("ab") as torn:
        torn.write(b"a row that a full disk cut off")
    keep_seen(line_data.run(of), pictures[1:2])
    log.add_reflexes(of, made)
    log.finish(of, RunSummary())
    with Pupil(walk, line_data) as pupil:
        assert pupil.read() == 2
        memory = pupil.learner.replay
        assert memory.picture[0, :3, 0, 0].tolist() == [10, 11, 11], "the end shows what was seen last"
    unseen = run(log)
    log.add_reflexes(unseen, decisions(2, FLOWN))
    log.finish(unseen, RunSummary())
    with Pupil(walk, line_data, runs=(unseen,)) as pupil:
        assert pupil.read() == 0


def test_a_break_that_lost_the_last_picture_goes_on_at_the_end_of_that_game(
    log: RunLog, walk: ModuleFolder, line_data: DataFolder, version: str
) -> None:
    about = walk.about(version)
    assert about.learned is not None
    eyes = {"vision": {"width": 16, "height": 16, "frames": 2}, "state": []}
    seeing = about.learned.model_validate({**about.learned.model_dump(), **eyes})
    walk.write(about.model_copy(update={"learned": seeing, "created_at": 1.0}))

    def keep(records: Sequence[ReflexRecord]) -> None:
        seen = [(record.at_ns, np.full((16, 16), 10, np.uint8)) for record in records]
        keep_seen(line_data.run(of), seen)
        log.add_reflexes(of, records)

    of, (first, second, end) = run(log), decisions(1, FLOWN)
    keep([first, second])
    with Pupil(walk, line_data, follow=True, own=version) as pupil:
        assert pupil.read(3) == 1
        saved = {"learner": pupil.learner.save(), "source": pupil.source.save()}
    (line_data.run(of) / SEEN).unlink()
    log.add_reflexes(of, [end])
    keep(decisions(2, FLOWN)[:2])
    with Pupil(walk, line_data, follow=True, own=version) as later:
        later.learner.load(saved["learner"])
        later.source.load(saved["source"])
        assert later.read(3) == 1


def test_a_training_from_live_play_makes_a_policy(
    log: RunLog, walk: ModuleFolder, line_data: DataFolder, version: str
) -> None:
    of = run(log)
    for start in range(1, 16):
        log.add_reflexes(of, decisions(start, [*[(float(x), 2) for x in range(3, 10)], (10.0, NO_ACTION)]))
    log.finish(of, RunSummary())
    message: list[Any] = []
    order = TrainingOrder(live=True)
    about = train(line_data, walk, version, order, on_line=message.append)
    assert about.standing is VersionStatus.TRAINED
    assert about.steps == 105
    assert about.policy_sha256
    assert [item.step for item in message if isinstance(item, Evaluated)][-1] == 105
    assert message[-1].state == "finished" if isinstance(message[-1], State) else False


def steps_of(
    walked: Sequence[tuple[float, str, str]], data: DataFolder | None = None, of: int = 0
) -> list[StepRecord]:
    """Steps that others decided: where it stood, what they did, the status; with pictures of a named run."""
    made = []
    for number, (x, name, status) in enumerate(walked, start=1):
        ref = ""
        if data is not None:
            ref = f"frames/{number:06d}.png"
            file = data.run(of) / ref
            file.parent.mkdir(parents=True, exist_ok=True)
            picture = np.zeros((16, 16, 3), np.uint8)
            picture[:, int(x)] = 255
            cv2.imwrite(str(file), picture)
        made.append(
            step_record(
                number,
                at_ns=number * 250_000_000,
                status=GameStatus(status),
                route=Route.STRATEGIC,
                why="by chance",
                fields={"x": x},
                action=SemanticAction(name=name),
                frame_ref=ref,
            )
        )
    return made


WALKED = [
    (3.0, "left", "menu"),
    (8.0, "right", "playing"),
    (9.0, "wait", "playing"),
    (9.0, "right", "playing"),
]


def test_steps_that_others_decided_are_decisions_too_and_the_end_screen_ends_them(
    log: RunLog, walk: ModuleFolder, line_data: DataFolder, version: str
) -> None:
    of = run(log)
    log.add_steps(of, steps_of([*WALKED, (10.0, "left", "terminal"), (10.0, "left", "terminal")]))
    log.finish(of, RunSummary())
    with Pupil(walk, line_data) as pupil:
        assert pupil.read() == 3
        assert [row[:2] + row[3:] for row in pupil.rows()] == [
            (8.0, 2, False, 0),
            (9.0, 0, False, 1),
            (9.0, 2, True, 2),
            (10.0, NO_ACTION, False, 3),
        ]
        assert "6 recorded steps were read: 3 stood in a menu" in pupil.source.account
    assert version == "v1"


def test_a_training_that_found_nothing_to_learn_from_says_so_and_leaves_no_policy(
    log: RunLog, walk: ModuleFolder, line_data: DataFolder, version: str
) -> None:
    of = run(log)
    log.add_steps(of, steps_of(WALKED))
    log.finish(of, RunSummary())
    order = TrainingOrder(live=True)
    with pytest.raises(PitwallError, match="no policy was written: 4 recorded steps were read"):
        train(line_data, walk, version, order)
    about = walk.about(version)
    assert about.standing is VersionStatus.FAILED
    assert "learned nothing" in about.note
    assert not about.policy_sha256
    assert not (walk.folder(version) / "policy.onnx").exists()


def test_rules_do_not_advise_in_full_again_after_a_break(
    walk: ModuleFolder, line_data: DataFolder, version: str
) -> None:
    where, order = walk.folder(version), TrainingOrder(resume=version, drives=True)
    spaces: list[str] = []

    def session() -> dict[str, Any]:
        lines: list[Line] = []
        train(
            line_data,
            walk,
            version,
            order,
            on_line=lines.append,
            should_stop=lambda: bool(lines),
            shows=ShownPlay,
        )
        saved: dict[str, Any] = torch.load(where / CHECKPOINT, weights_only=True)
        spaces.append(saved["space"])
        return saved

    begun = session()
    assert begun["learner"]["urges"] == 1.0
    begun["learner"]["urges"], begun["learner"]["step"] = 0.25, 500
    write_checkpoint(where, begun, space=spaces[0])
    assert session()["learner"]["urges"] == 0.25


def test_a_stop_while_the_learner_prepares_makes_no_trained_version(
    walk: ModuleFolder, line_data: DataFolder, version: str
) -> None:
    about = train(
        line_data, walk, version, TrainingOrder(resume=version, drives=True), should_stop=lambda: True
    )
    assert about.policy_sha256, "a game waits for it"
    assert (about.standing, about.steps) == (VersionStatus.PROPOSED, 0)


def test_a_learner_ends_where_nobody_plays_any_more(
    walk: ModuleFolder, line_data: DataFolder, version: str
) -> None:
    """The lock of the command that plays tells it on every system, also if it died before this began."""
    (walk.folder(version) / PLAYS_LOCK).touch()
    looks = itertools.count()
    order = TrainingOrder(resume=version, drives=True)
    train(line_data, walk, version, order, should_stop=lambda: next(looks) > 200)
    assert next(looks) < 200, "it was not asked to stop"


def test_a_module_that_sees_learns_from_the_pictures_of_steps(
    log: RunLog, walk: ModuleFolder, line_data: DataFolder, version: str
) -> None:
    about = walk.about(version)
    assert about.learned is not None
    eyes = {"vision": {"width": 16, "height": 16, "frames": 2}, "state": []}
    seeing = about.learned.model_validate({**about.learned.model_dump(), **eyes})
    walk.write(about.model_copy(update={"learned": seeing}))
    of = run(log)
    walked = [(float(x), "right", "playing") for x in range(3, 10)] + [(10.0, "left", "terminal")]
    log.add_steps(of, steps_of(walked * 12, line_data, of))
    log.finish(of, RunSummary())
    order = TrainingOrder(live=True)
    message = train(line_data, walk, version, order)
    assert message.standing is VersionStatus.TRAINED
    assert (message.steps, bool(message.policy_sha256)) == (84, True)
