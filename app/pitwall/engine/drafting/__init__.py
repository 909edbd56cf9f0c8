"""Looking at a game that is being added: guessing fields, reading them at once, watching for thresholds."""
