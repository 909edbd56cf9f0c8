"""Edits and files that the memory does not take, in words."""

from __future__ import annotations

from pitwall.core.errors import PitwallError


class EditRefused(PitwallError):
    """An edit that cannot be done; nothing of its batch was."""


class ImportRefused(EditRefused):
    """A file was refused; nothing of it was imported.

    Args:
        file: name of the file.
        row: line of the file, from 1; 0 for the file as a whole.
        field: field of the row; empty for the whole row.
        problem: the rest of a sentence about the field, such as "is 7".
        expected: what the file should contain there; empty if the problem says it.
    """

    def __init__(self, file: str, row: int, field: str, problem: str, expected: str = "") -> None:
        where = f"{file}, row {row}" if row else file
        text = (
            f"{where}: {f'{field} ' if field else ''}{problem}{f'; expected {expected}' if expected else ''}."
        )
        mend = "Mend the file, or leave that row out;" if row else "Name a file that can be read:"
        super().__init__(text, f"{mend} nothing was taken in.")
        self.file = file
        self.row = row
        self.field = field
        self.problem = problem
        self.expected = expected


class UnknownSnapshot(PitwallError):
    """No snapshot has this hash or name, or several begin so."""
