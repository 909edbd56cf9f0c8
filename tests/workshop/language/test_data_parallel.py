"""Gradients by several processes: the same as one finds, every time; a death is said, not waited for."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from pitwall.core.errors import ChildDied
from pitwall_lab.training_log import LOG, TrainingLog
from workshop.language.data_parallel import DataParallel, split
from workshop.language.lessons import Batch, Lessons, ShardWriter, batch_of, families, read_lessons, rounded
from workshop.language.model import LanguageModel, Shape
from workshop.language.training import LanguageRecipe, LanguageTraining

_ENDS, _TOKENS = 1, 160
_SHAPE = Shape(
    tokens=_TOKENS, width=64, layers=2, heads=2, head=32, inner=96, turning=4, context=256, slowest=0.01
)
_RECIPE = LanguageRecipe(steps=6, batch_tokens=500, warm_up=2, judge_every=3, cool_down=0.5, processes=2)


@pytest.fixture(scope="module")
def lessons(tmp_path_factory: pytest.TempPathFactory) -> Lessons:
    """Thirty families of up to six lessons, of tokens by chance."""
    rng, shard = np.random.default_rng(0), ShardWriter()
    for _ in range(30):
        first = [*rng.integers(2, _TOKENS, rng.integers(8, 40)).tolist(), _ENDS]
        for _ in range(int(rng.integers(1, 7))):
            rest = rng.integers(2, _TOKENS, rng.integers(8, 30)).tolist()
            reply = [*rng.integers(2, _TOKENS, rng.integers(2, 9)).tolist(), _ENDS]
            shard.add([*first, *rest], reply, kind=0, source=0)
    folder = tmp_path_factory.mktemp("lessons")
    shard.write(folder / "lessons-0000.npz")
    return read_lessons(folder)


@pytest.fixture(scope="module")
def batch(lessons: Lessons) -> Batch:
    return batch_of(lessons, families(lessons, longest=200, ends=_ENDS)[:9])


@pytest.fixture
def two() -> Iterator[DataParallel]:
    made = DataParallel(_model(), processes=2, precision=torch.float32)
    yield made
    made.close()


def _model() -> LanguageModel:
    torch.manual_seed(0)
    return LanguageModel(_SHAPE)


def _gradients(model: LanguageModel) -> list[torch.Tensor]:
    return [weight.grad.clone() for weight in model.parameters() if weight.grad is not None]


@pytest.mark.parametrize("parts", [1, 2, 3, 200])
def test_parts_hold_every_lesson_once_and_in_order(batch: Batch, parts: int) -> None:
    result = split(batch, parts)
    assert len(result) == min(parts, len(batch.numbers))
    assert np.concatenate([item.numbers for item in result]).tolist() == batch.numbers.tolist()
    assert sum(int(element.wanted.sum()) for element in result) == int(batch.wanted.sum())
    targets = [target for part in result for target in part.targets[part.wanted].tolist()]
    assert targets == batch.targets[batch.wanted].tolist()
    for piece in result:
        assert piece.shared.shape == (len(piece.shared_lengths), rounded(piece.shared_lengths.max()))
        assert piece.family.min() == 0 and piece.family.max() == len(piece.shared) - 1


def test_halves_are_of_like_size(batch: Batch) -> None:
    first, second = (part.size for part in split(batch, 2))
    assert 0.7 < first / second < 1.4


def test_two_processes_find_the_gradients_of_one(batch: Batch, two: DataParallel) -> None:
    torch.manual_seed(0)
    whole, model = _model(), two._model
    item = DataParallel(whole, processes=1, precision=torch.float32)
    for _ in range(2):  # the first batch's gradients are not in the second's
        assert two.gradients(batch) == pytest.approx(item.gradients(batch), rel=1e-5)
        for ours, theirs in zip(_gradients(model), _gradients(whole), strict=True):
            assert torch.allclose(ours, theirs, rtol=1e-4, atol=1e-6)
        with torch.no_grad():  # a step is seen by the other process too
            for weight in (*model.parameters(), *whole.parameters()):
                weight.mul_(0.9)
    assert len(two.pids) == 1 and item.pids == []


def test_a_batch_of_one_lesson_needs_no_other_process(lessons: Lessons, two: DataParallel) -> None:
    alone = next(family for family in families(lessons, longest=200, ends=_ENDS) if len(family.numbers) == 1)
    item = DataParallel(_model(), processes=1, precision=torch.float32)
    assert two.gradients(batch_of(lessons, [alone])) == item.gradients(batch_of(lessons, [alone]))


def test_a_process_that_dies_is_said(batch: Batch, two: DataParallel) -> None:
    two.gradients(batch)
    os.kill(two.pids[0], signal.SIGTERM)
    with pytest.raises(ChildDied, match=r"process 2 of the training ended by itself \(exit code"):
        for _ in range(100):
            two.gradients(batch)
    assert two.pids == []


def test_a_process_that_fails_says_why(batch: Batch, two: DataParallel) -> None:
    last = split(batch, 2)[1].numbers
    own = batch.own.copy()
    own[np.isin(batch.numbers, last)] = _TOKENS  # no such token
    spoiled = Batch(
        batch.numbers, batch.family, batch.shared, batch.shared_lengths, own, batch.wanted, batch.targets
    )
    with pytest.raises(ChildDied, match="process 2 of the training failed") as raised:
        two.gradients(spoiled)
    assert "IndexError" in raised.value.traceback


@pytest.mark.skipif(os.name == "nt", reason="there, Ctrl-C is no signal to one process")
def test_the_other_process_ignores_an_interrupt_and_ends_with_close(batch: Batch, two: DataParallel) -> None:
    first = two.gradients(batch)
    (pid,) = two.pids
    os.kill(pid, signal.SIGINT)
    assert two.gradients(batch) == first
    two.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def _training(folder: Path, lessons: Lessons) -> LanguageTraining:
    folder.mkdir(exist_ok=True)
    return LanguageTraining(
        folder,
        lessons,
        lessons,
        shape=_SHAPE,
        recipe=_RECIPE,
        groups={0: "by chance"},
        names=np.arange(20, 60),
        ends=_ENDS,
    )


def test_two_processes_go_on_with_the_same_curve(
    tmp_path: Path, lessons: Lessons, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workshop.language.training._POINT_EVERY", 1)
    whole = _training(tmp_path / "whole", lessons)
    assert whole.run()
    whole.close()
    broken = _training(tmp_path / "broken", lessons)
    assert not broken.run(lambda: broken.step >= 2)
    broken.close()
    again = _training(tmp_path / "broken", lessons)
    assert again.step == 2
    assert again.run()
    again.close()
    assert again.tokens_seen == whole.tokens_seen
    for ours, theirs in zip(again.model.parameters(), whole.model.parameters(), strict=True):
        assert torch.equal(ours, theirs)
    curves = []
    for name in ("whole", "broken"):
        log = TrainingLog(tmp_path / name / LOG)
        log.follow()
        curves.append([(point.step, point.loss) for point in log.points if point.loss is not None])
    assert curves[0] == curves[1]
    assert [step for step, _ in curves[0]] == list(range(1, 7))
