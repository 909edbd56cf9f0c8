"""The bundled wordings (`resources/exam/wordings.toml`) of each template.

Templates of the general set are composed of parts (descriptions of a step), and so are their examples: a
frame like "Which step was the {nth} one <step>?" is combined with each wording of a part.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from pitwall.core.paths import resources_dir

Examples = Mapping[str, tuple[str, ...]]
"""Template → wordings."""
FILE = "wordings.toml"
_PLACE = re.compile(r"<(?:([12]) )?(step|event)>")


@lru_cache(maxsize=16)
def own_examples(inventory: str, names: tuple[str, ...]) -> Examples:
    """Return the wordings for the templates of an inventory.

    Args:
        names: names of the templates.
    """
    whole = tomllib.loads((resources_dir() / "exam" / FILE).read_text(encoding="utf-8")).get(inventory, {})
    frames, parts = whole.get("frames", {}), whole.get("parts", {})
    examples: dict[str, tuple[str, ...]] = {}
    for name in names:
        framed = [text for pattern in frames for text in _framed(name, pattern, frames[pattern], parts)]
        examples[name] = (*whole.get(name, ()), *framed)
    return examples


def _framed(
    name: str, pattern: str, frames: list[str], parts: Mapping[str, Mapping[str, list[str]]]
) -> Iterator[str]:
    """Yield the wordings of a template that is composed of parts.

    Args:
        name: the template's name; it contains the names of its parts.
        pattern: a pattern of such names, with a star for each part.
        frames: sentences with gaps for the parts, like "Which step was the {nth} one <step>?".
        parts: part → gap ("step", "event") → wordings that fill it.
    """
    named = _parts_in(name, pattern, parts)
    if not named:
        return
    for number in range(max(len(frames), *(len(parts[part]["step"]) for part in named))):
        frame = frames[number % len(frames)]

        def wording(place: re.Match[str], number: int = number) -> str:
            which = int(place.group(1) or 1) - 1
            wordings = parts[named[which]][place.group(2)]
            return wordings[(number + which) % len(wordings)]

        yield _PLACE.sub(wording, frame)


def _parts_in(name: str, pattern: str, parts: Iterable[str]) -> tuple[str, ...]:
    """Return the parts that a name has in place of the pattern's stars; empty if it does not match."""
    any_part = f"({'|'.join(re.escape(part) for part in parts)})"
    match = re.fullmatch(any_part.join(re.escape(piece) for piece in pattern.split("*")), name)
    return match.groups() if match else ()
