"""Between live processes: channels, the frame ring, children. Bytes in, records out."""
