"""Windows, capture, input and processes of each desktop, behind one contract; `here.py` lists them."""
