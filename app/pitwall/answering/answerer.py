"""What an answerer is: it takes a sheet's questions and gives answer after answer.

It knows the sheet, what the agent itself recorded and remembered, and nothing else: this room is fenced
from truths (`exam.paper`) and from true states (`evaluation`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from types import TracebackType
from typing import Protocol, Self

from pitwall.exam.sheet import Answer, AnswererKind, Answers, Sheet, SheetQuestion

Stopped = Callable[[], bool]
"""Asked between (and, where a model writes, within) answers: whether to end now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """Who answers; see `Answers` for the same fields."""

    kind: AnswererKind
    name: str
    uses: tuple[str, ...]
    model: str = ""
    memory: str = ""


@dataclass(slots=True)
class Tokens:
    """What all model calls together took."""

    prompt: int = 0
    output: int = 0


class Answerer(Protocol):
    """Answers questions about one run. Opened by `answering.open`; a context manager, as some hold a host."""

    @property
    def about(self) -> About: ...

    @property
    def tokens(self) -> Tokens: ...

    def answer(self, questions: Sequence[SheetQuestion], stopped: Stopped) -> Iterator[Answer]:
        """One answer a question, in their order. Ends early, without a word, where it is stopped.

        A question that could not be answered (a model failed, the time was up) has an answer with a problem.
        """
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """An answer that was just given. left_s: about so long for the rest; None: nobody knows yet."""

    answer: Answer
    done: int
    of: int
    left_s: float | None


def sit(
    answerer: Answerer,
    sheet: Sheet,
    *,
    before: Answers | None = None,
    keep: Callable[[Answers], None],
    told: Callable[[Progress], None] = lambda _: None,
    stopped: Stopped = lambda: False,
    only: Collection[str] = (),
) -> Answers:
    """Have a sheet answered. Answer after answer is kept, so that a sitting that was ended can go on.

    Args:
        before: an earlier sitting of the same answerer that was ended: its answers stand, those with a
            problem are asked again.
        keep: writes what there is so far.
        only: ids of questions; none: all.
    """
    raise NotImplementedError


def now() -> str:
    """UTC, ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds")
