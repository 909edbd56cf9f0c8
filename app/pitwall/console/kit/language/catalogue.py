"""A language's catalogue: English texts and their translations. No Qt.

`resources/languages/NAME.toml` holds a table `texts`. A key is a text as the code has it, with {} for each
filled-in part; its value has {} in the same order, or {0}, {1} … in another. Numbers do not choose a form:
"{} step" and "{} steps" are two texts.

A widget's text is often composed of several texts ("✓ done · 3 steps"). It is looked up whole, then as a
filled-in text whose parts are looked up again, then part by part. A text without translation stays English.
Above the table, `decimal` and `thousands` are the language's marks in numbers: "1,664.5" becomes "1 664,5".

`resources/languages/player.toml` has the same form: the paper's words, and a player's words for the same. It
applies unless *Advanced* is on; GLOSSARY decides each word.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pitwall.core.bounded_reading import parse_toml, read_text
from pitwall.core.errors import DamagedFile
from pitwall.core.paths import resources_dir

_HOLE = re.compile(r"\{(\d*)\}")
_AROUND = re.compile(r"^([^\w(\"'“]*)(.*?)((?:\s[\d.,]+)?[\s…:!?.)]*)$", re.DOTALL)
_LETTERS, _LETTER = re.compile(r"[^\W\d_]{2}"), re.compile(r"[^\W\d_]")
_UNITS = re.compile(r"\b(KiB|MiB|GiB|MB|GB|ms|min|px|Hz|tok|RAM|VRAM|CPU|GPU|p50|p95)\b")
_PROSE = re.compile(r"[^\W\d_]{2,}\s+[a-z]{2,}|[a-z]{2,}\s+[^\W\d_]{2,}")
"""Words in a row that are no name: somebody's own sentence, where no text is known for it."""
_STRONG = 7
"""A text with filled-in parts needs this many letters of its own to be recognised reliably."""
_WHOLE_LETTERS = 20
"""A text with fewer letters of its own takes no part that is itself several lines, parts or sentences."""
_STOPPED = re.compile(r"[.!?…][)\"'”]*$")
_FEW_WORDS, _MOST_WORDS = 3, 8
"""A part within a short text's sentence is a thing's name; with more words it is a sentence: with more than
the first, where it ends in a full stop."""
_IN_SENTENCE = re.compile(r"[\w“]\s*$"), re.compile(r"^\s*\w")
"""Matches fixed text beside a placeholder that shows that the value belongs to the same sentence."""
_FIGURE = re.compile(
    r"(?<![\w.,/=\"\[])(?<!\w-)(?<![<>=*/] )(?<![<>] -)(?<!Python )(?<!XInput )"
    r"([1-9]\d{0,2}(?:,\d{3})+|\d+)(?:\.(\d+))?(?!\w|[.,/]\w|[^\[\]]*\])"
)
"""A number as the code writes it; no version, part of a name, or number of code ("x=0.5", "speed > 2.5")."""
_MARKS = (".", ",")
"""Decimal mark and mark between thousands, as the code writes numbers."""
_JOINTS = ("\n", " · ", "  ")
_LISTS = (": ", ", ", " (")
_SEVERAL = ("\n", " · ", ". ")
_HEAD = 3
_MOST_REMEMBERED = 20_000
_DEEPEST = 4
_LONGEST = 2_000


@dataclass(frozen=True, slots=True)
class _Template:
    """A text with parts to fill in.

    Attributes:
        rank: place among all templates, the one with the longest fixed text first.
        literal: its longest fixed piece. order: which part fills each hole of `translation`.
        short: so few letters are fixed that a person's own sentence may match ("Run {}", "Run and jump").
        whole: so few that none of its parts may be several lines or sentences ("Loading {}").
        inside: whether each part stands in the text's own sentence ("Training {}", not "Last try: {}").
    """

    rank: int

    pattern: re.Pattern[str]
    translation: str
    order: tuple[int, ...]
    literal: str
    short: bool
    whole: bool
    inside: tuple[bool, ...]

    def takes(self, parts: Sequence[str], tail: str) -> bool:
        """Return whether it may have these parts and a tail: no short text takes a sentence."""
        ends = self.pattern.pattern.endswith("?)")
        last = len(parts) - 1
        return not self.whole or not any(
            _several(part) or (inside and _is_sentence(part + tail if ends and at == last else part))
            for at, (part, inside) in enumerate(zip(parts, self.inside, strict=True))
        )

    def fill(self, parts: Sequence[str]) -> str:
        """Fill the parts into the translation."""
        places = iter(self.order)
        return _HOLE.sub(lambda _: parts[next(places)], self.translation)


