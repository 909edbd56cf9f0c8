"""What a prompt may hold: layers L1 to L5, their caps and switches, and what a run leaves to the next."""
