"""A game's true state, for evaluators. The engine never imports this room."""
