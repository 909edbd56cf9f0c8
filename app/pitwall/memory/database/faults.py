"""Edits and files that the memory does not take, in words."""

from __future__ import annotations

from pitwall.core.errors import PitwallError


class EditRefused(PitwallError):
    """An edit that cannot be done; nothing of its batch was."""


class ImportRefused(EditRefused):
    """A file that is not taken in; nothing of it was.

    Args:
        file: its name.
        row: line of the file, from 1; 0 where it is about the whole.
        field: what in the row; empty for all of it.
        problem: what is wrong, as the rest of a sentence ("is 7").
        expected: what should have been there; empty where the problem says it.
    """

    def __init__(self, file: str, row: int, field: str, problem: str, expected: str = "") -> None:
        where = f"{file}, row {row}" if row else file
        what = (
            f"{where}: {f'{field} ' if field else ''}{problem}{f'; expected {expected}' if expected else ''}."
        )
        mend = "Mend the file, or leave that row out;" if row else "Name a file that can be read:"
        super().__init__(what, f"{mend} nothing was taken in.")
        self.file = file
        self.row = row
        self.field = field
        self.problem = problem
        self.expected = expected


class UnknownSnapshot(PitwallError):
    """No snapshot has this hash or name, or several begin so."""
