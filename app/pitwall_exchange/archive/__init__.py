"""Runs that left the run log: moved into an archive and back, by hand or by rules."""
