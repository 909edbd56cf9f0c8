"""The differences between two memories, in words and as a table, for every page that compares memories."""
