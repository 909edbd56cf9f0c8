"""The page and the table of every HTML report; a page needs no network, its file contains everything."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from pitwall.core.paths import resources_dir

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


def _column(name: str) -> str:
    kind = ' class="n"' if name.startswith(">") else ""
    return f'<th scope="col"{kind}>{name.removeprefix(">")}</th>'
