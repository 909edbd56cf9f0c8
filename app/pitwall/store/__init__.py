"""Keeps what outlives the processes: the run log, its schema and migrations, step frames, exports, leases."""
