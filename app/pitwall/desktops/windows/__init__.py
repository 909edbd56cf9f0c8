"""Windows: SendInput presses keys, low-level hooks hear them, Windows Graphics Capture captures."""
