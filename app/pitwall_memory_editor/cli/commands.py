"""`pitwall memory`: what the agent remembers, for the terminal; the same edits that the console makes."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from pitwall.cli.options import DataOption, JsonOption, command_group, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.core.errors import PitwallError
from pitwall.core.quantities import byte_size
from pitwall.core.retrieval import Retrieval
from pitwall.core.settings import load_settings
from pitwall.memory.text import normalise
from pitwall.store.lease import holder_of, memory_lock_file
from pitwall.store.run_reader import RunReader
from pitwall_memory_editor.cli import edit, files, format
from pitwall_memory_editor.cli.trust import trust
from pitwall_memory_editor.explain import explain as explain_from_file


class UnknownRetrieval(PitwallError):
    """The memory was not asked at this step."""


def stats(game: format.GameOption = "", data: DataOption = None, json: JsonOption = False) -> None:
    """Count the memories of each game; name who holds the memory and which embedder made its vectors."""
    folder = data_folder(data)
    holder = holder_of(memory_lock_file(folder))
    with format.reading(data) as reader:
        names = [game] if game else reader.games()
        counts = {name: reader.counts(name) for name in names}
        forgotten = {name: reader.forgotten(name) for name in names}
        kept = len(reader.snapshots())
        embedder = reader.embedder()
    size = folder.memory.stat().st_size if folder.memory.exists() else 0
    body = {
        "file": folder.memory,
        "bytes": size,
        "holder": None if holder is None else str(holder),
        "embedder": embedder,
        "snapshots": kept,
        "games": {name: {"counts": counts[name], "forgotten": forgotten[name]} for name in names},
    }
    held = f", held by {holder}" if holder else ""
    lines = [f"{folder.memory}: {byte_size(size)}, {kept} snapshots{held}"]
    for name in names:
        counted_kinds = ", ".join(f"{count} {kind}" for kind, count in counts[name].items() if count)
        lines.append(f"{name:14s} {counted_kinds or 'nothing in use'}; {forgotten[name]} forgotten")
    if not names:
        lines.append("Nothing is remembered yet: it comes with the first run. Try: pitwall demo")
    Reporter(json).result(body, lines)


def search(
    text: Annotated[
        str, typer.Argument(metavar="[TEXT]", help="Words that all occur; none: every entry.")
    ] = "",
    game: format.GameOption = "",
    kind: format.KindOption = None,
    order: Annotated[str, typer.Option(help="Sort by this field.")] = "changed_at",
    ascending: Annotated[bool, typer.Option("--ascending", help="Smallest first.")] = False,
    filters: Annotated[
        list[str] | None, typer.Option("--filter", metavar="FIELD=VALUE", help="Only these; repeatable.")
    ] = None,
    forgotten: Annotated[bool, typer.Option("--forgotten", help="Forgotten entries instead.")] = False,
    limit: format.LimitOption = 50,
    offset: Annotated[int, typer.Option(min=0, help="Rows to pass over.")] = 0,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """List entries, found by their texts."""
    with format.reading(data) as reader:
        rows, total = reader.page(
            game,
            kind,
            search=text,
            filters=_filters(filters or []),
            order=order,
            descending=not ascending,
            offset=offset,
            limit=limit,
            forgotten=forgotten,
        )
    lines = (*map(format.entry_line, rows), f"{len(rows)} of {total}.")
    Reporter(json).result({"total": total, "entries": rows}, lines)


def show(
    entry_id: Annotated[int, typer.Argument(metavar="ID", help="Id of the entry.")],
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Show one entry with its provenance and its history."""
    with format.reading(data) as reader:
        entry = reader.entry(entry_id)
        changes = reader.history(entry_id, limit=20)
    if entry is None:
        raise format.UnknownEntry(f"there is no entry {entry_id}.", "Find it: pitwall memory search")
    lines = (
        *format.entry_lines(entry),
        *(line for change in changes for line in format.change_lines(change)),
    )
    Reporter(json).result({"entry": entry, "history": changes}, lines)


