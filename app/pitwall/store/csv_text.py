"""Writes CSV that runs nothing in a spreadsheet: a text cell that would be a formula gets an apostrophe."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import IO, Any

_FORMULA = tuple("=+-@\t\n＝＋－＠")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?(e[+-]?\d+)?", re.IGNORECASE)


def csv_cell(value: Any) -> Any:
    """Return a value as a cell: text that begins as a formula with an apostrophe, an absent number empty."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float) and not math.isfinite(value):
        return ""
    if not isinstance(value, str):
        return value
    text = value.replace("\r\n", "\n").replace("\r", "\n")  # a bare CR is not quoted, and would end the row
    return f"'{text}" if text.startswith(_FORMULA) else text


def shown_cell(value: Any) -> Any:
    """Return a cell of a table whose cells are all texts: a text that is a plain number stays as it is."""
    return value if isinstance(value, str) and _NUMBER.fullmatch(value) else csv_cell(value)


def write_csv_rows(
    out: IO[str], rows: Iterable[Sequence[Any]], cell: Callable[[Any], Any] = csv_cell
) -> None:
    """Write rows as lines of CSV."""
    csv.writer(out, lineterminator="\n").writerows([cell(value) for value in row] for row in rows)


def csv_text(
    titles: Sequence[str], rows: Iterable[Sequence[Any]], cell: Callable[[Any], Any] = csv_cell
) -> str:
    """Return a table as CSV, its head first."""
    out = io.StringIO()
    write_csv_rows(out, [titles])
    write_csv_rows(out, rows, cell)
    return out.getvalue()
