"""Limits a list to one game, or shows all games: the same choice on every page with such a list."""

from __future__ import annotations

from collections.abc import Mapping

from pitwall.console.kit.form.inputs import Combo

ALL_GAMES = ""
_WIDTH, _LETTERS = 96, 8


class GameFilter(Combo):
    """Offers *All games* first, then each game; hidden while there are fewer than two.

    Signals: chosen(game_id): empty for all games.
    """

    def __init__(self) -> None:
        super().__init__(
            "Whose entries are listed",
            [(ALL_GAMES, "All games")],
            letters=_LETTERS,
            width=_WIDTH,
            tip="Show all games, or one",
        )
        self.hide()

    def show_games(self, games: Mapping[str, str]) -> None:
        """Offer these games (id → name); a chosen game that is gone gives way to all games."""
        named = sorted(games.items(), key=lambda game: game[1].casefold())
        self.offer([(ALL_GAMES, "All games"), *named])
        self.setVisible(len(games) > 1)

    def shows(self, game_id: str) -> bool:
        """Return whether something of a game is listed."""
        return self.current in (ALL_GAMES, game_id)
