"""Commands that win each story with every point, by the story's name."""

from __future__ import annotations

_TEXTS = {
    "clock": """
        east; take loaf; west; west; take flask; open cupboard; take cogwheel; east; north; give
        loaf to goat; down; take iron key; up; east; unlock tower door with iron key; open tower
        door; north; up; up; put cogwheel in clockwork; pour flask in clockwork; push clockwork""",
    "comet": """
        take handle; north; west; open urn; take oak key; east; unlock oak door with oak key; open
        oak door; north; east; open desk; take fuse; west; west; open case; take eyepiece; east;
        south; south; east; put fuse in switch box; push generator; west; north; north; up; put
        handle in shaft; put eyepiece in telescope; turn telescope""",
    "garden": """
        west; take gloves; take can; open bin; take matches; wear gloves; east; east; fill can;
        south; take silver key; north; west; unlock glass door with silver key; open glass door;
        north; east; take coal; west; down; put coal in boiler; light boiler; up; west; pour can in
        orchid""",
    "library": """
        west; take tea; take torch; turn on torch; east; east; give tea to librarian; west; north;
        push ladder; unlock grille with stack key; open grille; down; open cabinet; take glove; wear
        glove; north; take page; south; up; put page in folio""",
    "market": """
        north; take coin; west; give coin to fishwife; east; north; west; give herring to cat; east;
        east; give wool to monk; west; north; give candle to groom; south; south; east; give needle
        to weaver; west; south; south; give sail to boatman""",
    "quarry": """
        west; take lantern; open crate; take flint; light lantern; east; north; west; take pick;
        take grease; east; down; put grease in pump; up; south; east; pull lever; west; north; down;
        east; dig rubble; north; take crystal; south; west; down; put crystal on guardian""",
    "train": """
        west; south; open coat; take van key; north; west; west; open icebox; take sausage; unlock
        steel door with van key; open steel door; west; give sausage to dog; open trunk; take salts;
        west; west; give salts to driver""",
}
WALKTHROUGHS = {
    name: tuple(" ".join(line.split()) for line in text.split(";")) for name, text in _TEXTS.items()
}
