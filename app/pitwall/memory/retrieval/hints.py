"""Chooses which candidates are told, which one may act, and why the others are cut (SPEC §3, quick path)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from pitwall.core.memory_kinds import ActionMemory
from pitwall.core.retrieval import Candidate, GraphSupport, MemoryWeights, Retrieval
from pitwall.models.replies.reply_object import clean

ILLEGAL = "not legal here"
SCALE = "ranks last of all: the lower end of the scale"
NO_ROOM, NO_HINTS = "no room: fewer hints are told at once", "no hints are told"
ACT_SUCCESS = 0.5
"""What has not worked at least this often is told as a warning, and never acts by itself."""
_ACTION_LENGTH = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Candidates with what became of each: those that entered first, then the cut ones, each best first."""

    candidates: tuple[Candidate, ...]
    hints: tuple[str, ...]
    acted: str


def choose(
    ranked: Sequence[Candidate],
    weights: MemoryWeights,
    *,
    hints: int,
    act: bool,
    legal: Callable[[str], bool],
    words: Callable[[Candidate], str],
    scale: Collection[int] = (),
) -> Choice:
    """Cut a ranking down to its hints.

    A candidate enters where its state is like enough (0.55 J + 0.45 C ≥ 0.85), its action is legal, no
    better one tells of the same action, and there is still room. The best of them acts where its state is
    nearly the same (≥ 0.92) and it worked at least half of the times.

    Args:
        ranked: best first.
        hints: how many are told at most. act: whether one may act at all.
        words: a candidate's hint.
        scale: entries that are shown only because they rank last of all.
    """
    entered: list[Candidate] = []
    cut: list[Candidate] = []
    told: set[str] = set()
    acted = ""
    for one in ranked:
        why = _why_not(one, weights, legal, told)
        if not why:
            if act and not told and is_sure(one, weights):
                acted = one.action
            told.add(one.action)
            acts = bool(acted) and not entered  # it enters even where no hint is told
            if len(entered) >= hints and not acts:
                why = NO_ROOM if hints else NO_HINTS
        if why:
            cut.append(dataclasses.replace(one, cut=SCALE if one.entry_id in scale else why))
        else:
            entered.append(dataclasses.replace(one, cut=""))
    return Choice(
        candidates=(*entered, *cut), hints=tuple(words(one) for one in entered[:hints]), acted=acted
    )


def is_sure(one: Candidate, weights: MemoryWeights) -> bool:
    """Whether a candidate may act by itself: its state is nearly the same, and it mostly worked there."""
    return one.semantic >= weights.act_at and one.success >= ACT_SUCCESS


def _why_not(
    one: Candidate, weights: MemoryWeights, legal: Callable[[str], bool], told: Collection[str]
) -> str:
    if one.semantic < weights.hint_at:
        return f"its state is not like enough: {one.semantic:.2f} of {weights.hint_at:.2f}"
    if not legal(one.action):
        return ILLEGAL
    return "a better one tells of the same action" if one.action in told else ""


def fragments(
    support: Sequence[GraphSupport], hints: int, legal: Callable[[str], bool]
) -> tuple[GraphSupport, ...]:
    """Return the graph's own hints: for each action that mostly worked its best state, best first."""
    told: dict[str, GraphSupport] = {}
    for one in sorted(support, key=lambda one: (-one.score, one.node_id)):
        if one.edge_id is not None and one.rho >= ACT_SUCCESS and legal(one.action):
            told.setdefault(one.action, one)
    return tuple(told.values())[:hints]


def hinted_actions(retrieval: Retrieval, legal: Callable[[str], bool]) -> Mapping[str, float]:
    """The actions that an answer's hints tell of, best first → share of the times each worked."""
    count = len(retrieval.hints)
    if retrieval.candidates:
        entered = [one for one in retrieval.candidates if not one.cut]
        return {one.action: one.success for one in entered[:count]}
    return {one.action: one.rho for one in fragments(retrieval.graph, count, legal)}


def hint_of(one: Candidate, memory: ActionMemory) -> str:
    """A hint in words: in a like state 'chop' worked 4 of 5 times."""
    return f"{_where(one)} {_action(one.action)} {_worked(memory.successes, memory.attempts)}"


def hint_from_figures(one: Candidate) -> str:
    """The same where only the share of successes is known."""
    return f"{_where(one)} {_action(one.action)} worked {one.success:.0%} of the times"


def hint_of_fragment(one: GraphSupport) -> str:
    """Write the graph's own hint."""
    return f"in a state like this {_action(one.action)} worked {one.rho:.0%} of the times"


def _where(one: Candidate) -> str:
    return "in this state" if one.semantic >= 1.0 else "in a like state"


def _action(action: str) -> str:
    return f"'{clean(action, _ACTION_LENGTH)}'"


def _worked(successes: int, attempts: int) -> str:
    if attempts < 1:
        return "was not tried yet"
    if attempts == 1:
        return "worked when it was tried once" if successes else "failed when it was tried once"
    return (
        f"worked {successes} of {attempts} times" if successes else f"failed {attempts} times of {attempts}"
    )
