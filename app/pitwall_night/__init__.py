"""Play left alone: a night of runs, crashed games started again, messages, and a digest in the morning."""
