"""`pitwall bench imitate`: measures what is learned from watching a player."""
