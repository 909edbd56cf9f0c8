"""Keeps the track record of one game: what each driver brought beside each model, over all runs."""

from __future__ import annotations

from sqlalchemy import Connection

from pitwall.core.model_telemetry import COUNTS, Driver, Situation, Tally

_COLUMNS = ", ".join(COUNTS)
_READ = f"SELECT model, driver, situation, {_COLUMNS} FROM track_record WHERE game_id = ?"
_ADD = (
    f"INSERT INTO track_record (game_id, model, driver, situation, {_COLUMNS})"
    f" VALUES ({', '.join('?' * (4 + len(COUNTS)))})"
    " ON CONFLICT (game_id, model, driver, situation) DO UPDATE SET "
    + ", ".join(f"{name} = {name} + excluded.{name}" for name in COUNTS)
)


class TrackRecord:
    """Sums up tallies by model, driver and kind of situation."""

    def __init__(self) -> None:
        self._tallies: dict[tuple[str, Driver, Situation], Tally] = {}

    def add(self, model: str, tally: Tally) -> None:
        key = model, tally.driver, tally.situation
        known = self._tallies.get(key)
        self._tallies[key] = tally if known is None else known + tally

    def of(self, model: str, situation: Situation, *drivers: Driver) -> Tally:
        """Return the sum of some drivers, under the first one's name."""
        total = Tally(driver=drivers[0], situation=situation)
        for driver in drivers:
            total += self._tallies.get((model, driver, situation), Tally(driver=driver, situation=situation))
        return total

    def tallies(self, model: str) -> tuple[Tally, ...]:
        """Return every tally of the decisions made beside a model."""
        return tuple(tally for (name, _, _), tally in sorted(self._tallies.items()) if name == model)


def read(connection: Connection, game_id: str) -> list[tuple[str, Tally]]:
    """Read a game's tallies of decisions, each with the name of the model that was chosen for the game."""
    rows = connection.exec_driver_sql(_READ, (game_id,)).all()
    return [
        (
            model,
            Tally(driver=driver, situation=Situation(situation), **dict(zip(COUNTS, counts, strict=True))),
        )
        for model, driver, situation, *counts in rows
    ]


def forget(connection: Connection, game_id: str) -> None:
    """Remove a game's tallies."""
    connection.exec_driver_sql("DELETE FROM track_record WHERE game_id = ?", (game_id,))


def add(connection: Connection, game_id: str, model: str, tally: Tally) -> None:
    """Add a tally to the stored one."""
    counts = tuple(getattr(tally, name) for name in COUNTS)
    connection.exec_driver_sql(_ADD, (game_id, model, tally.driver, tally.situation.value, *counts))