class Catalogue:
    """Exchanges texts.

    Args:
        texts: English → the language's own.
        partly: a list is translated also where only some of its parts are known: the rest is as it should be.
        marks: the language's decimal mark, and its mark between thousands, which must be no point or comma: a
            text may be translated twice.
    """

    def __init__(
        self, texts: Mapping[str, str], *, partly: bool = False, marks: tuple[str, str] = _MARKS
    ) -> None:
        self._partly, self._marks = partly, marks
        self.texts = {text: translation for text, translation in texts.items() if translation}
        self._headed: dict[str, list[_Template]] = {}
        self._strong: list[_Template] = []
        self._weak: list[_Template] = []
        self._known: dict[str, str] = {}
        self._sources = {translation: text for text, translation in self.texts.items()}
        by_length = sorted(self.texts, key=lambda key: -len(_HOLE.sub("", key)))
        for rank, text in enumerate(by_length):
            if "{}" in text:
                self._add(rank, text, self.texts[text])

    def translated(self, text: str) -> str:
        """Return the translation of a text; the text itself where there is none."""
        known = self._known.get(text)
        if known is None:
            if len(self._known) >= _MOST_REMEMBERED:
                self._known.clear()
            known = self._known[text] = self._with_marks(self._translate(text, 0))
            if known != text:
                self._sources[known] = text
                if known not in self.texts:
                    self._known.setdefault(known, known)
        return known

    def _with_marks(self, text: str) -> str:
        """Return a text with the language's marks in its numbers."""
        if self._marks == _MARKS:
            return text
        decimal, thousands = self._marks

        def figure(match: re.Match[str]) -> str:
            whole, part = match[1].replace(",", thousands), match[2]
            return whole if part is None else f"{whole}{decimal}{part}"

        return _FIGURE.sub(figure, text)

    def forget(self) -> None:
        """Translate anew what was translated: other names are kept."""
        self._known.clear()

    def source(self, translation: str) -> str:
        """Return the text whose translation was shown; the translation itself where no text is known."""
        return self._sources.get(translation, translation)

    def _add(self, rank: int, text: str, translation: str) -> None:
        pieces = text.split("{}")
        order = holes(translation)
        if any(at >= len(pieces) - 1 for at in order) or not _LETTERS.search("".join(pieces)):
            return
        headed = len(pieces[0]) >= _HEAD
        letters = len(_LETTER.findall("".join(pieces)))
        short = letters < _STRONG
        whole = letters < _WHOLE_LETTERS and not any(map(text.__contains__, _SEVERAL))
        strong = headed or not short
        hole = "(.*?)" if strong else "(.+?)"
        pattern = re.compile(hole.join(map(re.escape, pieces)), re.DOTALL)
        literal = max(pieces, key=len)
        template = _Template(rank, pattern, translation, order, literal, short, whole, _inside(pieces))
        if headed:
            self._headed.setdefault(pieces[0][:_HEAD], []).append(template)
        else:
            (self._strong if strong else self._weak).append(template)

    def _translate(self, text: str, depth: int, tail: str = "") -> str:
        """Translate a text; its tail was split off."""
        exact = self.texts.get(text)
        if exact is not None:
            return exact
        if text in _names:
            return text
        if depth > _DEEPEST or len(text) > _LONGEST or not _LETTERS.search(text):
            return text
        ways: tuple[Callable[[str, int], str | None], ...] = (
            lambda text, depth: self._filled(text, depth, tail),
            self._joined,
            self._sentences,
            self._weakly_filled,
            self._signed,
            self._listed,
        )
        for way in ways:
            translation = way(text, depth)
            if translation is not None:
                return translation
        return text

    def _filled(self, text: str, depth: int, tail: str) -> str | None:
        """Translate a text with filled-in parts that has enough fixed letters to be recognised."""
        headed: list[_Template] = self._headed.get(text[:_HEAD], [])
        likely = [template for template in (*headed, *self._strong) if template.literal in text]
        for template in sorted(likely, key=lambda template: template.rank):
            match = template.pattern.fullmatch(text)
            if match and template.takes(match.groups(), tail):
                parts = [self._translate(part, depth + 1) for part in match.groups()]
                own = (
                    part
                    for part, translation in zip(match.groups(), parts, strict=True)
                    if part == translation
                )
                if not template.short or not any(map(_PROSE.search, own)):
                    return template.fill(parts)
        return None

    def _weakly_filled(self, text: str, depth: int) -> str | None:
        """Translate a text with few fixed letters: its parts must be numbers or known texts."""
        for template in self._weak:
            if " · " in text and " · " not in template.translation:
                continue  # its parts were known apart, or belong to no text
            if template.literal in text and (match := template.pattern.fullmatch(text)):
                parts = [self._translate(part, depth + 1) for part in match.groups()]
                if self._all_known(match.groups(), parts):
                    return template.fill(parts)
        return None

    def _joined(self, text: str, depth: int) -> str | None:
        """Return the texts side by side, or in lines."""
        return self._by_pieces(text, _JOINTS, depth)

    def _signed(self, text: str, depth: int) -> str | None:
        """Translate a text that has a sign before or after it."""
        around = _AROUND.match(text)
        if around is None or not around[2] or around[2] == text:
            return None
        rest = text[len(around[1]) :]
        if around[1] and (whole := self._translate(rest, depth + 1)) != rest:
            return around[1] + whole
        inside = self._translate(around[2], depth + 1, around[3])
        return around[1] + inside + around[3] if inside != around[2] else None

    def _sentences(self, text: str, depth: int) -> str | None:
        return self._by_pieces(text, (". ",), depth)

    def _listed(self, text: str, depth: int) -> str | None:
        """Translate a list whose parts are all known."""
        for between in _LISTS:
            if between in text:
                pieces = text.split(between)
                translation = [self._translate(piece, depth + 1) for piece in pieces]
                if self._all_known(pieces, translation) or (self._partly and pieces != translation):
                    return between.join(translation)
        return None

    def _all_known(self, pieces: Iterable[str], translation: Iterable[str]) -> bool:
        """Return whether each piece is a known text or has no word."""
        return all(
            new != old or old in self.texts or old in _names or not _LETTERS.search(_UNITS.sub("", old))
            for old, new in zip(pieces, translation, strict=True)
        )

    def _by_pieces(self, text: str, joints: Sequence[str], depth: int) -> str | None:
        for between in joints:
            if between in text:
                pieces = text.split(between)
                translation = [self._piece(piece, between, depth) for piece in pieces]
                if translation != pieces:
                    return between.join(translation)
        return None

    def _piece(self, piece: str, between: str, depth: int) -> str:
        """Translate a part; a sentence that was split off has lost its full stop."""
        if between == ". " and not piece.endswith("."):
            whole = self._translate(f"{piece}.", depth + 1)
            if whole != f"{piece}.":
                return whole.removesuffix(".")
            return self._translate(piece, depth + 1, ".")
        return self._translate(piece, depth + 1)


