"""Parts that the reports of all studies have: tables of texts, warnings, and what differs from the paper."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from typing import Protocol

from pitwall_evaluation.html_report import figure_cells, figure_table

ReportTable = tuple[str, Sequence[str], Sequence[Sequence[str]], str]
"""A table: title, head, rows and a sentence below it."""


class Played(Protocol):
    """Names the facts about its suites that every study's result has."""

    @property
    def suites(self) -> tuple[str, ...]: ...
    @property
    def state(self) -> str: ...
    @property
    def warnings(self) -> tuple[str, ...]: ...
    @property
    def differences(self) -> tuple[str, ...]: ...


def table_lines(tables: Iterable[ReportTable], table: Callable[..., Iterator[str]]) -> Iterator[str]:
    """Format tables for a terminal. table: aligns a head and rows."""
    for title, head, rows, sentence in tables:
        yield from ("", title, *table(head, rows), sentence)


def ending_lines(result: Played) -> Iterator[str]:
    """Format the warnings, and what differs from the paper."""
    yield ""
    yield from (f"Warning: {warning}" for warning in result.warnings)
    yield "Different from the paper:"
    yield from (f"- {sentence}" for sentence in result.differences)


def suites_section(result: Played, about: str) -> str:
    """Write which suites were played, and whether they are done."""
    state = "" if result.state == "done" else f" · <strong>{escape(result.state)}</strong>"
    return f'<p class="dim">Suites {escape(", ".join(result.suites))} · {escape(about)}{state}</p>'


def cells_section(cells: Iterable[tuple[str, str]]) -> str:
    """Write each cell's name with a sentence about it."""
    about = "".join(f"<dt>{escape(name)}</dt><dd>{escape(sentence)}</dd>" for name, sentence in cells)
    return f"<dl>{about}</dl>"


def table_sections(tables: Iterable[ReportTable]) -> Iterator[str]:
    """Write tables; rows of the paper are dim."""
    for title, head, rows, sentence in tables:
        body = figure_table(head, map(_row, rows))
        yield f"<section>\n<h2>{title}</h2>\n{body}\n<p>{escape(sentence)}</p>\n</section>"


def ending_sections(result: Played) -> Iterator[str]:
    """Write the warnings, and what differs from the paper."""
    yield "".join(f'<p class="not">{escape(warning)}</p>' for warning in result.warnings)
    items = "".join(f"<li>{escape(sentence)}</li>" for sentence in result.differences)
    yield f"<section>\n<h2>Different from the paper</h2>\n<ul>{items}</ul>\n</section>"


def _row(row: Sequence[str]) -> str:
    dim = ' class="dim"' if row[0].startswith(("paper", "the paper")) else ""
    return f'<tr{dim}><th scope="row">{escape(row[0])}</th>{figure_cells(row[1:])}</tr>'
