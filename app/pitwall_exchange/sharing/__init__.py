"""A run taken along: a bundle that opens on another machine, and a report that opens in a browser."""
