"""The broker on X11: XTEST injects, XInput2 reports input, focus events tell who has the keyboard."""
