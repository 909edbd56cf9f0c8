"""Takes what was found in a played minute into a draft."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pitwall.games.drafting.draft import Draft, identifier
from pitwall.games.drafting.signs import with_sign


def with_found(draft: Draft, found: Mapping[str, Any]) -> Draft:
    """The draft with a finding's field under a name of its own, and the status that it is a sign of.

    Args:
        found: "field", "pictures" and "sign", as `Proposal.as_json` has them.

    Raises:
        pydantic.ValidationError: the field does not fit.
    """
    taken = frozenset(field.name for field in draft.fields)
    read = {**found["field"], "name": identifier(str(found["field"]["name"]), taken)}
    made = draft.changed(fields=[*draft.fields, read], pictures={**draft.pictures, **found["pictures"]})
    return with_sign(made, read["name"], found["sign"]) if found.get("sign") else made
