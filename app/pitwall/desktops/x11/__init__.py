"""X11: XTEST injects, XInput2 reports input, Composite and Damage give the pixels of the window."""
