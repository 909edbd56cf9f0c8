"""YAML with the line of each value. Only safe types; nothing is executed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml

from pitwall.core.bounded_reading import parse, read_text
from pitwall.core.errors import DamagedFile, Fault, SuiteError
from pitwall.core.validation import Place, key_of

_MOST_BYTES = 1_000_000
_MOST_VALUES = 200_000
_DEEPEST = 40


class YamlText:
    """One YAML document.

    Args:
        file: for faults. text: of the whole document.

    Attributes:
        value: the parsed document.

    Raises:
        SuiteError: it does not parse, is no mapping, or expands to more than a suite can be.
    """

    def __init__(self, file: str, text: str) -> None:
        self._file = file
        try:
            node = parse_yaml(text, file, parser=_composed)
            self._check_size(node)
            self.value: dict[str, Any] = parse_yaml(text, file)
        except DamagedFile as error:
            raise self._broken(error.problem, error.line) from None
        if not isinstance(node, yaml.MappingNode) or not isinstance(self.value, dict):
            raise self._broken("holds no mapping; expected `name: …`, `agents: …`", 1)
        self._root: yaml.MappingNode = node

    def line_of(self, place: Place) -> int:
        """Return the line of a place, from 1; if it does not exist, of the nearest thing around it."""
        node: yaml.Node = self._root
        line: int = node.start_mark.line + 1
        for part in place:
            child = _child(node, part)
            if child is not None:
                line, node = child
        return line

    def fault(self, place: Place, problem: str, expected: str = "", near: str = "") -> Fault:
        """Build a fault at a place of this document."""
        return Fault(
            file=self._file,
            key=key_of(place),
            problem=problem,
            expected=expected,
            nearest=near,
            line=self.line_of(place),
        )

    def twice(self) -> Iterator[Fault]:
        """Yield keys that a mapping has twice: the second would silently win."""
        yield from self._twice(self._root, ())

    def _twice(self, node: yaml.Node, place: tuple[str | int, ...]) -> Iterator[Fault]:
        if isinstance(node, yaml.SequenceNode):
            for at, inner in enumerate(node.value):
                yield from self._twice(inner, (*place, at))
        if not isinstance(node, yaml.MappingNode):
            return
        first: dict[str, int] = {}
        for key, inner in node.value:
            name = str(key.value)
            here = key.start_mark.line + 1
            if name in first:
                problem = f"is listed twice (also in line {first[name]})"
                yield Fault(file=self._file, key=key_of((*place, name)), problem=problem, line=here)
            first.setdefault(name, here)
            yield from self._twice(inner, (*place, name))

    def _check_size(self, node: yaml.Node | None) -> None:
        if node is not None and _values(node, {}, 0) > _MOST_VALUES:
            raise self._broken("unfolds to more values than a suite can have", 0)

    def _broken(self, problem: str, line: int) -> SuiteError:
        fault = Fault(file=self._file, key="file", problem=problem, expected="YAML", line=line)
        return SuiteError(self._file, [fault])


def read_yaml(file: Path) -> YamlText:
    """Read a file's document.

    Raises:
        SuiteError: it is missing, no UTF-8, too big, or no YAML mapping.
    """
    try:
        return YamlText(str(file), read_text(file, most_bytes=_MOST_BYTES))
    except FileNotFoundError:
        raise _unread(file, "is not there", "a suite's YAML file") from None
    except DamagedFile as error:
        raise _unread(file, error.problem, error.expected, error.line) from None


def parse_yaml(
    text: str, file: Path | str, *, parser: Callable[[str], Any] = yaml.safe_load, fix: str = ""
) -> Any:
    """Parse YAML of safe types; raises as `core.bounded_reading.parse`, with the line."""
    try:
        return parse(parser, text, file, "YAML", fix=fix)
    except yaml.YAMLError as error:
        problem, line = _problem_and_line(error)
        raise DamagedFile(file, problem, line=line, expected="YAML", fix=fix) from None


def keys_of(text: str) -> dict[str, Any] | None:
    """Return the keys of a text with their values; None if it is no YAML mapping."""
    try:
        parsed = parse_yaml(text, "the text")
    except DamagedFile:
        return None
    return parsed if isinstance(parsed, dict) else None


def text_of(file: Path) -> str:
    """Read the text of a suite's file; empty if it cannot be read."""
    try:
        return read_text(file, most_bytes=_MOST_BYTES, errors="replace")
    except (FileNotFoundError, DamagedFile):
        return ""


def _unread(file: Path, problem: str, expected: str, line: int = 0) -> SuiteError:
    fault = Fault(file=str(file), key="file", problem=problem, expected=expected, line=line)
    return SuiteError(str(file), [fault])


def _composed(text: str) -> yaml.Node | None:
    node: yaml.Node | None = yaml.compose(text, Loader=yaml.SafeLoader)
    return node


def _problem_and_line(error: yaml.YAMLError) -> tuple[str, int]:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or " ".join(str(error).split())
    return f"does not parse: {problem}", mark.line + 1 if mark is not None else 0


def _child(node: yaml.Node, part: str | int) -> tuple[int, yaml.Node] | None:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == str(part):
                return key.start_mark.line + 1, value
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        inner: yaml.Node = node.value[part]
        return inner.start_mark.line + 1, inner
    return None


def _values(node: yaml.Node, known: dict[int, int], depth: int) -> int:
    """Count the values that a node expands to: an alias counts each time."""
    if depth > _DEEPEST:
        return _MOST_VALUES + 1
    if id(node) not in known:
        inner: list[yaml.Node] = []
        if isinstance(node, yaml.MappingNode):
            inner = [value for _, value in node.value]
        elif isinstance(node, yaml.SequenceNode):
            inner = list(node.value)
        known[id(node)] = 1 + sum(_values(child, known, depth + 1) for child in inner)
    return known[id(node)]
