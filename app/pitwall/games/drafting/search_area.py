"""Where a moving thing is looked for: whether its area is too tight, and another area for it."""

from __future__ import annotations

from pitwall.core.geometry import Rect
from pitwall.games.drafting.draft import Draft
from pitwall.games.schema.fields import BlobField, Box, ReaderField, SpriteField

_TIGHT = 0.5
"""A thing that fills this share of its area's width and height has hardly room to move in it (choice)."""
TIGHT_WORDS = "It is looked for only inside its box, which is hardly larger than the thing itself."


def has_search_area(field: ReaderField) -> bool:
    """Return whether a field looks for a thing in an area."""
    return isinstance(field, BlobField | SpriteField)


def is_tight(field: ReaderField, place: Rect | None) -> bool:
    """Return whether a thing has hardly room to move in the area in which it is looked for.

    Args:
        place: where it is now, in screen pixels; None: it is not seen.
    """
    area = field.box if isinstance(field, BlobField) else None
    if area is None and isinstance(field, SpriteField):
        area = field.within
    if area is None or place is None:
        return False
    return place.width >= _TIGHT * area[2] and place.height >= _TIGHT * area[3]


def with_search_area(draft: Draft, name: str, area: Box | None) -> Draft:
    """Return a draft in which a thing is looked for in another area; None: in the whole picture."""
    fields = [
        field.model_copy(update={"box" if isinstance(field, BlobField) else "within": area})
        if field.name == name and has_search_area(field)
        else field
        for field in draft.fields
    ]
    return draft.changed(fields=fields)
