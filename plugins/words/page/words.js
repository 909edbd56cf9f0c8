"use strict";

/* The hidden words: everyday ones, and rarer ones for later rounds. */

const WORDS = (
  "apple baker beach bread brick brown brush cabin camel candy chair chalk chart cheek chess chest " +
  "child choir cider clean clerk cliff clock cloud coast coral couch crane cream creek crown daisy " +
  "dance depth diary dozen dream dress drive eagle early earth elbow empty enjoy event faith fever " +
  "fence field flame flask fleet flock floor flour fluid fresh fruit funny ghost giant glass globe " +
  "glove grape grass green guest guide habit happy heart heavy hedge honey horse hotel house human " +
  "image ivory jewel joint juice knife label lemon level light limit lodge lucky lunch magic maple " +
  "march medal metal model money month motor mouse mouth music night noise north ocean olive onion " +
  "order organ paint panel paper party peace pearl phone piano pilot pitch place plain plane plant " +
  "plate point pound power press price pride print prize queen quick quiet radio raven reach ready " +
  "river roast robin rough round royal salad scale scarf scene scout shade shape share sharp sheep " +
  "sheet shelf shell shine shirt shock shore short sight skate skill skirt sleep slice slope small " +
  "smart smile smoke snack snake solid sound south space spade spare speed spice spoon sport stage " +
  "stair stamp stand start steam steel stick stone storm story stove straw sugar sunny swamp sweet " +
  "swing table taste teach tiger toast tooth torch total touch towel tower track trade trail train " +
  "treat tribe trick truck trunk trust truth uncle under upper valve video visit voice wagon waste " +
  "watch water whale wheat wheel white whole woman world wrist write young youth zebra"
).split(" ");

const RARE_WORDS = (
  "abbey acorn adobe agile amber amend anvil aphid atlas attic avoid azure bagel banjo basil bison " +
  "blaze blimp bluff boggy brine brisk broil cacti caper cedar cello chive chord cinch civic clasp " +
  "cleft cloak clove comet crypt cubic cynic dizzy dodge dowel dryad dwarf easel ebony ember epoch " +
  "equip fable fiord fjord flint flute forge foyer frost fudge gecko glaze glyph gnome gravy guild " +
  "gusto hazel heron hinge hobby hovel husky igloo inlet irony jaunt jelly joust jumbo kayak khaki " +
  "kiosk knack lapel larch latch lilac llama locus lupin lyric mango midge moose motif mulch myrrh " +
  "nexus ninth nymph oasis onset otter oxide ozone patio pivot pixel plaza plume poppy prism proxy " +
  "quail quark quilt quota rhyme rivet rogue sauna savvy scoop siege skulk sloth smirk snowy spasm " +
  "squid stoic swarm synod tabby talon tepid thyme topaz tulip tunic twine udder ulcer umbra unzip " +
  "vapid vault vexed viola vivid vogue waltz waxen wharf whisk wrath yacht yeast zesty"
).split(" ");
