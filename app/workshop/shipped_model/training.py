"""`pitwall models train-default`, from the seed to the file: corpus, training, model file, card.

Everything is in one folder, and existing parts are not made again: an interrupted training resumes with the
same lessons and the same curve.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pitwall.core.confidence_intervals import wilson
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.models.shipped import NAME, WHAT_IT_IS
from pitwall.store.lease import FileLock
from workshop.shipped_model.card import card_of
from workshop.shipped_model.dataset.dataset_builder import DatasetPlan, build, sources_of
from workshop.shipped_model.dataset.phrases import SIMILAR_PHRASES
from workshop.shipped_model.gguf_writer import write_model
from workshop.shipped_model.tokenizer import END, Tokenizer

if TYPE_CHECKING:
    from pitwall_lab.training_log import Line
    from workshop.language.training import LanguageTraining

MODEL, FULL, CARD, ABOUT = f"{NAME}.gguf", f"{NAME}-f32.gguf", "card.md", "about.json"
EVALUATION_FILE = "examined.json"
_LOCK, _CORPUS, _PLAN = "training.lock", "corpus", "plan.json"
_CONTEXT = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """Sizes of the model (see language.model.Shape)."""

    width: int = 160
    layers: int = 3
    heads: int = 4
    head: int = 64
    inner: int = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTrainingOrder:
    """Orders a training. A folder keeps its first order.

    Attributes:
        recipe: values of language.training.LanguageRecipe that differ from the defaults.
    """

    seed: int = 0
    sizes: Sizes = Sizes()
    corpus: DatasetPlan = field(default_factory=DatasetPlan)
    recipe: dict[str, Any] = field(default_factory=dict)


def train_default(
    folder: Path,
    order: ModelTrainingOrder,
    data: DataFolder,
    *,
    workers: int = 1,
    on_shard: Callable[[int, int], None],
    on_line: Callable[[Line], None],
    should_stop: Callable[[], bool],
) -> dict[str, Any]:
    """Make the missing parts of a folder's model; return the content of `about.json`.

    Args:
        workers: processes that make lessons.

    Raises:
        PitwallError: the folder was begun with another order, or a bundled game cannot be played.
    """
    from workshop.language.lessons import read_lessons
    from workshop.language.model import Shape
    from workshop.language.training import LanguageRecipe, LanguageTraining

    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / _LOCK, role="training", subject=NAME):
        _same_order(folder / _PLAN, order)
        tokenizer = build(
            folder / _CORPUS, order.corpus, data, workers=workers, tell=on_shard, should_stop=should_stop
        )
        recipe = LanguageRecipe(**{"seed": order.seed, **order.recipe})
        training = LanguageTraining(
            folder,
            read_lessons(folder / _CORPUS),
            read_lessons(folder / _CORPUS / "held-out"),
            shape=Shape(tokens=tokenizer.size, context=_CONTEXT, **asdict(order.sizes)),
            recipe=recipe,
            groups=sources_of(),
            names=np.array(tokenizer.names, np.int64),
            ends=END,
            alike=[
                (tokenizer.phrase(phrase), tokenizer.phrase(other))
                for phrase, other in SIMILAR_PHRASES.items()
            ],
            on_line=on_line,
        )
        try:
            done = training.run(should_stop)
            about = _about(order, training, done)
        finally:
            training.close()
        _written(folder, training, tokenizer)
        (folder / ABOUT).write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
        (folder / CARD).write_text(card_of(about), encoding="utf-8")
        return about


def complete_card(folder: Path, examined: dict[str, Any]) -> None:
    """Add an evaluation's result to the folder of a training, and to its card.

    Raises:
        PitwallError: there is no training in it.
    """
    try:
        about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise PitwallError(
            f"{folder} holds no training that can be told of: {ABOUT} is missing or damaged.",
            "Train first: pitwall models train-default",
        ) from None
    (folder / EVALUATION_FILE).write_text(json.dumps(examined, indent=2) + "\n", encoding="utf-8")
    (folder / CARD).write_text(card_of(about, examined), encoding="utf-8")


def _same_order(file: Path, order: ModelTrainingOrder) -> None:
    text = json.dumps(asdict(order), sort_keys=True, indent=1)
    if not file.is_file():
        file.write_text(text, encoding="utf-8")
    elif file.read_text(encoding="utf-8") != text:
        raise PitwallError(
            f"{file.parent} was begun with another order.", "Name another folder, or the same seed and steps."
        )


def _written(folder: Path, training: LanguageTraining, tokenizer: Tokenizer) -> None:
    from workshop.language.model import NORM_EPSILON

    weights = {name: value.detach().numpy() for name, value in training.model.state_dict().items()}
    for file, quantised in ((MODEL, True), (FULL, False)):
        write_model(
            folder / file,
            weights,
            tokenizer,
            heads=training.model.shape.heads,
            context=training.model.shape.context,
            norm_epsilon=NORM_EPSILON,
            speeds=training.model.shape.speeds().numpy(),
            name=NAME,
            about=WHAT_IT_IS,
            quantised=quantised,
        )


def _about(order: ModelTrainingOrder, training: LanguageTraining, done: bool) -> dict[str, Any]:
    scores = {}
    for name, (right, of) in sorted(training.agreement().items()):
        low, high = wilson(right, of)
        scores[name] = {"share": right / of, "low": low, "high": high, "replies": of}
    return {
        "name": NAME,
        "what": WHAT_IT_IS,
        "done": done,
        "steps": training.step,
        "wall_s": round(training.wall_s, 1),
        "parameters": sum(weight.numel() for weight in training.model.parameters()),
        "tokens_learned_from": training.tokens_seen,
        "order": asdict(order),
        "recipe": asdict(training.recipe),
        "to_the_letter": scores,
    }
