"""The digest of a night: figures, runs, crashes with their last seconds, as one page and as JSON."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from pitwall.core.quantities import NONE, counted, date_time, duration_text
from pitwall.games.game_process import ENDED_WELL
from pitwall.store.folder_errors import write_file
from pitwall_evaluation.html_report import page, table
from pitwall_night.record import ENDS, NightEvent, NightFolder

_RUN, _SECONDS = (
    re.compile(r"^run \d+ broke off(?: after .*? steps?)?: "),
    re.compile(r"for \d+ s\b"),
)
_HOW = (
    (re.compile(r"ended (with status \d+|by signal \w+)\b"), "its program ended {}"),
    (re.compile(r"its program runs on"), "its window vanished; its program ran on"),
    (re.compile(r"another window before its own: ('.*?')"), "an error dialog stood in front of it: {}"),
    (re.compile(r"stands still .*|is frozen"), "it froze"),
    (re.compile(r"stayed in the state (\w+)"), "nobody left its menu ({})"),
)
"""Why a run broke off → the words of the column *how it ended*."""
_RUNS = ("played", "crashed", "closed", "person")


def figures(night: NightFolder) -> dict[str, Any]:
    """Sum a night up."""
    events = night.events()
    runs = [event for event in events if event.kind in _RUNS and event.run_id is not None]
    scores = [event.score for event in runs if event.score is not None]
    last = events[-1] if events else None
    return {
        "night": night.number,
        "game": night.order().game,
        "began_s": events[0].at_s if events else None,
        "ended_s": last.at_s if last is not None and last.kind in ENDS else None,
        "state": last.kind if last is not None and last.kind in ENDS else "playing or broken off",
        "runs": len(runs),
        "steps": sum(event.steps or 0 for event in runs),
        "played_s": sum(event.seconds or 0.0 for event in runs),
        "best": max(scores, default=None),
        "crashes": sum(event.kind == "crashed" for event in events),
        "restarts": sum(event.kind == "restarted" for event in events),
    }


def summary_lines(sums: dict[str, Any]) -> Iterator[str]:
    """Format a night's sums for a terminal."""
    best = "" if sums["best"] is None else f", best score {sums['best']:,g}"
    yield f"Night {sums['night']} of {sums['game']}: {sums['state']}"
    played = f"{counted(sums['runs'], 'run')}, {duration_text(sums['played_s'])} of play"
    yield f"  {played}, {counted(sums['steps'], 'step')}{best}"
    yield f"  {counted(sums['crashes'], 'crash', 'crashes')}, {counted(sums['restarts'], 'restart')}"


def write_digest(night: NightFolder) -> str:
    """Write the page into the night's folder; return its path.

    Raises:
        DataFolderError: it cannot be written.
    """
    file = night.root / "digest.html"
    write_file(file, html_of(figures(night), night.events()))
    return str(file)


def html_of(sums: dict[str, Any], events: Sequence[NightEvent]) -> str:
    """Write the page."""
    return page(f"Night of {sums['game']}", _sections(sums, events))


def _sections(sums: dict[str, Any], events: Sequence[NightEvent]) -> Iterator[str]:
    yield f"<h1>Night of {escape(sums['game'])}</h1>"
    began, ended = (date_time(sums[key] or 0.0) for key in ("began_s", "ended_s"))
    yield f'<p class="dim">{began} to {ended} · {escape(sums["state"])}</p>'
    lines = list(summary_lines(sums))[1:]
    yield f"<p>{'<br>'.join(escape(line.strip()) for line in lines)}</p>"
    runs = [event for event in events if event.kind in _RUNS]
    rows = (
        f"<tr><td>{_clock(event.at_s)}</td><td>{event.run_id or NONE}</td>"
        f'<td class="n">{NONE if event.seconds is None else duration_text(event.seconds)}</td>'
        f'<td class="n">{NONE if event.steps is None else f"{event.steps:,}"}</td>'
        f'<td class="n">{NONE if event.score is None else f"{event.score:,g}"}</td>'
        f'<td class="wide">{escape(how_it_ended(event))}</td></tr>'
        for event in runs
    )
    head = ("ended", "run", ">time", ">steps", ">score", "how it ended")
    yield f"<section><h2>Runs</h2>{table('', head, rows)}</section>"
    causes = Counter(_cause(event.text) for event in events if event.kind == "crashed")
    if causes:
        counts = (
            f'<tr><td class="n">{count}</td><td class="wide">{escape(cause)}</td></tr>'
            for cause, count in causes.most_common()
        )
        yield f"<section><h2>Why runs broke off</h2>{table('', ('>times', 'cause'), counts)}</section>"
    items = (
        f'<tr><td>{_clock(event.at_s)}</td><td>{event.kind}</td><td class="wide">{escape(event.text)}'
        f"{_clip(event)}</td></tr>"
        for event in events
    )
    yield f"<section><h2>What happened</h2>{table('', ('when', 'what', 'details'), items)}</section>"


def _clock(at_s: float) -> str:
    """Return the local time of day."""
    return time.strftime("%H:%M:%S", time.localtime(at_s))


def _cause(text: str) -> str:
    """Return why a run broke off, without its number, length and last words."""
    cause = _RUN.sub("", text).partition(" Its last words:")[0]
    return _SECONDS.sub("for some time", cause[:1].upper() + cause[1:])


def how_it_ended(event: NightEvent) -> str:
    """Return how a run ended, in a few words."""
    if event.kind == "played":
        return "played to its end"
    if event.kind == "person":
        return f"ended by a person: {event.text.rstrip('.')}"
    if f"ended {ENDED_WELL}" in event.text:
        return "closed: its program ended without an error"
    before = event.text.partition(" Its last words:")[0]
    for known, words in _HOW:
        if match := known.search(before):
            return words.format(*match.groups())
    return _cause(event.text)


def _clip(event: NightEvent) -> str:
    if not event.evidence:
        return ""
    name = escape(event.evidence, quote=True)
    video = f'<video controls preload="none" style="width: min(400px, 100%)" src="{name}"></video>'
    return f"<details><summary>Last seconds</summary>{video}</details>"
