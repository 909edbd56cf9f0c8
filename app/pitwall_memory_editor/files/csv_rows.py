"""Reads CSV as spreadsheets write it: UTF-16, semicolons and tabs, `sep=` lines, empty rows and columns."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from pitwall.memory.database.faults import ImportRefused

_ENCODINGS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SEPARATORS = ",;\t|"
_QUOTED = re.compile(r'"[^"]*"?')
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")


def csv_rows(name: str, content: bytes, *, tabs: bool = False) -> list[dict[str, Any]]:
    """Return a table's rows by the names of its columns, without empty rows and columns.

    Args:
        name: of the file, for errors. tabs: the file's name says that tabs separate the cells.

    Raises:
        ImportRefused: the file is not UTF-8 or UTF-16, ends within a cell, or has cells without a column.
    """
    text = _text(name, content)
    separator = "\t" if tabs else ""
    if (first := text.split("\n", 1))[0].strip().lower().startswith("sep="):
        separator, text = first[0].strip()[4:5] or separator, first[1] if len(first) > 1 else ""
    separator = separator or _separator(text.split("\n", 1)[0])
    try:
        records = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))
    except csv.Error as error:
        raise ImportRefused(name, 0, "", f"is damaged: {error}", "a CSV table") from None
    while records and not any(cell.strip() for cell in records[0]):
        del records[0]
    if not records:
        raise ImportRefused(name, 0, "", "is empty", "a row of column names, then rows")
    header = [column.strip() for column in records[0]]
    twice = [repr(column) for column, count in Counter(header).items() if column and count > 1]
    if twice:
        raise ImportRefused(name, 0, ", ".join(twice), "names two columns", "each name once")
    rows = [
        _row(name, number, header, record)
        for number, record in enumerate(records[1:], start=1)
        if any(cell.strip() for cell in record)
    ]
    if separator != ",":
        return [{column: _with_point(cell) for column, cell in row.items()} for row in rows]
    return rows


def _text(name: str, content: bytes) -> str:
    encoding = next((encoding for mark, encoding in _ENCODINGS if content.startswith(mark)), "utf-8")
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        expected = "UTF-8; save it in the spreadsheet as “CSV UTF-8”"
        raise ImportRefused(
            name, 0, "", f"is not {encoding.upper()} at byte {error.start}", expected
        ) from None
    if "\0" in text:
        raise ImportRefused(
            name, 0, "", "holds NUL characters", "UTF-8 without them, or UTF-16 with its mark"
        )
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _separator(header: str) -> str:
    """Return the separator that stands most often between the names of the columns."""
    plain = _QUOTED.sub("", header)
    return max(_SEPARATORS, key=plain.count)


def _row(name: str, number: int, header: list[str], record: list[str]) -> dict[str, Any]:
    row = {column: cell for column, cell in zip(header, record, strict=False) if column}
    spare = [cell for at, cell in enumerate(record) if cell.strip() and not (at < len(header) and header[at])]
    if spare:
        problem = f"has the cell {spare[0][:40]!r} without a column's name"
        expected = f"at most {sum(map(bool, header))} cells"
        raise ImportRefused(name, number, "", problem, expected)
    return row


def _with_point(cell: str) -> str:
    """Write a number with a decimal comma, as spreadsheets of such countries do, with a point."""
    return cell.replace(",", ".") if _DECIMAL_COMMA.fullmatch(cell.strip()) else cell


def matched(columns: list[str], known: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield each column with the known name that it is but for case, blanks and hyphens; else with ""."""
    for column in columns:
        plain = re.sub(r"[\s_-]+", "_", column.strip().casefold())
        yield column, plain if plain in known else ""
