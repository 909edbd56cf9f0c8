"""SA-KG as GraphML: states as nodes, actions and likenesses as edges. networkx, igraph and Gephi read it.

Written: nodes with `text`, `game_id`, `pinned`, `author`, `created_at`; edges with `kind` (edge or likeness)
and the fields of their contents; both with a `label` for viewers. An action with an unknown outcome leads to
a node with `unknown`. Keys are declared for nodes and for edges apart: igraph ignores keys for "all".
Read: any GraphML whose nodes have a `text` or a label (also yEd's) and whose edges have an `action` or a
label, or `kind` likeness with a `cosine`. Nothing else of a file is followed: no entities, no other files.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from pitwall.core.bounded_reading import open_regular
from pitwall.core.errors import DamagedFile
from pitwall.core.memories import Provenance
from pitwall.core.memory_kinds import (
    BETWEEN_STATES,
    ActionEdge,
    Likeness,
    MemoryContent,
    StateNode,
    fields_of,
)
from pitwall.memory.database.checks import first_fault
from pitwall.memory.database.entry_values import is_game_id
from pitwall.memory.database.faults import ImportRefused
from pitwall.memory.transfer.portable import PortableEntry

_YED_LABELS = ("NodeLabel", "EdgeLabel")
NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
_UNKNOWN = "unknown"
_PIECE = 1 << 16
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
"""Characters that XML cannot hold."""
_TYPES: dict[type, str] = {str: "string", int: "long", float: "double", bool: "boolean"}
_COMMON: dict[str, type] = {"label": str, "game_id": str, "pinned": bool, "author": str, "created_at": str}
_KEYS: dict[str, dict[str, type]] = {
    "node": {"text": str, "unknown": bool, **_COMMON},
    "edge": {
        "kind": str,
        **{
            name: field.type
            for kind in BETWEEN_STATES
            for name, field in fields_of(kind).items()
            if not field.about.refers_to
        },
        **_COMMON,
    },
}
_YES = frozenset({"true", "1", "1.0", "yes"})
_PROMISES = {"parse.nodes": "node", "parse.edges": "edge"}
"""Counts that a `<graph>` may state."""
_BY: dict[str, Provenance] = {
    "agent": Provenance(author="agent"),
    "operator": Provenance(author="operator"),
    "profile": Provenance(author="profile"),
    "import": Provenance(author="import"),
}
_NUMBERS: dict[str, type] = {name: kind for name, kind in _KEYS["edge"].items() if kind in (int, float)}


def write(path: Path, rows: Iterator[PortableEntry]) -> int:
    """Write states, then edges and likenesses; entries of other kinds are skipped.

    Returns:
        Number of characters that XML cannot hold and U+FFFD replaces.

    Raises:
        OSError: the file cannot be written.
    """
    with path.open("w", encoding="utf-8", newline="\n") as out:
        writer = _Writer(out)
        for row in rows:
            writer.add(row)
        writer.end()
        return writer.replaced


class _Writer:
    def __init__(self, out: IO[str]) -> None:
        self._out = out
        self.replaced = 0
        self._told_unknown = False
        out.write(f'<?xml version="1.0" encoding="utf-8"?>\n<graphml xmlns="{NAMESPACE}">\n')
        for where, keys in _KEYS.items():
            for name, kind in keys.items():
                about = f'for="{where}" attr.name="{name}" attr.type="{_TYPES[kind]}"'
                out.write(f'<key id="{where}_{name}" {about}/>\n')
        out.write('<graph id="sa-kg" edgedefault="directed">\n')

    def add(self, row: PortableEntry) -> None:
        common = {
            "game_id": row.game_id,
            "pinned": row.pinned,
            "author": row.provenance.author,
            "created_at": row.created_at,
        }
        match row.content:
            case StateNode():
                text = row.content.text
                self._node(f"n{row.number}", {"text": text, "label": text, **common})
            case ActionEdge():
                target = _UNKNOWN if row.content.target is None else f"n{row.content.target}"
                if row.content.target is None and not self._told_unknown:
                    self._node(_UNKNOWN, {"unknown": True, "label": _UNKNOWN})
                    self._told_unknown = True
                fields = {**_fields(row.content), "label": row.content.action}
                self._edge(row.number, f"n{row.content.source}", target, {**fields, **common})
            case Likeness():
                fields = {**_fields(row.content), "label": f"like {row.content.cosine:.2f}"}
                source, target = f"n{row.content.first}", f"n{row.content.second}"
                self._edge(row.number, source, target, {**fields, **common})
            case _:
                return

    def end(self) -> None:
        self._out.write("</graph>\n</graphml>\n")

    def _node(self, name: str, data: dict[str, object]) -> None:
        self._out.write(f'<node id="{name}">{self._data("node", data)}</node>\n')

    def _edge(self, number: int, source: str, target: str, data: dict[str, object]) -> None:
        ends = f'source="{source}" target="{target}"'
        self._out.write(f'<edge id="e{number}" {ends}>{self._data("edge", data)}</edge>\n')

    def _data(self, where: str, data: dict[str, object]) -> str:
        return "".join(
            f"<data key={quoteattr(f'{where}_{name}')}>{self._text(value)}</data>"
            for name, value in data.items()
        )

    def _text(self, value: object) -> str:
        if isinstance(value, bool):
            return str(value).lower()
        text, replaced = _FORBIDDEN.subn("\ufffd", str(value))
        self.replaced += replaced
        return escape(text, {"\r": "&#13;"})


class GraphmlFile:
    """A file of states and their links. It can be read repeatedly, in pieces.

    Args:
        game_id: game that the entries are imported for; empty: as the file says.

    Raises:
        ImportRefused: the file cannot be read.
    """

    origin = ""

    def __init__(self, path: Path, game_id: str) -> None:
        self.name = path.name
        self._game_id = game_id
        try:
            self._stream = open_regular(path)
        except FileNotFoundError:
            raise ImportRefused(self.name, 0, "", "is not there") from None
        except DamagedFile as error:
            raise ImportRefused(self.name, 0, "", error.problem, error.expected) from None

    def rows(self) -> Iterator[PortableEntry]:
        """Yield its entries, in the order of the file.

        Raises:
            ImportRefused: the file is no GraphML of states.
        """
        self._stream.seek(0)
        reading = _Reading(self.name, self._game_id)
        while piece := self._stream.read(_PIECE):
            yield from reading.feed(piece)
        yield from reading.feed(b"", last=True)

    def close(self) -> None:
        """Close the file."""
        self._stream.close()


class _Reading:
    """Reads a file in one pass."""

    def __init__(self, name: str, game_id: str) -> None:
        self._name = name
        self._game_id = game_id
        self._keys: dict[str, str] = {}
        self._defaults: dict[str, dict[str, str]] = {"node": {}, "edge": {}}
        self._declared: tuple[str, str] | None = None
        self._counts: Counter[str] = Counter()
        self._promised: dict[str, str] = {}
        self._numbers: dict[str, int] = {}
        self._unknown: set[str] = set()
        self._done: list[PortableEntry] = []
        self._edges = 0
        self._root = False
        self._open: tuple[str, dict[str, str], int] | None = None
        self._data: dict[str, str] = {}
        self._key: str | None = None
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.StartDoctypeDeclHandler = self._doctype

    def feed(self, piece: bytes, *, last: bool = False) -> list[PortableEntry]:
        try:
            self._parser.Parse(piece, last)
        except expat.ExpatError as error:
            problem = f"is damaged ({expat.ErrorString(error.code)})"
            raise ImportRefused(self._name, error.lineno, "", problem, "GraphML") from None
        except (LookupError, ValueError) as error:  # of the XML declaration's encoding
            problem = f"cannot be decoded ({error})"
            raise ImportRefused(self._name, 1, "", problem, "GraphML in UTF-8") from None
        done, self._done = self._done, []
        return done

    def _doctype(self, *_: object) -> None:
        raise self._refused("", "declares a document type", "plain GraphML")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(" ")[2]
        if not self._root:
            if name != "graphml":
                raise self._refused("", f"begins with <{name[:40]}>", "<graphml>")
            self._root = True
        elif name == "key":
            self._keys[attributes.get("id", "")] = attributes.get("attr.name", "")
            self._declared = (attributes.get("attr.name", ""), attributes.get("for", "all"))
        elif name == "default" and self._declared:
            self._key, self._data = "default", {"default": ""}
        elif name == "graph" and self._open is None:
            self._promised = {kind: attributes[key] for key, kind in _PROMISES.items() if key in attributes}
        elif name in ("node", "edge"):
            if self._open is not None:
                raise self._refused("", f"has a <{name}> inside another", "states side by side")
            self._open = (name, attributes, self._parser.CurrentLineNumber)
            self._data = dict(self._defaults[name])
            self._counts[name] += 1
        elif name == "data" and self._open is not None:
            self._key = self._keys.get(attributes.get("key", ""), "")
            self._data[self._key] = ""
        elif name in _YED_LABELS and self._open is not None and not self._data.get("label"):
            self._key, self._data["label"] = "label", ""
        elif name == "hyperedge":
            raise self._refused("", "has a <hyperedge>", "edges between two states")

    def _characters(self, text: str) -> None:
        if self._key is not None:
            self._data[self._key] += text

    def _end(self, tag: str) -> None:
        name = tag.rpartition(" ")[2]
        if name in ("data", *_YED_LABELS):
            self._key = None
        elif name == "default" and self._key == "default" and self._declared:
            attribute, where = self._declared
            for kind in self._defaults if where == "all" else self._defaults.keys() & {where}:
                self._defaults[kind][attribute] = self._data["default"]
            self._key = None
        elif name == "key":
            self._declared = None
        elif name == "graph" and self._open is None:
            self._check_counts()
        elif name in ("node", "edge") and self._open is not None:
            _, attributes, row = self._open
            self._open = None
            made = self._node(attributes, row) if name == "node" else self._edge(attributes, row)
            if made is not None:
                self._done.append(made)

    def _node(self, attributes: dict[str, str], row: int) -> PortableEntry | None:
        name = self._required(attributes, "id", row)
        if _true(self._data.get("unknown", "")):
            self._unknown.add(name)
            return None
        text = self._data.get("text") or self._data.get("label", "").strip()
        if not text:
            raise self._refused("text", f"of node {name[:40]!r} is missing", "the state in words", row)
        return self._entry(row, self._number(name), StateNode(text=text), {"id": name})

    def _edge(self, attributes: dict[str, str], row: int) -> PortableEntry:
        source, target = (self._required(attributes, end, row) for end in ("source", "target"))
        self._edges += 1
        number = -self._edges
        names = {"source": source, "target": target, "first": source, "second": target}
        if self._data.get("kind") == "likeness":
            first, second = self._number(source), self._number(target)
            if "cosine" not in self._data:
                raise self._refused("cosine", "is missing", "a number from -1 to 1", row)
            like = Likeness(first=first, second=second, cosine=self._value("cosine", row))
            return self._entry(row, number, like, names)
        action = self._data.get("action") or self._data.get("label", "").strip()
        if not action:
            raise self._refused("action", "is missing", "the text of an action", row)
        edge = ActionEdge(
            source=self._number(source),
            target=None if target in self._unknown else self._number(target),
            action=action,
            **{name: self._value(name, row) for name in _NUMBERS.keys() & fields_of("edge")},
        )
        return self._entry(row, number, edge, names)

    def _entry(self, row: int, number: int, content: MemoryContent, names: dict[str, str]) -> PortableEntry:
        if (fault := first_fault(content)) is not None:
            raise self._refused(fault.field, fault.problem, fault.expected, row)
        game_id = self._game_id or self._data.get("game_id", "")
        if not is_game_id(game_id):
            expected = "a game's id (or name the game with --game)"
            raise self._refused("game_id", f"is {game_id[:40]!r}", expected, row)
        return PortableEntry(
            row=row,
            number=number,
            game_id=game_id,
            content=content,
            provenance=_BY.get(self._data.get("author", ""), _BY["import"]),
            pinned=_true(self._data.get("pinned", "")),
            created_at=self._data.get("created_at", "")[:64],
            names={field: repr(name[:40]) for field, name in names.items()},
        )

    def _number(self, name: str) -> int:
        return self._numbers.setdefault(name, len(self._numbers) + 1)

    def _value(self, name: str, row: int) -> Any:
        text = self._data.get(name, "").strip() or "0"
        kind = _NUMBERS[name]
        try:
            value = float(text)
            if not math.isfinite(value):  # as networkx writes a missing number
                return kind(0)
            return int(text) if kind is int and text.lstrip("+-").isdecimal() else self._exact(kind, value)
        except ValueError:
            expected = "a whole number" if kind is int else "a number"
            raise self._refused(name, f"is {text[:40]!r}", expected, row) from None

    def _exact(self, kind: type, value: float) -> Any:
        """Return a number of this kind; raises ValueError where a whole number has a fraction."""
        if kind is int and not value.is_integer():
            raise ValueError(value)
        return kind(value)

    def _check_counts(self) -> None:
        for kind, promised in self._promised.items():
            if promised.strip() != str(self._counts[kind]):
                problem = f"has {self._counts[kind]} of them"
                raise self._refused(f"{kind}s", problem, f"{promised[:20]}, as its <graph> says")

    def _required(self, attributes: dict[str, str], name: str, row: int) -> str:
        if name not in attributes:
            raise self._refused(name, "is missing", "the id of a node", row)
        return attributes[name]

    def _refused(self, field: str, problem: str, expected: str = "", row: int = 0) -> ImportRefused:
        return ImportRefused(self._name, row or self._parser.CurrentLineNumber, field, problem, expected)


def _true(text: str) -> bool:
    return text.strip().casefold() in _YES


def _fields(content: ActionEdge | Likeness) -> dict[str, object]:
    """Return an edge's data: the fields of its contents, without the states that it joins."""
    declared = fields_of(content.kind)
    values = {name: getattr(content, name) for name in declared if not declared[name].about.refers_to}
    return {"kind": content.kind, **values}
