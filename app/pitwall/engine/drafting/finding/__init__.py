"""Finding what a game shows by what happened in its last minute: proposals with their figures, none taken."""
