"""The process that runs models, so that one that hangs, aborts or eats memory takes nothing else with it."""
