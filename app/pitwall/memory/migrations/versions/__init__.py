"""One file a revision; never changed after it was released."""
