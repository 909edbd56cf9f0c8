"""Trains the shipped model, from lessons on disk to its weights.

Supervised: each token of a reply is predicted from all tokens before it. The model begins with heads that can
copy, and in most lessons the names are exchanged, so that it must read them. The big matrices learn by Muon
(orthogonalised momentum), tables, biases and norms by Adam. One seed decides everything, and an interrupted
training resumes with the same curve.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from pitwall.core.confidence_intervals import wilson
from pitwall_lab.training.checkpoint import read_checkpoint, write_checkpoint
from pitwall_lab.training.log_writer import TrainingLogWriter
from pitwall_lab.training_log import Evaluated, Line, Point, State
from workshop.language.copying_heads import initialise_weights
from workshop.language.data_parallel import DataParallel
from workshop.language.lessons import Batch, Family, Lessons, batches, families
from workshop.language.model import LanguageModel, Shape
from workshop.language.token_renaming import TokenRenaming

_KEEP_S = 60.0
_POINT_EVERY = 20
_JUDGED_TOKENS = 6_144
_JUDGED_FAMILIES = 160
"""Held-out families judged during the training; its end judges all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageRecipe:
    """Sets how the model is trained.

    Attributes:
        steps: gradient steps of about `batch_tokens` tokens each.
        longest: lessons with more tokens are left out.
        rate, table_rate: learning rates of the big matrices and of the rest; they rise over `warm_up` steps
            and fall to 0 over the last `cool_down` share.
        renamed: share of the families that get other names.
        judge_every: steps between two evaluations on held-out lessons.
        processes: of one thread each, which share each step's batch.
    """

    steps: int = 3_000
    batch_tokens: int = 3_072
    longest: int = 1_600
    rate: float = 0.005
    table_rate: float = 0.003
    warm_up: int = 60
    cool_down: float = 0.6
    renamed: float = 0.7
    judge_every: int = 250
    seed: int = 0
    processes: int = 2


Agreement = dict[str, tuple[int, int]]
"""Group of held-out lessons → number of replies equal to the teacher's, and number of replies."""


