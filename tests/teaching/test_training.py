"""The shipped model's training: a toy one learns, goes on where it was broken off, and its file holds it."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")

from pitwall.gsm.training_log import LOG, TrainingLog
from pitwall.teaching.gguf_file import write_model
from pitwall.teaching.tokens import END, Tokenizer
from pitwall.trainer.language_model import NORM_EPSILON, ROPE_BASE, LanguageModel, Shape
from pitwall.trainer.language_training import LanguageRecipe, LanguageTraining
from pitwall.trainer.lessons import Lessons, Shard, read_lessons

from .conftest import invented

_RECIPE = LanguageRecipe(steps=8, batch_tokens=600, warm_up=2, judge_every=4, threads=1)


@pytest.fixture(scope="module")
def lessons(tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Lessons:
    folder = tmp_path_factory.mktemp("lessons")
    shard = Shard()
    for one in invented(range(12), states=2):
        reply = [*tokenizer.encode(one.reply), END]
        shard.add(tokenizer.prompt(one.prompt.messages), reply, kind=0, source=0)
    shard.write(folder / "lessons-0000.npz")
    return read_lessons(folder)


def _training(
    folder: Path, lessons: Lessons, tokenizer: Tokenizer, recipe: LanguageRecipe
) -> LanguageTraining:
    folder.mkdir(exist_ok=True)
    shape = Shape(tokens=tokenizer.size, width=64, layers=2, heads=2, inner=96, context=1024)
    return LanguageTraining(folder, lessons, lessons, shape=shape, recipe=recipe, groups={0: "invented"})


def _losses(folder: Path) -> list[tuple[int, float]]:
    log = TrainingLog(folder / LOG)
    log.follow()
    return [(point.step, point.loss) for point in log.points if point.loss is not None]


def test_a_broken_off_training_goes_on_with_the_same_curve(
    tmp_path: Path, lessons: Lessons, tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pitwall.trainer.language_training._POINT_EVERY", 1)
    whole = _training(tmp_path / "whole", lessons, tokenizer, _RECIPE)
    assert whole.run()
    whole.close()
    broken = _training(tmp_path / "broken", lessons, tokenizer, _RECIPE)
    assert not broken.run(lambda: broken.step >= 3)
    broken.close()
    again = _training(tmp_path / "broken", lessons, tokenizer, _RECIPE)
    assert again.step == 3
    assert again.run()
    again.close()
    curve = _losses(tmp_path / "whole")
    assert [step for step, _ in curve] == list(range(1, 9))
    assert curve == _losses(tmp_path / "broken")
    assert curve[-1][1] < curve[0][1]


def test_the_file_says_what_the_trained_model_says(tmp_path: Path, tokenizer: Tokenizer) -> None:
    import numpy as np
    import torch
    from llama_cpp import Llama

    torch.manual_seed(0)
    shape = Shape(tokens=tokenizer.size, width=64, layers=2, heads=2, inner=96, context=1024)
    model = LanguageModel(shape)
    file = write_model(
        tmp_path / "model.gguf",
        {name: value.detach().numpy() for name, value in model.state_dict().items()},
        tokenizer,
        heads=shape.heads,
        context=shape.context,
        norm_epsilon=NORM_EPSILON,
        rope_base=ROPE_BASE,
        name="test",
        about="A test's.",
        quantised=False,
    )
    prompt = tokenizer.prompt(invented(range(1))[0].prompt.messages)[:120]
    loaded = Llama(str(file), n_ctx=256, n_threads=1, verbose=False, logits_all=True)
    loaded.eval(prompt)
    with torch.no_grad():
        ours = model(torch.tensor([prompt]))[0].numpy()
    assert np.abs(np.array(loaded.scores[: len(prompt)]) - ours).max() < 0.01
