"""`pitwall components`: parts that are installed after the first start."""
