"""Page, tables and files of every HTML report; a page needs no network, its file contains everything."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

import typer
from pydantic import BaseModel

from pitwall.cli.options import INTERRUPTED
from pitwall.cli.reporter import Reporter
from pitwall.core.paths import resources_dir
from pitwall.store.folder_errors import folder_error

_STYLE = "report/suite.css"


def page(title: str, sections: Iterable[str], *, broad: bool = False) -> str:
    """Write a page.

    Args:
        sections: HTML. broad: as wide as the window, for tables of many columns.
    """
    style = (resources_dir() / _STYLE).read_text(encoding="utf-8")
    body = "\n".join(sections)
    width = ' class="broad"' if broad else ""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n"
        f"<body>\n<main{width}>\n{body}\n</main>\n</body>\n</html>\n"
    )


def table(caption: str, head: Sequence[str], rows: Iterable[str]) -> str:
    """Write a table.

    Args:
        head: names of the columns; a ">" before a name right-aligns figures. rows: HTML, a <tr> each.
    """
    heading = f"<caption>{escape(caption)}</caption>" if caption else ""
    columns = "".join(_column(name) for name in head)
    body = "\n".join(rows)
    return (
        f'<div class="scroll"><table>{heading}<thead><tr>{columns}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody></table></div>"
    )


def study_page(title: str, sections: Iterable[str]) -> str:
    """Write a study's page, with its title as the heading."""
    return page(title, (f"<h1>{escape(title)}</h1>", *sections), broad=True)


def figure_table(head: Sequence[str], rows: Iterable[str]) -> str:
    """Write a table whose first column names its rows; the others hold figures."""
    return table("", (head[0], *(f">{name}" for name in head[1:])), rows)


def figure_cells(figures: Iterable[str]) -> str:
    """Write the cells of a row; an interval in brackets stands below its figure."""
    parts = (escape(figure).removesuffix("]").partition(" [") for figure in figures)
    return "".join(
        f'<td class="n">{value}{f"""<br><span class="dim">{bounds}</span>""" if bounds else ""}</td>'
        for value, _, bounds in parts
    )


def write_study(html: str, result: BaseModel, folder: Path) -> list[Path]:
    """Write a study's page and its figures as JSON; return the files.

    Raises:
        DataFolderError: the folder cannot be written.
    """
    texts = {"study.html": html, "study.json": result.model_dump_json(indent=1)}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise folder_error(error, folder) from error
    return [folder / name for name in texts]


def report_study(
    report: Reporter, result: BaseModel, html: str, lines: Iterable[str], folder: Path, *, stopped: bool
) -> None:
    """Write a study's page and figures, and print them.

    Raises:
        Exit: the study was stopped.
    """
    files = write_study(html, result, folder)
    report.result(
        {**result.model_dump(mode="json"), "files": files}, [*lines, "", *(str(file) for file in files)]
    )
    if stopped:
        raise typer.Exit(INTERRUPTED)


def _column(name: str) -> str:
    kind = ' class="n"' if name.startswith(">") else ""
    return f'<th scope="col"{kind}>{name.removeprefix(">")}</th>'
