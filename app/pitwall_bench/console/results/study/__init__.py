"""A study on the Evaluate page: its tables, its learning curves, and the chain of its memories."""
