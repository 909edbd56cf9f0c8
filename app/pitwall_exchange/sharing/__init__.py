"""A run for other machines: a bundle that Pitwall opens, and a report that a browser opens."""
