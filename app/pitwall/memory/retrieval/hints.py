"""Chooses the candidates that become hints, the one that may act, and the reasons for cutting the others.

SPEC §3, quick path.
"""

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
"""Lowest success rate of a hint; below it the hint is a warning, and its action never acts alone."""
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
    """Reduce a ranking to its hints.

    A candidate becomes a hint if its state is similar enough (0.55 J + 0.45 C ≥ 0.85), its action is legal,
    no better candidate has the same action, and there is still room. The best of them acts if its state is
    nearly the same (≥ 0.92) and its action worked at least half of the time.

    Args:
        ranked: best first.
        hints: greatest number of hints. act: whether a candidate may act at all.
        words: returns a candidate's hint.
        scale: entries that are listed only because they rank last of all.
    """
    entered: list[Candidate] = []
    cut: list[Candidate] = []
    hinted: set[str] = set()
    acted = ""
    for candidate in ranked:
        why = _why_not(candidate, weights, legal, hinted)
        if not why:
            if act and not hinted and is_sure(candidate, weights):
                acted = candidate.action
            hinted.add(candidate.action)
            acts = bool(acted) and not entered  # it enters even where no hint is told
            if len(entered) >= hints and not acts:
                why = NO_ROOM if hints else NO_HINTS
        if why:
            cut.append(dataclasses.replace(candidate, cut=SCALE if candidate.entry_id in scale else why))
        else:
            entered.append(dataclasses.replace(candidate, cut=""))
    return Choice(
        candidates=(*entered, *cut),
        hints=tuple(words(candidate) for candidate in entered[:hints]),
        acted=acted,
    )


def is_sure(candidate: Candidate, weights: MemoryWeights) -> bool:
    """Return whether a candidate may act: its state is nearly the same and its action mostly worked."""
    return candidate.semantic >= weights.act_at and candidate.success >= ACT_SUCCESS


def _why_not(
    candidate: Candidate, weights: MemoryWeights, legal: Callable[[str], bool], hinted: Collection[str]
) -> str:
    if candidate.semantic < weights.hint_at:
        return f"its state is not like enough: {candidate.semantic:.2f} of {weights.hint_at:.2f}"
    if not legal(candidate.action):
        return ILLEGAL
    return "a better one tells of the same action" if candidate.action in hinted else ""


def fragments(
    support: Sequence[GraphSupport], hints: int, legal: Callable[[str], bool]
) -> tuple[GraphSupport, ...]:
    """Return the graph's own hints: for each action that mostly worked its best state, best first."""
    best: dict[str, GraphSupport] = {}
    for node in sorted(support, key=lambda node: (-node.score, node.node_id)):
        if node.edge_id is not None and node.rho >= ACT_SUCCESS and legal(node.action):
            best.setdefault(node.action, node)
    return tuple(best.values())[:hints]


def hinted_actions(retrieval: Retrieval, legal: Callable[[str], bool]) -> Mapping[str, float]:
    """Return the actions of a retrieval's hints, best first, with each action's success rate."""
    count = len(retrieval.hints)
    if retrieval.candidates:
        entered = [candidate for candidate in retrieval.candidates if not candidate.cut]
        return {candidate.action: candidate.success for candidate in entered[:count]}
    return {fragment.action: fragment.rho for fragment in fragments(retrieval.graph, count, legal)}


def hint_of(candidate: Candidate, memory: ActionMemory) -> str:
    """Return a hint in words: in a like state 'chop' worked 4 of 5 times."""
    return (
        f"{_where(candidate)} {action_in_words(candidate.action)} {worked(memory.successes, memory.attempts)}"
    )


def hint_from_figures(candidate: Candidate) -> str:
    """Return a hint in words if only the success rate is known."""
    return (
        f"{_where(candidate)} {action_in_words(candidate.action)} worked {candidate.success:.0%} of the times"
    )


def hint_of_fragment(node: GraphSupport) -> str:
    """Write the graph's own hint."""
    return f"in a state like this {action_in_words(node.action)} worked {node.rho:.0%} of the times"


def _where(candidate: Candidate) -> str:
    return "in this state" if candidate.semantic >= 1.0 else "in a like state"


def action_in_words(action: str) -> str:
    """Return an action's text in quotes."""
    return f"'{clean(action, _ACTION_LENGTH)}'"


def worked(successes: int, attempts: int) -> str:
    """Return how often an action worked, as the end of a sentence."""
    if attempts < 1:
        return "was not tried yet"
    if attempts == 1:
        return "worked when it was tried once" if successes else "failed when it was tried once"
    return (
        f"worked {successes} of {attempts} times" if successes else f"failed {attempts} times of {attempts}"
    )
