"""Windows, natively: injection by scan codes, low-level hooks, foreground window."""
