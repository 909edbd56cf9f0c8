"""Texts of the graph: tool tips, descriptions for screen readers, counts. No Qt."""

from __future__ import annotations

import math

from pitwall.core.memories import MemoryEntry
from pitwall.core.memory_kinds import ActionEdge, Likeness, StateNode
from pitwall.core.quantities import counted
from pitwall_evaluation.console.memory_changes.differences import cut
from pitwall_memory_editor.console.graph.scene import NONE, Scene

_MOST_LETTERS = 400


def entry_words(scene: Scene, entry_id: int) -> str:
    """Describe a state, an action or a likeness in a few lines."""
    entry = scene.graph.entries.get(entry_id)
    if entry is None:
        return ""
    match entry.content:
        case ActionEdge() as edge:
            lines = _edge_lines(scene, edge)
        case Likeness() as like:
            lines = [
                f"alike: cosine {like.cosine:.2f}",
                cut(_text(scene, like.first), _MOST_LETTERS),
                cut(_text(scene, like.second), _MOST_LETTERS),
            ]
        case StateNode(text=text):
            row = scene.graph.row_of(entry_id)
            count, visits = int(scene.graph.degrees[row]), int(scene.graph.visits[row])
            lines = [
                cut(text, _MOST_LETTERS),
                f"{counted(count, 'neighbour')} · {counted(visits, 'passage')}",
            ]
        case _:
            lines = []
    return "\n".join((*lines, _from(entry)))


def _edge_lines(scene: Scene, edge: ActionEdge) -> list[str]:
    rate = edge.successes / edge.attempts if edge.attempts else float("nan")
    target = "it is not known where" if edge.target is None else _text(scene, edge.target)
    return [
        cut(edge.action, _MOST_LETTERS),
        f"success {rate_words(rate)} ({edge.successes} of {edge.attempts}) · reward {edge.reward:.2f}",
        f"from {cut(_text(scene, edge.source), _MOST_LETTERS)}",
        f"to {cut(target, _MOST_LETTERS)}",
    ]


def _text(scene: Scene, entry_id: int) -> str:
    row = scene.graph.row_of(entry_id)
    return scene.graph.texts[row] if row >= 0 else "a state that is not there any more"


def _from(entry: MemoryEntry) -> str:
    by = entry.changed_by
    who = "you" if by.author == "operator" else by.author
    run = f" · run {by.run_id}" if by.run_id is not None else ""
    return f"{who}{run}{' · pinned' if entry.pinned else ''}"


def more_words(scene: Scene, number: int) -> str:
    """Return the tool tip of a "+N"."""
    count = int(scene.more[number])
    return f"{counted(count, 'more neighbour')} of this state: click to show"


def view_words(scene: Scene, chosen: int | None) -> str:
    """Return the description of the picture for screen readers."""
    states, actions = counted(len(scene.graph), "state"), counted(len(scene.links), "action")
    shown = f"{len(scene):,} of {states} shown, {actions}."
    if chosen is None or not (words := entry_words(scene, chosen)):
        return f"{shown} Nothing is chosen; arrow keys choose."
    text = f"{shown} Chosen: {words.replace(chr(10), '; ')}."
    number = scene.number_of(chosen)
    if number == NONE:
        return text
    links = scene.links_of(number)[:5]
    out = [
        f"{scene.graph.action(int(scene.links.edge[link]))} {rate_words(float(scene.rates[link]))}"
        for link in links
    ]
    return f"{text} Actions here: {', '.join(out)}." if out else text


def rate_words(rate: float) -> str:
    """Return a success rate as a line shows it."""
    return "untried" if math.isnan(rate) else f"{rate:.2f}"
