"""Windows: SendInput presses keys, pynput's hooks hear them, Windows Graphics Capture gives the pixels."""
