"""The loop: capture → perceive → trigger → control → act → record. Owns the run log."""
