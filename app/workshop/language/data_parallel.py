"""Computes the gradients of a batch in several processes of one thread each.

The batch is divided by its lessons. Each process sums the losses of its part over the replies' tokens, with
weights that all processes share, and writes the gradients of that sum into a row of shared memory. This
process adds the rows in order and divides by the tokens, so one seed gives the same bits every time.
"""

from __future__ import annotations

import contextlib
import signal
import sys
import traceback
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any

import numpy as np
import torch
from torch import Tensor, multiprocessing
from torch.nn import functional as F  # noqa: N812  # the usual name

from pitwall.core.errors import ChildDied
from workshop.language.lessons import Batch, rounded
from workshop.language.model import LanguageModel

_END_S = 3.0
_PAIRS = 500
"""Number of attended tokens that cost as much time as one more token."""


class DataParallel:
    """Computes a model's gradients; close it at the end.

    Args:
        model: its weights move to shared memory, its gradients into this object's memory; both stay there.
        processes: including this one; the others start with the first gradients.
        precision: of the matrix products.
    """

    def __init__(
        self, model: LanguageModel, *, processes: int, precision: torch.dtype = torch.bfloat16
    ) -> None:
        self._model, self._processes, self._precision = model, processes, precision
        self._sums = torch.zeros(processes, sum(weight.numel() for weight in model.parameters()))
        if processes > 1:
            model.share_memory()
            self._sums.share_memory_()  # type: ignore[no-untyped-call]
        _lay(model, self._sums[0])
        self._peers: list[tuple[Connection, Any]] = []

    @property
    def pids(self) -> list[int]:
        """Return the ids of the other running processes."""
        return [process.pid for _, process in self._peers]

    def gradients(self, batch: Batch) -> float:
        """Set the gradients of the model's weights, and return the mean loss over the replies' tokens.

        Raises:
            ChildDied: one of the other processes ended.
        """
        try:
            return self._gradients(split(batch, self._processes))
        except BaseException:
            self.close()  # a late answer would be mistaken for the next batch's
            raise

    def close(self) -> None:
        """End the other processes; the next gradients would start them again."""
        peers, self._peers = self._peers, []
        for pipe, _ in peers:
            pipe.close()
        for _, process in peers:
            process.join(_END_S)
            if process.is_alive():
                process.kill()
                process.join()
            process.close()

    def _gradients(self, parts: Sequence[Batch]) -> float:
        if self._processes > 1 and not self._peers:
            self._start()
        asked = list(zip(range(len(self._peers)), parts[1:], strict=False))
        for number, part in asked:
            with contextlib.suppress(OSError):  # the missing answer raises the better error
                self._peers[number][0].send(part)
        loss = _learn(self._model, self._sums[0], parts[0], self._precision)
        tokens = int(parts[0].wanted.sum())
        for number, part in asked:
            loss += self._answer(number)
            tokens += int(part.wanted.sum())
            self._sums[0] += self._sums[number + 1]
        self._sums[0] /= tokens
        return loss / tokens

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        for row in self._sums[1:]:
            ours, theirs = context.Pipe()
            arguments = (theirs, self._model, row, self._precision)
            process = context.Process(target=_work, args=arguments, daemon=True)
            with theirs, _no_interrupts():
                process.start()
            self._peers.append((ours, process))

    def _answer(self, number: int) -> float:
        """Return the sum of the losses that another process computed."""
        pipe, process = self._peers[number]
        wait([pipe, process.sentinel])
        try:
            if not pipe.poll():
                raise EOFError
            done, result = pipe.recv()
        except (EOFError, OSError):
            process.join(_END_S)
            raise ChildDied(
                f"process {number + 2} of the training ended by itself (exit code {process.exitcode}).",
                "Start the training again: it goes on from its last checkpoint.",
            ) from None
        if not done:
            raise ChildDied(f"process {number + 2} of the training failed.", traceback=result)
        return float(result)


def split(batch: Batch, parts: int) -> list[Batch]:
    """Split into up to so many batches of similar cost; together they hold the same lessons in order."""
    lessons = len(batch.numbers)
    if parts == 1 or lessons == 1:
        return [batch]
    ends = batch.wanted.shape[1] - np.argmax(batch.wanted[:, ::-1], axis=1)
    left = parts // 2

    def longest(cut: int) -> float:
        return max(_cost(batch, ends, 0, cut) / left, _cost(batch, ends, cut, lessons) / (parts - left))

    cut = min(range(1, lessons), key=longest)
    first, rest = _part(batch, ends, 0, cut), _part(batch, ends, cut, lessons)
    return [*split(first, left), *split(rest, parts - left)]


def _cost(batch: Batch, ends: Any, begin: int, end: int) -> float:
    """Estimate the cost of some lessons as a batch, in tokens."""
    families = slice(int(batch.family[begin]), int(batch.family[end - 1]) + 1)
    shared, own = int(batch.shared_lengths[families].max()), int(ends[begin:end].max())
    first, rest = (families.stop - families.start) * shared, (end - begin) * own
    return first + rest + (first * shared + rest * (shared + own)) / _PAIRS


def _part(batch: Batch, ends: Any, begin: int, end: int) -> Batch:
    """Cut some lessons out as a batch without padding. ends: of each reply."""
    families = slice(int(batch.family[begin]), int(batch.family[end - 1]) + 1)
    lengths = batch.shared_lengths[families]
    rows, own = slice(begin, end), slice(rounded(ends[begin:end].max()))
    return Batch(
        numbers=batch.numbers[rows],
        family=batch.family[rows] - families.start,
        shared=batch.shared[families, : rounded(lengths.max())],
        shared_lengths=lengths,
        own=batch.own[rows, own],
        wanted=batch.wanted[rows, own],
        targets=batch.targets[rows, own],
    )


def _lay(model: LanguageModel, row: Tensor) -> None:
    """Write the gradients of a model's weights one after another into a row."""
    weights = list(model.parameters())
    for weight, place in zip(
        weights, torch.split(row, [parameter.numel() for parameter in weights]), strict=True
    ):
        weight.grad = place.view_as(weight)


def _learn(model: LanguageModel, row: Tensor, batch: Batch, precision: torch.dtype) -> float:
    """Compute the sum of the losses over the replies' tokens, and leave its gradients in the row."""
    row.zero_()
    with torch.autocast("cpu", torch.bfloat16, enabled=precision == torch.bfloat16):
        logits, targets = model.replies(batch)
    loss = F.cross_entropy(logits.float(), targets, reduction="sum")
    loss.backward()  # type: ignore[no-untyped-call]
    return loss.item()


def _work(pipe: Connection, model: LanguageModel, row: Tensor, precision: torch.dtype) -> None:
    """Run another process: compute gradients for each batch until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    torch.set_num_threads(1)
    _lay(model, row)
    with contextlib.suppress(EOFError, OSError):
        while True:
            batch = pipe.recv()
            try:
                answer: tuple[bool, float | str] = (True, _learn(model, row, batch, precision))
            except Exception:
                answer = (False, traceback.format_exc())
            pipe.send(answer)


@contextlib.contextmanager
def _no_interrupts() -> Iterator[None]:
    """Delay Ctrl-C within the block, and keep it from processes that are started in it."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
