"""Fragments of the knowledge graph in words, and which controller gets them (SPEC §3).

A fragment is evidence for a plan: a state, its best actions with their counts, what followed, what failed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pitwall.core.memory_kinds import ActionEdge
from pitwall.core.prompts import Layer, Span
from pitwall.core.retrieval import Fragment, GraphSupport
from pitwall.core.settings import MemorySettings
from pitwall.memory.retrieval.hints import ACT_SUCCESS, action_in_words, worked
from pitwall.memory.value_format import quoted

_MOST_BEST, _MOST_FAILED = 2, 3
_STATE_LENGTH = 160
_SAME = 0.999
"""Cosine from which two states are called the same."""
HEADING = "Knowledge graph, best evidence first:\n"
ITEM = "SA-KG state "
"""Beginning of the name of a fragment's span; the number of the graph's state follows."""


def fragment_of(
    node: GraphSupport,
    edges: Sequence[ActionEdge],
    text: Callable[[int], str],
    legal: Callable[[str], bool],
) -> Fragment | None:
    """Return a state's fragment; None if none of its actions is legal here.

    Args:
        edges: the actions that lead from the state. text: returns a state's text, empty for an unknown one.
    """
    counts = sorted(_counts(edges, legal), key=lambda count: (-count.rate, -count.attempts, count.action))
    best = [count for count in counts if count.rate >= ACT_SUCCESS][:_MOST_BEST]
    failed = [count for count in counts if count.rate < ACT_SUCCESS][-_MOST_FAILED:]
    if not counts:
        return None
    where = "in this state" if node.v >= _SAME else "in a state like this"
    parts = [_tried(count, text) for count in best]
    if failed:
        parts.append(f"tried and failed: {', '.join(_tried(count, text) for count in failed)}")
    state = quoted(text(node.node_id), _STATE_LENGTH)
    return Fragment(node_id=node.node_id, score=node.score, text=f"{where} ({state}) {'; '.join(parts)}")


class _Count:
    """Sums an action's edges: a failure counts once, though it stands on the edge to each target."""

    def __init__(self, edges: Sequence[ActionEdge]) -> None:
        self.action = edges[0].action
        self.successes = sum(edge.successes for edge in edges)
        self.attempts = self.successes + max(edge.attempts - edge.successes for edge in edges)
        self.target = max(edges, key=lambda edge: edge.successes).target

    @property
    def rate(self) -> float:
        return self.successes / max(1, self.attempts)


def _counts(edges: Sequence[ActionEdge], legal: Callable[[str], bool]) -> list[_Count]:
    by_action: dict[str, list[ActionEdge]] = {}
    for edge in edges:
        if legal(edge.action):
            by_action.setdefault(edge.action, []).append(edge)
    return [_Count(same) for same in by_action.values()]


def _tried(count: _Count, text: Callable[[int], str]) -> str:
    words = f"{action_in_words(count.action)} {worked(count.successes, count.attempts)}"
    after = text(count.target) if count.target is not None and count.successes else ""
    return f"{words}, then {quoted(after, _STATE_LENGTH)}" if after else words


def evidence_for(
    memory: MemorySettings, hints: tuple[str, ...], fragments: tuple[Fragment, ...], *, strategic: bool
) -> tuple[tuple[str, ...], tuple[Fragment, ...]]:
    """Return the hints and the fragments that a controller gets (`memory.controllers`)."""
    if memory.global_only:
        return (), ()
    match memory.controllers:
        case "shared":
            return hints, ()
        case "both":
            return hints, fragments
        case "own":
            graph = strategic
        case "swapped":
            graph = not strategic
    return ((), fragments) if graph else (hints, ())


def fragment_spans(
    fragments: Sequence[Fragment], most_tokens: int, count: Callable[[str], int]
) -> tuple[Span, ...]:
    """Return the spans of the first fragments that fit, under their heading; empty for none.

    Args:
        count: returns the tokens of a text.
    """
    spans: list[Span] = []
    left = most_tokens - count(HEADING)
    for fragment in fragments:
        span = Span(layer=Layer.STATE, text=f"- {fragment.text}\n", item=f"{ITEM}{fragment.node_id}")
        left -= count(span.text)
        if left < 0:
            break
        spans.append(span)
    return (Span(layer=Layer.STATE, text=HEADING), *spans) if spans else ()
