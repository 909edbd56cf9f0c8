"""Tables of `plugin.toml` that packages beside the core add (`core/rail.py`, group `pitwall.tables`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import Field, create_model

from pitwall.core import rail
from pitwall.core.errors import Fault
from pitwall.games.schema.fields import Table
from pitwall.games.schema.profile import Profile


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginTable:
    """A table of `plugin.toml` that a package reads.

    Attributes:
        model: its type; read it with `Profile.table(model)`.
        description: its meaning, for the reference of `plugin.toml`.
        check: yields the faults of a profile beyond types. Arguments: the profile, the path of its
            file, and names that the manifest declares in tables with faults of their own.
        reads_true_states: whether the package reads each true state of a run afterwards, so that they are
            kept more often.
    """

    model: type[Table]
    description: str
    check: Callable[[Profile, str, frozenset[str]], Iterator[Fault]]
    reads_true_states: bool = False


@cache
def plugin_tables() -> dict[str, PluginTable]:
    """Return the tables of the packages that are there, by their key in `plugin.toml`."""
    return rail.load_all(rail.TABLES)


@cache
def profile_model() -> type[Profile]:
    """Return the type of a whole `plugin.toml`, packages' tables included.

    A table whose package is not there is accepted and not read: the game plays without it.
    """
    tables = plugin_tables()
    fields: dict[str, Any] = {name: (Any, Field(None, exclude=True)) for name in rail.declared(rail.TABLES)}
    for name, table in tables.items():
        fields[name] = (table.model | None, Field(None, description=table.description))
    return create_model("WholeProfile", __base__=Profile, __module__=__name__, **fields)


def __getattr__(name: str) -> type[Profile]:
    """Return the type of `profile_model` by its name, so that another process can unpickle a game."""
    if name == "WholeProfile":
        return profile_model()
    raise AttributeError(name)


def reads_true_states(profile: Profile) -> bool:
    """Return whether a package reads each true state of this game's runs afterwards."""
    return any(
        table.reads_true_states and profile.table(table.model) is not None
        for table in plugin_tables().values()
    )
