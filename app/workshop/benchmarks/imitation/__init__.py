"""`pitwall bench imitate`: what is learned from watching a player, measured."""
