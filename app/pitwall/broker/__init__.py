"""The only process that injects input: everything goes through its gate, and everything comes up again."""
