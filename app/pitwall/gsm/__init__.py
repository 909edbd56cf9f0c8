"""Game sense modules: routines with their own loop and end conditions, run at frame rate (SPEC §8)."""
