"""Runs twins in lock-step: in this process, in worker processes, or as Ray actors.

Each lane's episodes and disturbances come from its own seed, so results do not depend on how the lanes are
spread. A worker that fails sends its error and traceback to the caller.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from multiprocessing.connection import Connection
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pitwall.core.errors import ChildDied, PitwallError
from pitwall.core.observations import Value
from pitwall.games.plugin_loader import load_twin
from pitwall_lab.environments.twin_environment import EnvironmentSpec, StepResult, TwinEnvironment

_END_S = 3.0
_QUIET: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}


@dataclass(slots=True)
class BatchedStepResult:
    """A `StepResult` of every lane: arrays with one row a lane, lists with one entry."""

    values: list[dict[str, Value]]
    read: list[dict[str, Value]]
    state: NDArray[np.float32]
    pictures: NDArray[np.uint8] | None
    fresh: NDArray[np.bool_]
    over: NDArray[np.bool_]
    terminal: NDArray[np.bool_]
    score: list[float]

    @classmethod
    def of(cls, moments: Sequence[StepResult]) -> BatchedStepResult:
        """Stack the results of the lanes."""
        pictures = [moment.picture for moment in moments if moment.picture is not None]
        return cls(
            values=[moment.values for moment in moments],
            read=[moment.read for moment in moments],
            state=np.stack([moment.state for moment in moments]),
            pictures=np.stack(pictures) if pictures else None,
            fresh=np.array([moment.fresh for moment in moments]),
            over=np.array([moment.over for moment in moments]),
            terminal=np.array([moment.terminal for moment in moments]),
            score=[moment.score for moment in moments],
        )

    @classmethod
    def joined(cls, parts: Sequence[BatchedStepResult]) -> BatchedStepResult:
        """Join the rows of several groups."""
        pictures = [part.pictures for part in parts if part.pictures is not None]
        return cls(
            values=[values for part in parts for values in part.values],
            read=[values for part in parts for values in part.read],
            state=np.concatenate([part.state for part in parts]),
            pictures=np.concatenate(pictures) if pictures else None,
            fresh=np.concatenate([part.fresh for part in parts]),
            over=np.concatenate([part.over for part in parts]),
            terminal=np.concatenate([part.terminal for part in parts]),
            score=[score for part in parts for score in part.score],
        )


class VectorEnvironment(Protocol):
    """Lanes in lock-step.

    Attributes:
        step_ms: duration of a decision in the real game.
    """

    step_ms: float

    def begin(self) -> BatchedStepResult:
        """Begin an episode in every lane."""
        ...

    def step(self, actions: NDArray[Any]) -> BatchedStepResult:
        """Take one decision in every lane, (lanes,); a lane whose episode is over begins the next instead."""
        ...

    def save(self) -> list[dict[str, Any]]:
        """Return the state of every lane."""
        ...

    def restore(self, saved: Sequence[dict[str, Any]]) -> BatchedStepResult:
        """Restore every lane from its saved state."""
        ...

    def close(self) -> None:
        """Close every lane."""
        ...


def open_environment(
    orders: Sequence[EnvironmentSpec], *, workers: int = 0, ray: str = ""
) -> VectorEnvironment:
    """Open the lanes that are described.

    Args:
        workers: extra processes; 0: run the lanes in this one.
        ray: address of a Ray cluster whose actors run the lanes ("local" starts one on this machine).

    Raises:
        PitwallError: Ray is not installed or cannot be reached, or as `TwinEnvironment`.
    """
    if ray:
        return RayEnvironment(orders, address=ray, actors=workers or 1)
    return WorkerEnvironment(orders, processes=workers) if workers else InProcessEnvironment(orders)


class InProcessEnvironment:
    """Lanes in this process, side by side."""

    def __init__(self, orders: Sequence[EnvironmentSpec]) -> None:
        made = load_twin(orders[0].game, orders[0].module)
        self.lanes = [TwinEnvironment(order, made) for order in orders]
        self.step_ms = self.lanes[0].step_ms

    def begin(self) -> BatchedStepResult:
        """See `VectorEnvironment`."""
        return BatchedStepResult.of([lane.begin() for lane in self.lanes])

    def step(self, actions: NDArray[Any]) -> BatchedStepResult:
        """See `VectorEnvironment`."""
        return BatchedStepResult.of(
            [lane.step(action) for lane, action in zip(self.lanes, actions.tolist(), strict=True)]
        )

    def save(self) -> list[dict[str, Any]]:
        """See `VectorEnvironment`."""
        return [lane.save() for lane in self.lanes]

    def restore(self, saved: Sequence[dict[str, Any]]) -> BatchedStepResult:
        """See `VectorEnvironment`."""
        return BatchedStepResult.of(
            [lane.restore(state) for lane, state in zip(self.lanes, saved, strict=True)]
        )

    def close(self) -> None:
        """See `VectorEnvironment`."""
        for lane in self.lanes:
            lane.close()

    def length_ms(self) -> float:
        """Return `step_ms`, because a Ray actor offers only methods."""
        return self.step_ms


class _Spread:
    """Lanes split into groups that run elsewhere; `_ask` calls all groups at once."""

    def __init__(self, count: int, among: int) -> None:
        among = min(among, count)
        edges = [count * part // among for part in range(among + 1)]
        self._shares = [slice(a, b) for a, b in pairwise(edges)]

    def begin(self) -> BatchedStepResult:
        """See `VectorEnvironment`."""
        return BatchedStepResult.joined(self._ask("begin", [() for _ in self._shares]))

    def step(self, actions: NDArray[Any]) -> BatchedStepResult:
        """See `VectorEnvironment`."""
        return BatchedStepResult.joined(self._ask("step", [(actions[share],) for share in self._shares]))

    def save(self) -> list[dict[str, Any]]:
        """See `VectorEnvironment`."""
        return [state for part in self._ask("save", [() for _ in self._shares]) for state in part]

    def restore(self, saved: Sequence[dict[str, Any]]) -> BatchedStepResult:
        """See `VectorEnvironment`."""
        return BatchedStepResult.joined(
            self._ask("restore", [(list(saved[share]),) for share in self._shares])
        )

    def _ask(self, name: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        raise NotImplementedError


# ---- worker processes


def _work(pipe: Connection, orders: Sequence[EnvironmentSpec]) -> None:
    """Run a worker: execute requests and send answers until None comes or the pipe closes."""
    side: InProcessEnvironment | None = None
    try:
        side = InProcessEnvironment(orders)
        pipe.send(("done", side.step_ms))
        while (asked := pipe.recv()) is not None:
            name, arguments = asked
            pipe.send(("done", getattr(side, name)(*arguments)))
    except (EOFError, KeyboardInterrupt):
        pass
    except PitwallError as error:
        pipe.send(("refused", (error.what, error.fix)))
    except Exception:
        pipe.send(("failed", traceback.format_exc()))
    finally:
        if side is not None:
            side.close()


class WorkerEnvironment(_Spread):
    """Lanes spread over worker processes."""

    def __init__(self, orders: Sequence[EnvironmentSpec], *, processes: int) -> None:
        super().__init__(len(orders), processes)
        context = multiprocessing.get_context("spawn")
        self._workers: list[tuple[Connection, Any]] = []
        try:
            for share in self._shares:
                ours, theirs = context.Pipe()
                process = context.Process(target=_work, args=(theirs, orders[share]), daemon=True)
                process.start()
                theirs.close()
                self._workers.append((ours, process))
            lengths = [self._answer(number) for number in range(len(self._workers))]
            self.step_ms: float = lengths[0]
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """See `VectorEnvironment`."""
        for pipe, process in self._workers:
            with contextlib.suppress(OSError):
                pipe.send(None)
            pipe.close()
            process.join(_END_S)
            if process.is_alive():
                process.kill()
                process.join(_END_S)
        self._workers = []

    def _ask(self, name: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        for (pipe, _), given in zip(self._workers, arguments, strict=True):
            with contextlib.suppress(OSError):  # the missing answer raises the better error
                pipe.send((name, given))
        return [self._answer(number) for number in range(len(self._workers))]

    def _answer(self, number: int) -> Any:
        pipe, process = self._workers[number]
        try:
            kind, answer = pipe.recv()
        except (EOFError, OSError):
            process.join(_END_S)
            raise ChildDied(
                f"worker {number + 1} of the training ended unexpectedly (exit code {process.exitcode})."
            ) from None
        if kind == "done":
            return answer
        if kind == "refused":
            raise PitwallError(*answer)
        raise ChildDied(f"worker {number + 1} of the training failed.", traceback=answer)


# ---- Ray


class RayEnvironment(_Spread):
    """Lanes spread over Ray actors, on this machine or others that have Pitwall and the game's folder.

    Args:
        address: of the cluster; "local" starts one on this machine.
    """

    def __init__(self, orders: Sequence[EnvironmentSpec], *, address: str, actors: int) -> None:
        super().__init__(len(orders), actors)
        try:
            import ray
        except ImportError:
            raise PitwallError(
                "Ray is not installed, so environments cannot be spread over machines.",
                "Install the extra `scale`: pip install 'pitwall-console[scale]'.",
            ) from None
        self._ray: Any = ray
        self._ours = not ray.is_initialized()
        try:
            if self._ours and address == "local":
                ray.init(num_cpus=len(self._shares), include_dashboard=False, **_QUIET)
            elif self._ours:
                ray.init(address=address, **_QUIET)
            remote = ray.remote(num_cpus=1)(InProcessEnvironment)
            self._actors = [remote.remote(list(orders[share])) for share in self._shares]
            self.step_ms: float = self._ask("length_ms", [() for _ in self._shares])[0]
        except Exception as error:
            self.close()
            raise PitwallError(f"Ray at {address!r} cannot run the environments: {error}.") from error

    def close(self) -> None:
        """See `VectorEnvironment`."""
        if self._ours and self._ray.is_initialized():
            self._ray.shutdown()

    def _ask(self, name: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        asked = [
            getattr(actor, name).remote(*given) for actor, given in zip(self._actors, arguments, strict=True)
        ]
        answers: list[Any] = self._ray.get(asked)
        return answers
