"""Training: one readable file an algorithm, the analysis of what it did, the loop that improves it."""
