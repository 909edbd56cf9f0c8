"""`pitwall components`: what is installed after the first start."""
