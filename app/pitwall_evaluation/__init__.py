"""The base of exam, bench, lab and environments: true states of games, measured runs, charts of results."""