class LanguageTraining:
    """Runs a training between two checkpoints.

    Args:
        folder: of the training, with its checkpoint and log.
        lessons, held_out: for learning, and for judging.
        names: tokens of which names are made. ends: the token that ends a message.
        alike: tokens that begin like others.
        groups: number of a source → its name.
        on_line: called with every line of the log.

    Attributes:
        step: gradient steps made. wall_s: their seconds. tokens_seen: tokens in their batches.
    """

    def __init__(
        self,
        folder: Path,
        lessons: Lessons,
        held_out: Lessons,
        *,
        shape: Shape,
        recipe: LanguageRecipe,
        groups: dict[int, str],
        names: NDArray[np.int64],
        ends: int,
        alike: Sequence[tuple[int, int]] = (),
        on_line: Callable[[Line], None] | None = None,
    ) -> None:
        torch.set_num_threads(1)
        torch.manual_seed(recipe.seed)
        self.model = LanguageModel(shape)
        initialise_weights(self.model, alike)
        self.recipe = recipe
        self.step = 0
        self._folder, self._lessons, self._held_out = folder, lessons, held_out
        self._groups = groups
        self._judged = families(held_out, longest=recipe.longest, ends=ends)
        self._families = families(lessons, longest=recipe.longest, ends=ends)
        self._renaming = TokenRenaming(lessons, names, tokens=shape.tokens, share=recipe.renamed)
        self._optimisers = _optimisers(self.model, recipe)
        self._parallel = DataParallel(self.model, processes=recipe.processes)
        self._stepping = ThreadPoolExecutor(recipe.processes)
        self.wall_s, self.tokens_seen = 0.0, 0
        self._best = -1.0
        self._space = _space(shape, recipe, lessons)
        saved = read_checkpoint(folder, space=self._space)
        if saved is not None:
            self._load(saved)
        self._journal = TrainingLogWriter(folder, points_to=self.step, evaluated_to=self.step, listen=on_line)

    def run(self, should_stop: Callable[[], bool] = lambda: False) -> bool:
        """Train to the end of the recipe, or until it is stopped; return whether it is done.

        Raises:
            ChildDied: one of the other processes ended. Only the steps since the checkpoint are lost.
        """
        recipe, began, kept_at = self.recipe, time.monotonic() - self.wall_s, time.monotonic()
        self._say("running")
        losses: list[float] = []
        tokens, since = 0, time.monotonic()
        for batch in self._stream():
            if self.step >= recipe.steps or should_stop():
                break
            losses.append(self._learn(batch))
            tokens += batch.size
            self.tokens_seen += batch.size
            self.step += 1
            self.wall_s = time.monotonic() - began
            if self.step % _POINT_EVERY == 0:
                now = time.monotonic()
                self._point(float(np.mean(losses)), tokens / max(1e-9, now - since))
                losses, tokens, since = [], 0, now
            if self.step % recipe.judge_every == 0 or self.step == recipe.steps:
                self._judge()
                since = time.monotonic()
            if time.monotonic() - kept_at > _KEEP_S:
                self._keep()
                kept_at = time.monotonic()
        self._keep()
        done = self.step >= recipe.steps
        self._say("finished" if done else "stopped")
        return done

    def close(self) -> None:
        """End the other processes, and flush the log."""
        self._parallel.close()
        self._stepping.shutdown()
        self._journal.close()

    def agreement(self) -> Agreement:
        """Count by group the replies to held-out lessons that equal the teacher's."""
        return self._agreement(self._judged)

    # ---- learning

    def _stream(self) -> Iterator[Batch]:
        """Yield batches from the training's present position."""
        recipe, number, epoch = self.recipe, 0, 0
        while True:
            for batch in batches(
                self._lessons,
                self._families,
                tokens=recipe.batch_tokens,
                seed=recipe.seed,
                epoch=epoch,
                skip=max(0, self.step - number),
            ):
                number += 1
                if batch is not None:
                    yield self._renaming(batch, np.random.default_rng((recipe.seed, epoch, number)))
            epoch += 1

    def _learn(self, batch: Batch) -> float:
        """Take one gradient step and return its loss over the replies."""
        share = self._rate()
        for optimiser in self._optimisers:
            muon = isinstance(optimiser, torch.optim.Muon)
            for group in optimiser.param_groups:
                group["lr"] = share * (self.recipe.rate if muon else self.recipe.table_rate)
        loss = self._parallel.gradients(batch)
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        list(
            self._stepping.map(lambda optimiser: optimiser.step(), self._optimisers)
        )  # the other processes are idle now
        return loss

    def _rate(self) -> float:
        """Return the present share of the learning rate."""
        recipe = self.recipe
        left = (recipe.steps - self.step) / max(1.0, recipe.steps * recipe.cool_down)
        return min(1.0, (self.step + 1) / recipe.warm_up, max(0.0, left))

    # ---- logging and saving

    def _judge(self) -> None:
        every = max(1, len(self._judged) // _JUDGED_FAMILIES)
        agreement = self._agreement(self._judged[::every])
        right = sum(counts[0] for counts in agreement.values())
        of = sum(counts[1] for counts in agreement.values())
        low, high = wilson(right, of)
        mean = 100.0 * right / max(1, of)
        self._journal.write(
            Evaluated(
                step=self.step,
                wall_s=self.wall_s,
                at=time.time(),
                runs=of,
                mean=mean,
                low=100 * low,
                high=100 * high,
                wins=right,
                best=mean > self._best,
            )
        )
        self._best = max(self._best, mean)
        self._point(
            None,
            0.0,
            {name: 100.0 * counts[0] / counts[1] for name, counts in agreement.items() if counts[1]},
        )

    def _agreement(self, judged: Sequence[Family]) -> Agreement:
        """Judge with all cores, while the other processes wait."""
        torch.set_num_threads(self.recipe.processes)
        try:
            return agreement(self.model, self._held_out, judged, self._groups)
        finally:
            torch.set_num_threads(1)

    def _point(self, loss: float | None, rate: float, states: dict[str, float] | None = None) -> None:
        self._journal.write(
            Point(
                step=self.step,
                wall_s=self.wall_s,
                at=time.time(),
                loss=loss,
                fps=rate,
                states=states or {},
            )
        )

    def _say(self, state: Any) -> None:
        self._journal.write(State(state=state, step=self.step, steps=self.recipe.steps, at=time.time()))

    def _keep(self) -> None:
        state = {
            "step": self.step,
            "wall_s": self.wall_s,
            "tokens_seen": self.tokens_seen,
            "best": self._best,
            "model": self.model.state_dict(),
            "optimisers": [optimiser.state_dict() for optimiser in self._optimisers],
        }
        write_checkpoint(self._folder, state, space=self._space)

    def _load(self, saved: dict[str, Any]) -> None:
        self.step, self._best = saved["step"], saved["best"]
        self.wall_s, self.tokens_seen = saved["wall_s"], saved["tokens_seen"]
        self.model.load_state_dict(saved["model"])
        for optimiser, state in zip(self._optimisers, saved["optimisers"], strict=True):
            optimiser.load_state_dict(state)


def agreement(
    model: LanguageModel, lessons: Lessons, judged: Sequence[Family], groups: dict[int, str]
) -> Agreement:
    """Count by group the replies of these families that the model would write like the teacher."""
    counts: Agreement = {}
    for batch in batches(lessons, judged, tokens=_JUDGED_TOKENS, seed=0, epoch=0):
        assert batch is not None
        for number, right in zip(batch.numbers, _right(model, batch), strict=True):
            name = groups[int(lessons.sources[number])]
            before = counts.get(name, (0, 0))
            counts[name] = (before[0] + bool(right), before[1] + 1)
    return counts


def _right(model: LanguageModel, batch: Batch) -> NDArray[np.bool_]:
    """Return for each reply whether all its tokens are the likeliest."""
    wanted = torch.from_numpy(batch.wanted)
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        logits, targets = model.replies(batch)
    wrong = torch.zeros(wanted.shape, dtype=torch.bool)
    wrong[wanted] = logits.argmax(-1) != targets
    right: NDArray[np.bool_] = (~wrong.any(1)).numpy()
    return right


def _optimisers(model: LanguageModel, recipe: LanguageRecipe) -> list[torch.optim.Optimizer]:
    """Make optimisers of separate weights, so that they can step at the same time."""
    big = [
        weight for name, weight in model.named_parameters() if weight.dim() == 2 and name != "table.weight"
    ]
    rest = [weight for name, weight in model.named_parameters() if weight.dim() < 2 or name == "table.weight"]
    parts = [big[first :: recipe.processes] for first in range(recipe.processes)]
    return [
        *(torch.optim.Muon(part, lr=recipe.rate, weight_decay=0.01, momentum=0.95) for part in parts if part),
        torch.optim.AdamW(rest, lr=recipe.table_rate, weight_decay=0.0, betas=(0.9, 0.98)),
    ]


def _space(shape: Shape, recipe: LanguageRecipe, lessons: Lessons) -> str:
    """Return a hash that changes whenever a checkpoint would not fit, or the curve would differ."""
    identity = json.dumps(
        [shape.as_dict(), asdict(recipe), len(lessons), int(lessons.starts[-1])], sort_keys=True
    )
    return hashlib.sha256(identity.encode()).hexdigest()
