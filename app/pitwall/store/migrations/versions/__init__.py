"""Holds a file for each revision; never changed after it was released."""
