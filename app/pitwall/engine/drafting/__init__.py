"""Observes a game that is being added: guesses fields, reads them, and suggests thresholds."""
