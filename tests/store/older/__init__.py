"""Data folders as earlier versions wrote them, one for each pair of schemas that ever landed."""
