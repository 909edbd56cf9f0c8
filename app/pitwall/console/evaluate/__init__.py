"""How the Evaluate page draws: suites read from their folders, boards, maps, plots, each with its table."""
