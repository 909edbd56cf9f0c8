"""Cloning from demonstrations: labels, reaction time, held-out play, and a clone in play."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tests.pitwall_lab.cloning.made_play import PROFILE, played

from pitwall.core.actions import SemanticAction
from pitwall.core.clock import NS_PER_S
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.demonstrations.folder import DemonstrationFolder
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.schema.actions import Controls
from pitwall.games.schema.modules import StateInput, VisionInput
from pitwall.games.schema.profile import Game, Role
from pitwall.games.watched_modules import unnamed_action, watch, with_watched
from pitwall.gsm.cloned_module import learned_module
from pitwall.gsm.cloned_space import ClonedSpace, CloningRecipe, Press
from pitwall.gsm.inference import Policy, read_policy
from pitwall.gsm.state_space import StateSpace
from pitwall.gsm.version_record import VersionRecord, VersionStatus
from pitwall.gsm.versions import ModuleFolder
from pitwall_lab.algorithms.behaviour_cloning import (
    BehaviourCloning,
    Decisions,
    fitted_presses,
    free_play,
    matched,
)
from pitwall_lab.algorithms.policy_network import QNetwork, Shape
from pitwall_lab.cloning.clone import begin_clone, clone
from pitwall_lab.cloning.decisions import decisions_of, due_rows, taken_in
from pitwall_lab.cloning.held_out import held_out_agreements
from pitwall_lab.cloning.parting import parted
from pitwall_lab.cloning.reaction_time import lead_ms
from pitwall_lab.cloning.space import space_for
from pitwall_lab.cloning.stretches import Hold, stretches_of
from pitwall_lab.modules.promotion_gate import judge_promotion
from pitwall_lab.training_log import LOG, TrainingLog

GAME = Game(profile=PROFILE, folder=Path("/nowhere"), profile_hash="0" * 64, trusted=True, source="user")
QUICK = CloningRecipe(epochs=8, batch=16, hidden=[32, 32], learning_rate=3e-3)

torch.set_num_threads(1)  # as training does: several wait for each other on a busy machine


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path)


def watched(data: DataFolder) -> ModuleFolder:
    """A game without a module gets one that watches."""
    watch(data, GAME, "watched", ["left", "right", "fire"])
    return ModuleFolder(data, with_watched(GAME, data), "watched")


def cloned(
    data: DataFolder, folder: ModuleFolder, *names: str, **options: Any
) -> tuple[VersionRecord, TrainingLog]:
    about = clone(data, folder, begin_clone(data, folder, names, **options))
    log = TrainingLog(folder.folder(about.version) / LOG)
    log.follow()
    return about, log


def test_a_clone_of_fields_plays_as_it_was_shown_and_a_correction_moves_it(data: DataFolder) -> None:
    folder = watched(data)
    about, log = cloned(data, folder, played(data, seconds=36), recipe=QUICK)
    assert isinstance(about.learned, ClonedSpace)
    assert about.standing is VersionStatus.TRAINED
    assert {item.field for item in about.learned.state} == {"bat", "ball", "target"}, "no score"
    assert about.learned.reaction_ms == 120.0
    assert [press.tap for press in about.learned.presses] == [
        action == "fire" for action in about.learned.actions[1:]
    ]
    assert log.cloned is not None
    assert log.cloned.agreement > 0.7
    assert log.cloned.before is None
    assert [point.held_out for point in log.points][-1] < log.points[0].held_out  # type: ignore[operator]
    assert all(
        disagreement.demonstration == "20261123-192500-bat" for disagreement in log.cloned.disagreements
    )

    agreements = held_out_agreements(data, folder, "v1")
    held_s = sum(span.to_ns - span.from_ns for span in log.cloned.held_out) / NS_PER_S
    assert agreements["v1"].spans == pytest.approx(held_s / 2, abs=len(log.cloned.held_out) * 2)
    assert judge_promotion(folder, "v1", agreements).passed, agreements["v1"].text()

    policy = Policy(read_policy(folder.folder("v1") / "policy.onnx", about.policy_sha256), about.learned)
    module = learned_module(folder.declared, about, policy, screen=PROFILE.screen)
    for bat, ball, held in ((40.0, 280.0, ("right",)), (280.0, 40.0, ("left",))):
        module.begin()
        module.act({"bat": bat, "ball": ball, "target": 0.0}, 0)
        assert module.held == held

    correction = played(data, "20261123-200000-bat", seconds=12, seed=5, kind="correction")
    for epochs, goes_on in ((8, None), (2, True)):
        recipe = QUICK.model_copy(update={"epochs": epochs, "goes_on": goes_on})
        later, log = cloned(data, folder, correction, start_from="v1", recipe=recipe)
        assert (later.parent, later.iteration) == ("v1", 0)
        assert later.learned is not None
        assert later.learned.demonstrations == ["20261123-192500-bat", correction]  # type: ignore[attr-defined]
        assert log.cloned is not None
        assert log.cloned.before is not None
        assert log.cloned.agreement >= log.cloned.before - 0.05, "all that was shown is learned from"


def test_a_clone_of_pixels_learns_from_pictures_alone(data: DataFolder) -> None:
    folder = watched(data)
    name = played(data, seconds=12, episodes=1, pictures=True)
    stretches = stretches_of(DemonstrationFolder(data).open(name))
    eye = VisionInput(width=16, height=12, frames=2)
    learned = folder.declared.learned.model_copy(update={"vision": eye})  # type: ignore[union-attr]
    folder.declared = folder.declared.model_copy(update={"learned": learned})
    recipe = QUICK.model_copy(update={"epochs": 6, "lead_ms": 0.0, "reaction_ms": 0.0})
    space, _ = space_for(PROFILE, learned, stretches, recipe, pixels=True)
    seen = decisions_of(stretches[0], space, PROFILE)
    assert (space.state, [item.field for item in space.told]) == ([], ["bat", "ball", "target"])
    assert seen.fields is not None
    assert seen.fields.shape == (len(seen), 3)
    assert seen.pictures is not None
    assert seen.pictures.shape == (len(seen), 12, 16)
    assert seen.pictures.std() > 1
    about, log = cloned(data, folder, name, pixels=True, recipe=recipe)
    assert about.policy_sha256
    assert log.points[-1].loss < log.points[0].loss  # type: ignore[operator]


def test_a_faint_mark_on_a_still_background_is_learned_from_pictures() -> None:
    chance = np.random.default_rng(0)
    count, side = 240, 32
    pictures = np.tile(chance.integers(0, 256, (side, side), dtype=np.uint8), (count, 1, 1))
    at = chance.integers(0, side - 2, (count, 2))
    for picture, (x, y) in zip(pictures, at, strict=True):
        picture[y : y + 2, x : x + 2] = 255
    taken = np.stack([at[:, 0] >= side / 2, at[:, 0] < side / 2], axis=1)
    play = Decisions(
        states=np.zeros((count, 0), np.float32), pictures=pictures, taken=taken,
        places=np.full((count, 2), np.nan, np.float32), at_ns=np.arange(count) * 33_000_000,
    )  # fmt: skip
    space = ClonedSpace(
        state=[], vision=VisionInput(width=side, height=side, frames=1), actions=["", "left"],
        presses=[Press()], decide_every_ms=33, history=0,
        cloning=CloningRecipe(epochs=4, batch=16, hidden=[32, 32]),
    )  # fmt: skip
    losses = [epoch.loss for epoch in BehaviourCloning(space, [play], [play]).epochs()]
    assert min(losses) < 0.6 * losses[0]


def test_weights_from_before_pictures_had_a_usual_one_can_be_begun_with() -> None:
    shape = Shape(0, 2, 0, (1, 16, 16), (8,))
    older = QNetwork(shape)
    kept = {name: item for name, item in older.state_dict().items() if name not in ("usual", "spread")}
    network = QNetwork(shape)
    network.load_state_dict(kept)
    picture = torch.full((1, 1, 16, 16), 90, dtype=torch.uint8)
    assert torch.equal(network(picture), older(picture))


def test_a_threshold_presses_as_often_as_the_person_in_held_out_play() -> None:
    space = ClonedSpace(
        state=[], vision=VisionInput(width=8, height=8, frames=1), actions=["", "tap"],
        presses=[Press(tap=True, rest_ms=100)], decide_every_ms=33, history=0,
    )  # fmt: skip
    network = QNetwork(Shape.of(space, space.cloning)).eval()
    chance = np.random.default_rng(1)
    taken = np.zeros((200, 2), bool)
    taken[::10, 1] = True
    taken[:, 0] = ~taken[:, 1]
    play = Decisions(
        states=np.zeros((200, 0), np.float32), pictures=chance.integers(0, 256, (200, 8, 8), dtype=np.uint8),
        taken=taken, places=np.full((200, 2), np.nan, np.float32), at_ns=np.arange(200) * 33_000_000,
    )  # fmt: skip
    (press,) = fitted_presses(network, space, [play])
    pressed, _ = free_play(network, space.model_copy(update={"presses": [press]}), play)
    assert 17 <= pressed[:, 1].sum() <= 23, "20 by the person; the best agreement of chance is on far more"


def test_being_sooner_and_the_delay_move_the_labels(data: DataFolder) -> None:
    stretch = stretches_of(DemonstrationFolder(data).open(played(data, seconds=12, episodes=1)))[0]
    starts = []
    for reaction, delay in ((0.0, 0.0), (120.0, 0.0), (120.0, 40.0)):
        recipe = CloningRecipe(reaction_ms=reaction, delay_ms=delay, sooner=True, lead_ms=0.0)
        space, _ = space_for(PROFILE, None, [stretch], recipe)
        taken = decisions_of(stretch, space, PROFILE).taken
        starts.append(np.flatnonzero(taken[:, space.actions.index("fire")])[-3:])
    assert (starts[0] - starts[1]).tolist() == [3, 3, 3]
    assert (starts[1] - starts[2]).tolist() == [1, 1, 1]


def test_a_clone_sees_how_far_fields_of_the_same_unit_are_apart(data: DataFolder) -> None:
    stretches = stretches_of(DemonstrationFolder(data).open(played(data, seconds=6, episodes=2)))
    fields = [field.model_copy(update={"unit": "px"}) for field in PROFILE.fields if field.name != "target"]
    profile = PROFILE.model_copy(update={"fields": fields})
    space, _ = space_for(profile, None, stretches, QUICK.model_copy(update={"lead_ms": 0.0}))
    apart = space.state[-1]
    assert (apart.field, apart.minus, space.history) == ("bat", "ball", 0)
    middle = (apart.low + apart.high) / 2
    encoder = StateSpace([apart.model_copy(update={"optional": True})])
    assert encoder.encode({"bat": 100.0 + middle, "ball": 100.0}).tolist() == pytest.approx([0.0, 1.0])
    assert encoder.encode({"bat": 100.0}).tolist() == [0.0, 0.0], "one of them was not read"


def test_what_turns_on_a_small_difference_is_learned() -> None:
    states = np.random.default_rng(0).uniform(-1, 1, (600, 1)).astype(np.float32)
    near = np.abs(states[:, :1] - 0.3) < 0.05
    play = Decisions(
        states=states, pictures=None, taken=np.concatenate([~near, near], axis=1),
        places=np.full((600, 2), np.nan, np.float32), at_ns=np.arange(600) * 33_000_000,
    )  # fmt: skip
    space = ClonedSpace(
        state=[StateInput(field="far")], actions=["", "stop"], presses=[Press()], decide_every_ms=33,
        history=0, cloning=CloningRecipe(epochs=8, batch=16, hidden=[16, 16], learning_rate=1e-2),
    )  # fmt: skip
    plain, parted_ = (
        min(epoch.held_out for epoch in BehaviourCloning(made, [play], [play]).epochs())
        for made in (space, space.model_copy(update={"knots": 16}))
    )
    assert parted_ < 0.6 * plain


def test_no_play_is_learned_from_and_judged_by(data: DataFolder) -> None:
    stretches = stretches_of(DemonstrationFolder(data).open(played(data, seconds=40, episodes=10)))
    learn, judge, how = parted(stretches, 0.2)
    assert not {item.number for item in learn} & {element.number for element in judge}
    assert {part.number for part in parted(stretches[:8], 0.2)[1]} & {piece.number for piece in judge} or len(
        judge
    ) > 0
    assert "of 10 episodes are held out" in how
    learn, judge, _ = parted(stretches[:1], 0.2)
    assert judge[0].at_ns[0] - learn[0].at_ns[-1] >= 390_000_000, "a tenth of it apart"


def test_what_is_done_in_one_stretch_alone_is_learned_and_long_episodes_are_cut(data: DataFolder) -> None:
    stretches = stretches_of(DemonstrationFolder(data).open(played(data, seconds=120, episodes=2)))
    for share in (0.2, 0.4):
        for rare in range(0, 60, 4):
            at_ns = int(stretches[0].at_ns[0]) + rare * NS_PER_S
            holds = {**stretches[0].holds, "rare": (Hold(at_ns, at_ns + NS_PER_S // 10),)}
            learn, judge, how = parted([replace(stretches[0], holds=holds), stretches[1]], share)
            assert any(item.at_ns[0] <= at_ns <= item.at_ns[-1] for item in learn)
            assert "of 12 parts of some 10 s" in how
            for held in judge:
                apart = [
                    min(abs(int(held.at_ns[end]) - element.at_ns)) for element in learn for end in (0, -1)
                ]
                assert min(apart) >= 0.9 * NS_PER_S


def test_few_short_episodes_leave_something_to_judge_by(data: DataFolder) -> None:
    folder = watched(data)
    about, log = cloned(data, folder, played(data, seconds=6, episodes=2), recipe=QUICK)
    assert about.title == "cloned from 20261123-192500-bat"
    assert log.cloned is not None
    assert log.cloned.parted == "the last 27 % of each of 2 episodes is held out"
    stretches = stretches_of(DemonstrationFolder(data).open(played(data, "20261124-bat", seconds=30)))
    tiny = replace(stretches[0].part(0, 3), number=4)  # its name's hash alone would keep it
    assert sum(len(item.at_ns) for item in parted([*stretches[1:5], tiny], 0.2)[1]) >= 50


def test_no_pass_takes_longer_than_there_is_time(data: DataFolder) -> None:
    stretches = stretches_of(DemonstrationFolder(data).open(played(data, seconds=12, episodes=2)))
    space, _ = space_for(PROFILE, None, stretches, QUICK.model_copy(update={"lead_ms": 0.0}))
    plays = [decisions_of(stretche, space, PROFILE) for stretche in stretches]
    left = iter([1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.0])
    (cut,) = BehaviourCloning(space, plays[:1], plays[1:]).epochs(lambda: next(left))
    assert cut.step == 6 * QUICK.batch, "the seventh gradient step finds no time"
    assert cut.best


@pytest.mark.parametrize(
    ("said", "done", "tap", "counts"),
    [
        ([0, 1, 0, 0, 0, 1], [0, 0, 0, 1, 0, 0], True, (1, 1, 0)),
        ([0, 1, 1, 0], [0, 0, 1, 1], False, (1, 1, 1)),
    ],
)
def test_a_tap_that_comes_a_little_late_is_the_same_tap(
    said: list[int], done: list[int], tap: bool, counts: tuple[int, int, int]
) -> None:
    assert matched(np.asarray(said, bool), np.asarray(done, bool), tap=tap) == counts


def test_what_cannot_be_learned_says_why(data: DataFolder) -> None:
    folder = watched(data)
    with pytest.raises(PitwallError, match="there is no demonstration"):
        begin_clone(data, folder, ["nothing"])
    name = played(data, "20261123-210000-bat", seconds=3, episodes=1, reaction_ms=4_000)
    with pytest.raises(PitwallError, match="hold no action at least 3 times"):
        begin_clone(data, folder, [name])
    short = played(data, "20261123-220000-bat", seconds=2.6, episodes=1)
    with pytest.raises(PitwallError, match="decisions of play"):
        clone(data, folder, begin_clone(data, folder, [short]))
    assert folder.about("v1").standing is VersionStatus.FAILED


def test_a_hold_begins_sooner_by_the_time_that_the_person_waits() -> None:
    chance = np.random.default_rng(0)
    ways: list[float] = []
    holds: list[tuple[int, int, int]] = []
    for _ in range(40):
        far = int(chance.integers(4, 12)) * int(chance.choice([-1, 1]))
        ways += [0.0] * int(chance.integers(12, 20)) + [float(far)] * 6  # nothing to do; then they wait
        holds.append((len(ways), len(ways) + abs(far), int(far > 0)))
        ways += [far - step * float(np.sign(far)) for step in range(abs(far))]
    seen = np.stack([ways, np.diff(ways, prepend=0.0)], axis=1)
    held = []
    for lead in range(11):
        item = np.zeros((len(ways), 2), bool)
        for begin, end, way in holds:
            item[begin - lead : end, way] = True
        held.append([item])
    assert 4 * 40.0 <= lead_ms([seen], held, step_ms=40.0) <= 8 * 40.0
    idle = [[np.asarray(chance.random((len(ways), 2)) < 0.1)] for _ in range(11)]
    assert lead_ms([seen], [idle[0]] * 11, step_ms=40.0) == 0.0, "nothing speaks for a lead"


def test_a_lead_ends_where_what_was_held_last_was_let_go(data: DataFolder) -> None:
    stretches = stretches_of(DemonstrationFolder(data).open(played(data, seconds=12)))
    space, _ = space_for(PROFILE, None, stretches, QUICK.model_copy(update={"lead_ms": 200.0}))
    late = space.model_copy(update={"lead_ms": 0.0})
    held = np.asarray([not press.tap for press in space.presses])
    for stretch in stretches:
        rows = due_rows(stretch.at_ns, space)
        sooner, then = (taken_in(stretch, item, PROFILE, rows)[:, 1:] for item in (space, late))
        assert (sooner[:, ~held] == then[:, ~held]).all(), "a tap comes when it came"
        assert (sooner[:, held] >= then[:, held]).all()
        assert (sooner[:, held].sum(1) <= 1).all()


def test_play_with_one_action_only_is_learned(data: DataFolder) -> None:
    stretches = [
        replace(item, holds={name: holds for name, holds in item.holds.items() if name == "fire"})
        for item in stretches_of(DemonstrationFolder(data).open(played(data, seconds=12)))
    ]
    space, _ = space_for(PROFILE, None, stretches, QUICK)
    assert (space.actions, space.at_once, space.lead_ms) == (["", "fire"], 1, 0.0)
    plays = [decisions_of(stretche, space, PROFILE) for stretche in stretches]
    learner = BehaviourCloning(space, plays[1:], plays[:1])
    before = learner._held_out()
    assert next(learner.epochs()).held_out < before


def test_keys_without_an_action_get_one(data: DataFolder) -> None:
    watch(data, GAME, "watched", ["left", "key ArrowUp", "key mouse right", "key wheel up"])
    profile = with_watched(GAME, data).profile
    assert [action.name for action in profile.actions][-3:] == ["press_arrowup", "click_right", "wheel_up"]
    assert unnamed_action("key wheel up", {item.name: item for item in profile.actions}) == "wheel_up"
    turned = Vocabulary(profile).resolve(SemanticAction(name="wheel_up"), width=320, height=240).events
    assert [(element.event.kind, element.event.dy) for element in turned] == [
        ("mouse_move", 0),
        ("scroll", -1),
    ]
    assert profile.controls.keys[-1] == "ArrowUp"
    own = Role(name="bat", actions=["left"], controls=Controls(keys=["Left"]))
    alone = GAME.model_copy(update={"profile": PROFILE.model_copy(update={"roles": [own]})})
    (role,) = with_watched(alone, data).profile.roles
    assert role.controls is not None and role.controls.keys == ["Left", "ArrowUp"], "its role may press it"
    assert profile.skills == [], "nothing starts it before a version was promoted"
    (data.modules / "bat" / "watched" / "promoted.json").write_text(
        '{"history": [{"version": "v1", "at": 1}]}'
    )
    assert [skill.module for skill in with_watched(GAME, data).profile.skills] == ["watched"]
