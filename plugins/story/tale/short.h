! What the short stories share. Each is built in this folder (Debian: inform6-compiler, inform6-library) by
!   inform +include_path=/usr/share/inform6/library -v5 -s NAME.inf NAME.z5
! A story gives Murmur(n), a sound for each n of 1 to 3; other turns are silent.

Attribute paid;

[ Earn thing points;
    if (thing has paid) rfalse;
    give thing paid;
    score = score + points;
];

[ Win;
    score = score + 5;
    deadflag = 2;
];

Class Place has light;

Class Barrier ! a locked door between two places
    with side_a 0, side_b 0, way_a 0, way_b 0,
         found_in [; return location == self.side_a or self.side_b; ],
         door_to [; if (location == self.side_a) return self.side_b; return self.side_a; ],
         door_dir [; if (location == self.side_a) return self.way_a; return self.way_b; ],
    has door openable lockable locked static scenery;

Object murmurs
    with poured [; rfalse; ],
         daemon [; if (~~deadflag) Murmur(random(9)); ];

[ Begin place;
    location = place;
    lookmode = 2;
    StartDaemon(murmurs);
];

! A thing that takes what is poured has a routine poured(liquid), true where it has answered.
[ PourSub;
    if (second provides poured && second.poured(noun)) rtrue;
    "That would be a waste.";
];
