"""The shipped model's training: a toy one learns, goes on where it was broken off, and its file holds it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from numpy.typing import NDArray
from tests.workshop.shipped_model.conftest import invented

from pitwall_lab.training_log import LOG, TrainingLog
from workshop.language.copying_heads import initialise_weights
from workshop.language.lessons import Batch, Lessons, ShardWriter, batch_of, families, read_lessons
from workshop.language.model import NORM_EPSILON, LanguageModel, Shape
from workshop.language.token_renaming import TokenRenaming, unprompted_tokens
from workshop.language.training import LanguageRecipe, LanguageTraining
from workshop.shipped_model.gguf_writer import write_model
from workshop.shipped_model.tokenizer import END, Tokenizer

_TOY = {"width": 64, "layers": 2, "heads": 2, "head": 32, "inner": 96, "turning": 4, "context": 1024}
_RECIPE = LanguageRecipe(steps=24, batch_tokens=600, warm_up=2, judge_every=12, processes=1)


@pytest.fixture(scope="module")
def lessons(tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Lessons:
    folder = tmp_path_factory.mktemp("lessons")
    shard = ShardWriter()
    for item in invented(range(12), states=2):
        reply = [*tokenizer.encode(item.reply), END]
        shard.add(tokenizer.prompt(item.prompt.messages), reply, kind=0, source=0)
    shard.write(folder / "lessons-0000.npz")
    return read_lessons(folder)


def _training(
    folder: Path, lessons: Lessons, tokenizer: Tokenizer, recipe: LanguageRecipe
) -> LanguageTraining:
    folder.mkdir(exist_ok=True)
    return LanguageTraining(
        folder,
        lessons,
        lessons,
        shape=Shape(tokens=tokenizer.size, **_TOY),
        recipe=recipe,
        groups={0: "invented"},
        names=np.array(tokenizer.names),
        ends=END,
    )


def _losses(folder: Path) -> list[tuple[int, float]]:
    log = TrainingLog(folder / LOG)
    log.follow()
    return [(point.step, point.loss) for point in log.points if point.loss is not None]


def test_a_broken_off_training_goes_on_with_the_same_curve(
    tmp_path: Path, lessons: Lessons, tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workshop.language.training._POINT_EVERY", 1)
    whole = _training(tmp_path / "whole", lessons, tokenizer, _RECIPE)
    assert whole.run()
    whole.close()
    broken = _training(tmp_path / "broken", lessons, tokenizer, _RECIPE)
    assert not broken.run(lambda: broken.step >= 9)
    broken.close()
    again = _training(tmp_path / "broken", lessons, tokenizer, _RECIPE)
    assert again.step == 9
    assert again.run()
    again.close()
    curve = _losses(tmp_path / "whole")
    assert [step for step, _ in curve] == list(range(1, 25))
    assert curve == _losses(tmp_path / "broken")
    assert np.mean([loss for _, loss in curve[-6:]]) < np.mean([loss for _, loss in curve[:6]])


def test_a_family_is_computed_as_its_lessons_are_alone(lessons: Lessons, tokenizer: Tokenizer) -> None:
    torch.manual_seed(0)
    model = LanguageModel(Shape(tokens=tokenizer.size, **_TOY))
    initialise_weights(model)
    result = families(lessons, longest=1_000, ends=END)
    assert sorted(number for item in result for number in item.numbers) == list(range(len(lessons)))
    assert max(len(element.numbers) for element in result) > 1
    batch = batch_of(lessons, result[:3])
    with torch.no_grad():
        together, targets = model.replies(batch)
        alone = []
        for number in batch.numbers:
            tokens, reply = lessons.lesson(int(number))
            logits = model(torch.from_numpy(tokens.astype(np.int64))[None])
            alone.append(logits[0, reply - 1 : -1])
    assert torch.allclose(together, torch.cat(alone), atol=1e-3)
    replies = [lessons.lesson(int(number)) for number in batch.numbers]
    assert targets.tolist() == [int(token) for tokens, reply in replies for token in tokens[reply:]]


def test_an_untrained_model_copies_what_followed_before() -> None:
    torch.manual_seed(0)
    model = LanguageModel(Shape(tokens=800))
    initialise_weights(model)
    rng = np.random.default_rng(0)
    message = rng.choice(np.arange(5, 800), size=200, replace=False)
    assert _copied(model, message, message[60:90]).mean() > 0.95


def test_what_stood_two_to_four_tokens_before_says_which_of_two_it_copies() -> None:
    torch.manual_seed(0)
    model = LanguageModel(Shape(tokens=800))
    initialise_weights(model)
    rng = np.random.default_rng(0)
    message = rng.choice(np.arange(5, 800), size=200, replace=False)
    message[100:102] = message[60:62]  # the same two tokens, followed by others
    assert _copied(model, message, message[57:90])[5:].mean() > 0.95
    assert _copied(model, message, message[97:130])[5:].mean() > 0.95


def test_behind_tokens_that_begin_alike_an_untrained_model_copies_the_same() -> None:
    torch.manual_seed(0)
    model = LanguageModel(Shape(tokens=800))
    initialise_weights(model, [(790, 791)])
    rng = np.random.default_rng(0)
    message = rng.choice(np.arange(5, 790), size=200, replace=False)
    message[60] = 791
    again = np.concatenate([[790], message[61:90]])
    assert _copied(model, message, again).mean() > 0.95


def _copied(model: LanguageModel, told: NDArray[np.int64], again: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each next token of what is said again is the likeliest."""
    with torch.no_grad():
        text = model(torch.from_numpy(np.concatenate([told, again]))[None])[0].argmax(-1)
    rights: NDArray[np.bool_] = text[len(told) : -1].numpy() == again[1:]
    return rights


