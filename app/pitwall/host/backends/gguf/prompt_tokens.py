"""Tokenises a rendered prompt, and counts the tokens of each span (`core.prompts.Span`)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pitwall.host.backends.gguf.chat_template import Place, Rendered
from pitwall.host.backends.gguf.model import GgufModel


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptTokens:
    """A prompt as tokens.

    Attributes:
        parts: the token lists before, between and after its pictures; one list if it has no picture.
        by_span: for each span, in order, the number of tokens that begin inside it. The others belong to
            the chat template.
    """

    parts: tuple[list[int], ...]
    by_span: tuple[int, ...]


def tokens_of(model: GgufModel, rendered: Rendered, picture_mark: str) -> PromptTokens:
    """Tokenise a rendered prompt.

    Args:
        picture_mark: the text that marks the place of a picture; empty for no picture.
    """
    text = rendered.text
    parts = _parts(text, picture_mark)
    counter = _Counter(rendered)
    tokens: list[list[int]] = []
    for part in parts:
        begin = part.start == 0 and model.begins and not text.startswith(model.begin_text or "\0")
        tokens.append(_tokens(model, rendered, part, begin=begin))
        counter.count(part, model.prompt_pieces(tokens[-1])[1 if begin else 0 :])
    return PromptTokens(parts=tuple(tokens), by_span=tuple(counter.by_span))


def _parts(text: str, mark: str) -> list[Place]:
    parts: list[Place] = []
    start = 0
    while mark and (at := text.find(mark, start)) >= 0:
        parts.append(Place(start, at))
        start = at + len(mark)
    return [*parts, Place(start, len(text))]


def _tokens(model: GgufModel, rendered: Rendered, part: Place, *, begin: bool) -> list[int]:
    """Return the tokens of a part; text of a message is never read as a mark between messages."""
    contents = [rendered.text[place.start : place.end] for place in rendered.contents]
    if not any(mark in content for mark in model.control_texts for content in contents):
        return model.tokenise(rendered.text[part.start : part.end], special=True, begin=begin)
    tokens: list[int] = []
    for place, is_content in _alternating(part, rendered.contents):
        piece = rendered.text[place.start : place.end]
        tokens += model.tokenise(piece, special=not is_content, begin=begin and place.start == 0)
    return tokens


def _alternating(part: Place, contents: Sequence[Place]) -> Iterator[tuple[Place, bool]]:
    """Yield the pieces of a part: the template's text and the messages' contents in turn."""
    at = part.start
    for place in contents:
        start, end = max(place.start, part.start), min(place.end, part.end)
        if end <= start:
            continue
        yield Place(at, start), False
        yield Place(start, end), True
        at = end
    yield Place(at, part.end), False


class _Counter:
    """Counts the tokens that begin inside each span."""

    def __init__(self, rendered: Rendered) -> None:
        self._text = rendered.text
        order = sorted(range(len(rendered.spans)), key=lambda number: rendered.spans[number].start)
        self._order = [n for n in order if rendered.spans[n].end > rendered.spans[n].start]
        self._starts = [self._bytes(rendered.spans[n].start) for n in self._order]
        self._ends = [self._bytes(rendered.spans[n].end) for n in self._order]
        self.by_span = [0] * len(rendered.spans)

    def count(self, part: Place, pieces: Sequence[bytes]) -> None:
        """Count a part's tokens, given the bytes that each stands for."""
        raw = self._text[part.start : part.end].encode("utf-8", "replace")
        origin, at = self._bytes(part.start), 0
        for piece in pieces:
            index = bisect_right(self._starts, origin + at) - 1
            if index >= 0 and origin + at < self._ends[index]:
                self.by_span[self._order[index]] += 1
            if piece[:1] == b" " and not raw.startswith(piece, at) and raw.startswith(piece[1:], at):
                at -= 1  # some tokenisers put a space before a text
            at += len(piece)

    def _bytes(self, characters: int) -> int:
        return len(self._text[:characters].encode("utf-8", "replace"))