def history(
    entry_id: Annotated[int | None, typer.Argument(metavar="[ID]", help="Only this entry.")] = None,
    game: format.GameOption = "",
    limit: format.LimitOption = 50,
    offset: Annotated[int, typer.Option(min=0, help="Changes to pass over.")] = 0,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """List the changes, newest first, with before and after."""
    with format.reading(data) as reader:
        changes = reader.history(entry_id, game_id=game, limit=limit, offset=offset)
    lines = [line for change in changes for line in format.change_lines(change)] or [
        "Nothing was changed yet."
    ]
    Reporter(json).result({"changes": changes}, lines)


def explain(
    run: Annotated[int | None, typer.Argument(metavar="[RUN]", help="Number of a run.")] = None,
    step: Annotated[int | None, typer.Argument(metavar="[STEP]", help="Number of its step.")] = None,
    game: format.GameOption = "",
    query: Annotated[str, typer.Option("--query", help="A state in words, asked of the memory now.")] = "",
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Explain a retrieval: each candidate with its figures, at a recorded step or now."""
    if run is not None and step is not None:
        answer = _recorded(data, run, step)
    elif query and game:
        folder = data_folder(data)
        settings = load_settings(folder.settings).memory
        with format.reading(data) as reader:
            answer = explain_from_file(reader, game, normalise(query), settings, time.time())
    else:
        raise PitwallError(
            "nothing was asked.",
            "Say which step: explain RUN STEP; or what: explain --game GAME --query TEXT",
        )
    Reporter(json).result(answer, _answer_lines(answer))


def _recorded(data: Path | None, run: int, step: int) -> Retrieval:
    with contextlib.closing(RunReader.open(data_folder(data))) as reader:
        answer, steps = reader.retrieval(run, step), reader.retrieved_steps(run)
    if answer is None:
        near = sorted(sorted(steps, key=lambda number: abs(number - step))[:3])
        hint = f"Nearest steps where it was: {', '.join(map(str, near))}." if near else ""
        raise UnknownRetrieval(f"the memory was not asked at step {step} of run {run}.", hint)
    return answer


def _answer_lines(answer: Retrieval) -> Iterator[str]:
    yield f"asked: {answer.query}"
    embedder = answer.embedder or "none"
    yield f"{answer.considered} items ranked in {answer.took_ms:.2f} ms; embedder {embedder}"
    yield ("    S  Ŝ_MB  Ŝ_KG      J      C      R      P  recency  action")
    for candidate in answer.candidates:
        figures = (
            candidate.fused,
            candidate.bank_norm,
            candidate.graph_norm,
            candidate.jaccard,
            candidate.cosine,
            candidate.reward,
            candidate.success,
        )
        row = "".join(f"{figure:6.3f} " for figure in figures)
        cut = f"  (left out: {candidate.cut})" if candidate.cut else ""
        yield f"{row}  {candidate.recency:6.3f}  {candidate.action} · entry {candidate.entry_id}{cut}"
    for near in answer.graph:
        best = f"best {near.action}, ρ {near.rho:.3f}" if near.action else "no way out is known"
        yield f"state {near.node_id}: v {near.v:.3f}, S_KG {near.score:.3f}, {best}"
    for hint in answer.hints:
        yield f"hint: {hint}"
    if answer.acted:
        yield f"acted without a model call: {answer.acted}"
    if not answer.candidates:
        yield "Nothing is remembered that could be compared."


def _filters(given: list[str]) -> dict[str, object]:
    filters: dict[str, object] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise PitwallError(f"{text!r} is no filter.", "Write it as FIELD=VALUE")
        words: dict[str, object] = {"true": True, "false": False, "none": None}
        filters[name] = words.get(value, int(value) if value.lstrip("-").isdecimal() else value)
    return filters


app = command_group(
    "Look at what the agent remembers, and edit it.",
    stats,
    *(search, show, history, explain, trust),
    *(edit.add, edit.edit, edit.forget, edit.restore_entry, edit.pin, edit.unpin, edit.purge),
    *(edit.undo, edit.redo, edit.inbox),
    *(files.snapshot, files.snapshots, files.diff, files.restore, files.export, files.import_),
    listed_as="stats",
)