def test_other_names_stand_wherever_the_names_stood(lessons: Lessons, tokenizer: Tokenizer) -> None:
    batch = batch_of(lessons, families(lessons, longest=1_000, ends=END)[:4])
    renaming = TokenRenaming(lessons, np.array(tokenizer.names), tokens=tokenizer.size, share=1.0)
    renamed = renaming(batch, np.random.default_rng(1))
    assert (renamed.own != batch.own).mean() > 0.1
    text = sorted(unprompted_tokens(lessons))
    for row in range(len(batch.shared)):
        before, after = _family(batch, row), _family(renamed, row)
        pairs = {(int(a), int(b)) for a, b in zip(before, after, strict=True)}
        assert len({a for a, _ in pairs}) == len({b for _, b in pairs}) == len(pairs)  # one for one
        assert all(a == b for a, b in pairs if a in text or a not in tokenizer.names)


def _family(batch: Batch, row: int) -> list[int]:
    own = batch.family == row
    targets = batch.targets[own][batch.wanted[own]]
    return [*batch.shared[row].tolist(), *batch.own[own].ravel().tolist(), *targets.tolist()]


def test_the_file_says_what_the_trained_model_says(tmp_path: Path, tokenizer: Tokenizer) -> None:
    from llama_cpp import Llama

    torch.manual_seed(0)
    shape = Shape(tokens=tokenizer.size, **_TOY)
    model = LanguageModel(shape)
    initialise_weights(model)
    file = write_model(
        tmp_path / "model.gguf",
        {name: value.detach().numpy() for name, value in model.state_dict().items()},
        tokenizer,
        heads=shape.heads,
        context=shape.context,
        norm_epsilon=NORM_EPSILON,
        speeds=shape.speeds().numpy(),
        name="test",
        about="A test's.",
        quantised=False,
    )
    prompt = tokenizer.prompt(invented(range(1))[0].prompt.messages)[:400]
    loaded = Llama(str(file), n_ctx=512, n_threads=1, verbose=False, logits_all=True)
    loaded.eval(prompt)
    with torch.no_grad():
        ours = model(torch.tensor([prompt]))[0].numpy()
    theirs = np.array(loaded.scores[: len(prompt)])
    assert np.abs(theirs - ours).max() < 0.05  # it keeps keys and values in 16 bits
    assert (theirs.argmax(-1) == ours.argmax(-1)).mean() > 0.99
