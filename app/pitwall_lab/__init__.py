"""Training: a file for each algorithm, the analysis of trained versions, and the loop that improves them."""
