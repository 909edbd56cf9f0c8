"""Act: resolved actions become due events in time, and the next frames say whether they had an effect."""