def _several(part: str) -> bool:
    """Return whether a part is several lines, parts or sentences."""
    return any(map(part.__contains__, _SEVERAL))


def _is_sentence(part: str) -> bool:
    """Return whether a part is somebody's sentence and no name."""
    if part in _names or not _PROSE.search(part):
        return False
    return len(part.split()) > (_FEW_WORDS if _STOPPED.search(part) else _MOST_WORDS)


def _inside(pieces: Sequence[str]) -> tuple[bool, ...]:
    """Return whether each hole between the pieces, or a hole right beside it, has a word beside it."""
    ends, begins = _IN_SENTENCE
    result = [
        bool(ends.search(before) or begins.search(after)) for before, after in itertools.pairwise(pieces)
    ]
    pairs = [(at - 1, at) for at in range(1, len(result)) if not pieces[at].strip()]
    for first, second in (*pairs, *reversed(pairs)):
        result[first] = result[second] = result[first] or result[second]
    return tuple(result)


def placeholders(translation: str, count: int) -> tuple[int, ...] | None:
    """Return which part fills each hole of a translation, in order; None where they do not fit its text."""
    order = holes(translation)
    return order if sorted(order) == list(range(count)) else None


def holes(translation: str) -> tuple[int, ...]:
    """Return the part that fills each hole of a text; a player's sentence may leave parts out."""
    return tuple(int(hole) if hole else at for at, hole in enumerate(_HOLE.findall(translation)))


