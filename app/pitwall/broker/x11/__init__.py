"""The broker's hands and ears on X11: XTEST to inject, XInput2 to hear, focus events to know when not to."""
