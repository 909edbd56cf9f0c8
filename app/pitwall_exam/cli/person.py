"""A person's exam at the terminal, or, with --json, as lines: a question out, the reply in.

With --json each question is a line {"ask": {"id", "text"}, "number", "of", "seconds"}; the reply is a line
{"id", "text": "…"}, or with "said" in place of the text: not-answerable, cannot-remember, leave. If no reply
comes in time, the answer's line says so and the next question is asked; a reply with the id of an earlier
question is ignored.
"""

from __future__ import annotations

import contextlib
import json as json_lines
import shutil
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pitwall.cli.reporter import Line, Reporter, print_safely
from pitwall.link.input_reader import InputReader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pitwall.core.paths import DataFolder
    from pitwall_exam.answering.answerer import ShouldStop
    from pitwall_exam.answering.person import AskPerson, Reply
    from pitwall_exam.questions.sheet import Sheet, SheetQuestion

BOOK, PICTURES = "open-book.txt", "open-book-frames"
_LISTEN_S = 0.2
"""Seconds between checks for a stop while waiting for a line."""
_NOT_ANSWERABLE = frozenset({"-", "na", "n/a", "not answerable"})
_CANNOT_REMEMBER = frozenset({"?", "cannot remember"})
_LEAVE = frozenset({":q", "leave", "quit"})
_HELP = (
    'Type an answer and Enter. "-": not answerable; "?": you cannot remember; ":q": leave and continue later.'
)


def asker_of_person(
    report: Reporter, stopped: ShouldStop = lambda: False, seen_s: dict[str, float] | None = None
) -> AskPerson:
    """Return the function that asks a person; a stop leaves the exam; its question is asked later.

    Args:
        seen_s: question id → seconds for which it was seen before the person left; kept up to date.
    """
    lines = _Lines(stopped)
    seen = {} if seen_s is None else seen_s

    def ask(question: SheetQuestion, number: int, of: int, seconds: float) -> Reply:
        before_s, began_s = seen.pop(question.id, 0.0), time.monotonic()
        reply = show(question, number, of, max(0.0, seconds - before_s))
        if reply.kind == "leave":
            seen[question.id] = round(before_s + time.monotonic() - began_s, 1)
        return replace(reply, seen_s=before_s)

    def show(question: SheetQuestion, number: int, of: int, seconds: float) -> Reply:
        body = {"ask": question.model_dump(mode="json"), "number": number, "of": of, "seconds": seconds}
        help_lines = [Line(_HELP, dim=True)] if number == 1 or not lines.any_came else []
        report.event(
            body, *help_lines, Line(f"\n{number} of {of} ({seconds:g} s): {question.text}", bold=True)
        )
        if report.json:
            return _answered(lines, question.id, seconds)
        return _from_words(lines.next(seconds))

    return ask


def _answered(lines: _Lines, question_id: str, seconds: float) -> Reply:
    """Return the reply to this question; a line that names another question came too late and is ignored."""
    until = time.monotonic() + seconds
    while True:
        line = lines.next(until - time.monotonic())
        named, reply = _from_json(line)
        if not named or named == question_id:
            return reply


def show_book(folder: DataFolder, sheet: Sheet, beside: Path, report: Reporter) -> None:
    """Write the open book beside the exam, with the pictures of its steps, and report both paths."""
    from pitwall.store.folder_errors import folder_error
    from pitwall_exam.answering.person import open_book
    from pitwall_exam.answering.run_record import horizon_of, recorded

    path, record = beside / BOOK, recorded(folder, sheet)
    steps = record.steps[: horizon_of(sheet, record) + 1]  # and the outcome of the last step
    frames = [folder.run(sheet.run_id) / step.frame_ref for step in steps if step.frame_ref]
    try:
        path.write_text(open_book(sheet, record), encoding="utf-8", errors="replace")
        shown = _copied(frames, beside / PICTURES)
    except OSError as error:
        raise folder_error(error, path) from error
    lines = [f"The open book: {path}", *([f"The pictures of the steps: {shown}"] if shown else [])]
    report.event({"book": path, "pictures": shown}, *lines)


def _copied(files: Sequence[Path], folder: Path) -> Path | None:
    """Link files into a folder that holds no others, or copy them there; None if there is none of them."""
    shutil.rmtree(folder, ignore_errors=True)
    there = [file for file in files if file.is_file()]
    for file in there:
        folder.mkdir(exist_ok=True)
        try:
            (folder / file.name).hardlink_to(file)
        except OSError:  # another disk, or one without links
            shutil.copyfile(file, folder / file.name)
    return folder if there else None


class _Lines:
    """Lines of standard input, each with a time limit.

    Args:
        stopped: ends the wait, as the input's end does.
    """

    def __init__(self, stopped: ShouldStop) -> None:
        self._stopped = stopped
        self._input: InputReader | None = None
        self._rest = b""
        self._ended = False
        self.any_came = False

    def next(self, seconds: float) -> str | None:
        """Return the next line without its end; None: none came in time. At the input's end: ":q"."""
        until = time.monotonic() + seconds
        self._input = self._input or InputReader(sys.stdin.buffer)
        while b"\n" not in self._rest and not self._ended:
            left = until - time.monotonic()
            came = self._input.next(min(left, _LISTEN_S)) if left > 0 else None
            if self._stopped():
                return ":q"
            if left <= 0:
                self._drop_typed()
                return None
            if came is not None:
                self._ended = not came
                self._rest += came
        if b"\n" not in self._rest and not self._rest:
            return ":q"
        line, _, self._rest = self._rest.partition(b"\n")
        self.any_came = True
        return line.decode("utf-8", "replace").strip()

    def _drop_typed(self) -> None:
        """Drop the typed part of an answer that came too late, so that the next question does not get it."""
        self._rest = b""
        with contextlib.suppress(ImportError, OSError):
            import termios

            with contextlib.suppress(termios.error):
                termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


def _from_words(line: str | None) -> Reply:
    from pitwall_exam.answering.person import Reply

    if line is None:
        print_safely("The time is up.", colour="yellow")
        return Reply("time-up")
    word = line.lower()
    if word in _LEAVE:
        return Reply("leave")
    if word in _NOT_ANSWERABLE:
        return Reply("not-answerable")
    return Reply("cannot-remember") if not word or word in _CANNOT_REMEMBER else Reply("text", line)


def _from_json(line: str | None) -> tuple[str, Reply]:
    """Return the question that a line names (empty: none), and its reply."""
    from pitwall_exam.answering.person import Reply

    if line is None:
        return "", Reply("time-up")
    if line == ":q":
        return "", Reply("leave")
    try:
        body = json_lines.loads(line)
    except ValueError:
        return "", Reply("text", line)
    if not isinstance(body, dict):
        return "", Reply("text", str(body))
    named = str(body.get("id", ""))
    match body.get("said"):
        case "not-answerable":
            return named, Reply("not-answerable")
        case "cannot-remember":
            return named, Reply("cannot-remember")
        case "leave":
            return named, Reply("leave")
    return named, Reply("text", str(body.get("text", "")))