ENGLISH = "en"
_PLAYER = "player"


def load_catalogue(name: str) -> Catalogue:
    """Read a language's catalogue.

    Raises:
        DamagedFile: it is missing, or is no table of texts.
    """
    texts, marks = _read(name)
    return Catalogue(texts, marks=marks)


def catalogue_for(language: str, *, advanced: bool) -> Catalogue | None:
    """Return the catalogue of a language in the player's words, or in the papers'; None: English as it is.

    Raises:
        DamagedFile: a catalogue is missing or damaged.
    """
    texts, marks = ({}, _MARKS) if language == ENGLISH else _read(language)
    if not advanced:
        texts = texts | {paper: texts.get(player, player) for paper, player in _read(_PLAYER)[0].items()}
    return Catalogue(texts, partly=language == ENGLISH, marks=marks) if texts else None


def _read(name: str) -> tuple[dict[str, str], tuple[str, str]]:
    """Return a catalogue's texts and its marks in numbers."""
    file: Path = resources_dir() / "languages" / f"{name}.toml"
    try:
        table = parse_toml(read_text(file), file)
    except FileNotFoundError:
        raise DamagedFile(file, "is missing", expected="a language's catalogue") from None
    texts = table.get("texts")
    if not isinstance(texts, dict) or not all(isinstance(translation, str) for translation in texts.values()):
        raise DamagedFile(file, "is damaged", key="texts", expected="a table of texts")
    return texts, (str(table.get("decimal", _MARKS[0])), str(table.get("thousands", _MARKS[1])))


_in_use: Catalogue | None = None
_before: Catalogue | None = None


_names: frozenset[str] = frozenset()


def keep_names(names: Iterable[str]) -> None:
    """Leave these names as they are ("Catch game"), except where a name is a text of the catalogue itself."""
    global _names
    if (kept := frozenset(names)) != _names:
        _names = kept
        if _in_use is not None:
            _in_use.forget()


def keep_name(name: str) -> None:
    """Leave one more name as it is: that of a game which is being added."""
    keep_names({*_names, name})


def use(catalogue: Catalogue | None) -> None:
    """Make `spoken` translate by a catalogue; None: not at all."""
    global _in_use, _before
    _in_use, _before = catalogue, _in_use


def spoken(text: str) -> str:
    """Translate a text that is cut, put in capitals, or shown by a model's cells."""
    return text if _in_use is None else _in_use.translated(text)


def own_words(shown: str) -> str:
    """Return the code's text of what the catalogue in use shows for it, also of each part between commas."""
    if _in_use is None:
        return shown
    return ", ".join(_in_use.source(part.strip()) for part in shown.split(","))


def code_text(shown: str) -> str:
    """Return the code's text of what was shown before the last change of catalogue."""
    return shown if _before is None else _before.source(shown)


def exchanged() -> bool:
    """Return whether the console exchanges texts: another language, or a player's words."""
    return _in_use is not None
