"""`pitwall teach`: demonstrations of play, recorded and kept."""
