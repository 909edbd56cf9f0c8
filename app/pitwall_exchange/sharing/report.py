"""A run's report as one HTML page without a network: pictures, drawings and style are all in the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from pitwall.core.calls import CallRecord
from pitwall.core.memories import MemoryChange
from pitwall.core.memory_kinds import fields_of
from pitwall.core.paths import DataFolder, resources_dir, write_whole
from pitwall.core.settings import Settings
from pitwall.core.steps import StepRecord
from pitwall.memory.database.records import label_of
from pitwall.memory.reader import MemoryReader
from pitwall.store.export_source import ExportError
from pitwall.store.folder_errors import folder_error
from pitwall.store.run_reader import RunReader
from pitwall.store.run_track import RunTrack, read_track
from pitwall_exchange.sharing.decisions import decision, shown_steps
from pitwall_exchange.sharing.figures import figure_groups, headline
from pitwall_exchange.sharing.timeline import timeline

DECISIONS = 24
"""Decisions that a report shows where nothing else is said."""
_CHANGES, _CHANGES_READ = 200, 5_000
_STYLES = ("report/suite.css", "report/run.css")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReport:
    """A finished report, with how much of the run it shows."""

    file: Path
    bytes: int
    decisions: int
    memory_changes: int


def write_report(
    data: DataFolder, run_id: int, out: Path, *, decisions: int = DECISIONS, force: bool = False
) -> RunReport:
    """Write the page.

    Args:
        decisions: most decisions with pictures; those with a plan come first.
        force: replace an existing file.

    Raises:
        UnknownRun: there is no such run.
        ExportError: `out` exists already. DataFolderError: it cannot be written.
    """
    if out.exists() and not force:
        raise ExportError(f"{out} is there already.", "Choose another name, or replace it with --force.")
    reader = RunReader.open(data)
    track = read_track(data, reader, run_id)
    steps = reader.steps(run_id)
    calls: dict[int, list[CallRecord]] = {}
    for call in reader.calls(run_id):
        calls.setdefault(call.step, []).append(call)
    chosen = shown_steps(steps, calls, decisions)
    changes = _changes(data, track)
    page = _page(track, chosen, calls, changes, data.run(run_id), len(steps))
    try:
        write_whole(out, page)
    except OSError as error:
        raise folder_error(error, out) from error
    return RunReport(
        file=out.resolve(), bytes=out.stat().st_size, decisions=len(chosen), memory_changes=len(changes)
    )


def _page(
    track: RunTrack,
    chosen: Sequence[StepRecord],
    calls: Mapping[int, Sequence[CallRecord]],
    changes: Sequence[MemoryChange],
    folder: Path,
    count: int,
) -> str:
    run = track.run
    title = escape(f"{run.manifest.game_name}, run {run.run_id}")
    style = "\n".join((resources_dir() / name).read_text(encoding="utf-8") for name in _STYLES)
    shown = "\n".join(decision(step, calls.get(step.step, ()), folder) for step in chosen)
    body = "\n".join(
        (
            _head(track),
            f"<section>\n<h2>Timeline</h2>\n{timeline(track)}\n</section>",
            f"<section>\n<h2>Figures</h2>\n{_groups(track)}\n</section>",
            f"<section>\n<h2>Decisions</h2>\n{_chosen_words(len(chosen), count)}"
            f'<div class="decisions">\n{shown}\n</div>\n</section>',
            _memory(changes),
            _settings(run.manifest.settings),
        )
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>\n{style}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _head(track: RunTrack) -> str:
    run = track.run
    items = "".join(f"<li><b>{escape(value)}</b>{escape(name)}</li>" for name, value in headline(run))
    when = run.manifest.started_at[:16].replace("T", " ")
    return (
        f"<h1>{escape(run.manifest.game_name)}</h1>\n"
        f'<p class="dim">Run {run.run_id} · begun {escape(when)} UTC · '
        f"{escape(run.summary.outcome.replace('_', ' '))} · decided by {escape(run.manifest.planner)}</p>\n"
        f'<ul class="figures">{items}</ul>'
    )


def _groups(track: RunTrack) -> str:
    groups = "".join(
        f"<div><h3>{escape(title)}</h3><dl>{_pairs(lines)}</dl></div>"
        for title, lines in figure_groups(track.run)
    )
    return f'<div class="groups">{groups}</div>'


def _pairs(lines: Sequence[tuple[str, str]]) -> str:
    return "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in lines)


def _chosen_words(shown: int, count: int) -> str:
    if not count:
        return "<p>No step was recorded.</p>"
    if shown == count:
        return ""
    return f"<p>{shown:,} of {count:,} steps: first those at which a plan was made, then others between.</p>"


def _changes(data: DataFolder, track: RunTrack) -> list[MemoryChange]:
    """Describe the run's changes to the memory, oldest first, without later changes."""
    reader = MemoryReader(data)
    try:
        changes = reader.history(game_id=track.run.manifest.game_id, limit=_CHANGES_READ)
    finally:
        reader.close()
    return [change for change in reversed(changes) if change.by.run_id == track.run.run_id]


def _memory(changes: Sequence[MemoryChange]) -> str:
    if not changes:
        sentence = "This run left no changes in the memory's history."
        return f"<section>\n<h2>Memory</h2>\n<p>{sentence}</p>\n</section>"
    rows = "".join(_change_rows(changes[:_CHANGES]))
    more = f"<p>And {len(changes) - _CHANGES:,} more.</p>" if len(changes) > _CHANGES else ""
    return (
        "<section>\n<h2>Memory</h2>\n"
        f"<p>{len(changes):,} changes were made by this run.</p>\n"
        '<div class="scroll"><table><thead><tr><th class="n" scope="col">Step</th><th scope="col">Kind</th>'
        '<th scope="col">What</th><th scope="col">Change</th></tr></thead>\n'
        f"<tbody>{rows}</tbody></table></div>{more}\n</section>"
    )


def _change_rows(changes: Sequence[MemoryChange]) -> Iterator[str]:
    for change in changes:
        entry = change.after or change.before
        if entry is None:
            continue
        difference = "added" if change.before is None else _difference(change)
        undone = " (undone since)" if change.undone else ""
        yield (
            f'<tr><td class="n">{change.by.step or ""}</td><td>{escape(str(entry.content.kind))}</td>'
            f'<td class="wide">{escape(label_of(entry.content)[:200])}</td>'
            f'<td class="wide">{escape(difference + undone)}</td></tr>'
        )


def _difference(change: MemoryChange) -> str:
    before, after = change.before, change.after
    if before is None or after is None:
        return "removed"
    if after.forgotten and not before.forgotten:
        return "forgotten"
    cells = [
        f"{name.replace('_', ' ')} {_short(old)} → {_short(new)}"
        for name in fields_of(before.content.kind)
        if (old := getattr(before.content, name)) != (new := getattr(after.content, name))
    ]
    return ", ".join(cells) or "changed"


def _short(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)[:60]


def _settings(played: Mapping[str, object]) -> str:
    usual = Settings().model_dump(mode="json")
    other: list[tuple[str, str]] = []
    for section, values in played.items():
        known = usual.get(section)
        if isinstance(values, Mapping) and isinstance(known, Mapping):
            other += [
                (f"{section}.{name}", str(value))
                for name, value in values.items()
                if known.get(name) != value
            ]
    inside = f"<dl>{_pairs(other)}</dl>" if other else "<p>Every setting had its default.</p>"
    return f"<section>\n<h2>Settings that are not the default</h2>\n{inside}\n</section>"
