"""Plays bundled games by their own rules, with its own eyes and a person's late, unsteady hands."""
