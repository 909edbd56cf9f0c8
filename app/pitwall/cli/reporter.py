"""Reports a command's results: lines for a person, JSON for a program that asked with `--json`.

    report = Reporter(json)
    report.progress(done, of, "checking")          # a JSON line, or a line that a terminal overwrites
    report.event({"answer": …}, "q1: a house")     # one of several events, as it happens
    report.result({"games": games}, lines(games))  # last: the command's result

Texts from outside (a model's, a game's screen) cannot steer the terminal: see `print_safely`.
"""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import typer

from pitwall.cli.options import print_json
from pitwall.core.quantities import NONE

_KEPT = "\n\t"
_TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that change the direction of the following text."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line in colour on a terminal."""

    text: str
    colour: str | None = None
    bold: bool = False
    dim: bool = False


Body = Any | Callable[[], Any]
"""Value for a program; a callable where computing it is expensive."""


class Reporter:
    """Prints for a person or for a program, never for both."""

    def __init__(self, json: bool) -> None:
        self.json = json
        self._overwrites = not json and sys.stderr is not None and sys.stderr.isatty()
        self._open_line = False
        self._state = ""

    def result(self, body: Body, lines: Iterable[str | Line] = ()) -> None:
        """Print the result: `body` as one JSON value, or the lines, which are computed only then."""
        if self.json:
            print_json(body() if callable(body) else body)
            return
        for line in lines:
            self.line(line)

    def event(self, body: Body, *lines: str | Line) -> None:
        """Print an event, as a line of JSON or of text."""
        self.result(body, lines)

    def text(self, body: Body, text: str) -> None:
        """Print a part of a streamed text, without an end of line."""
        if self.json:
            print_json(body() if callable(body) else body)
        else:
            typer.echo(without_control_characters(text), nl=False)

    def line(self, line: str | Line) -> None:
        """Print a line for a person only."""
        if self.json:
            return
        self.end_progress()
        shown = line if isinstance(line, Line) else Line(line)
        print_safely(shown.text, colour=shown.colour, bold=shown.bold, dim=shown.dim)

    def state(self, text: str) -> None:
        """Print a state for a person, unless it was the last one printed."""
        if text != self._state:
            self._state = text
            self.line(text)

    def progress(self, done: float, of: float, text: str = "", **more: Any) -> None:
        """Report progress to a program; a person sees `text`, where standard error is a terminal."""
        if self.json:
            print_json({"progress": done, "of": of, **more})
        elif self._overwrites and text:
            self._open_line = True
            typer.echo(f"\r{without_control_characters(text)}\x1b[K", nl=False, err=True)

    def end_progress(self) -> None:
        """Leave the last progress text on a line of its own."""
        if self._open_line:
            self._open_line = False
            typer.echo(err=True)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table with fitting columns under a rule; figures are aligned to the right."""
    widths = [max(len(row[at]) for row in (head, *rows)) for at in range(len(head))]
    numeric = [all(_is_figure(row[at]) for row in rows) for at in range(len(head))]
    for number, row in enumerate((head, *rows)):
        cells = zip(row, widths, numeric, strict=True)
        yield "  ".join(cell.rjust(w) if right else cell.ljust(w) for cell, w, right in cells).rstrip()
        if number == 0:
            yield "  ".join("─" * width for width in widths)


def _is_figure(cell: str) -> bool:
    return cell.lstrip("-+")[:1].isdigit() or cell in ("-", NONE, "")


def without_control_characters(text: str) -> str:
    """Return a text with characters that a terminal would obey replaced by escapes."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(character) for character in text)


def print_safely(
    text: str = "",
    *,
    colour: str | None = None,
    bold: bool = False,
    dim: bool = False,
    to_stderr: bool = False,
) -> None:
    """Print a text harmlessly, in colour on a terminal; plain where it is piped or $NO_COLOR is set."""
    shown = without_control_characters(text)
    if colour or bold or dim:
        shown = typer.style(shown, fg=colour, bold=bold or None, dim=dim or None)
    typer.echo(shown, err=to_stderr, color=False if os.environ.get("NO_COLOR") else None)


def _shown(character: str) -> str:
    if character in _KEPT:
        return character
    if character in _TURNING or unicodedata.category(character) in ("Cc", "Cs"):
        return character.encode("unicode_escape").decode("ascii")
    return character
