"""English filler prose: the sentence templates of the themes; `prose_en.py` explains the slots."""

# `# theme`, its roles, seasons and titles, then `+` sentences that open a paragraph, `-` sentences that continue it.
THEMES = """
# mill
roles: miller / millwright
seasons: spring / summer / autumn / winter
titles: The Mill at {P} / {An} and the Mill / Flour from {P} / The Water Wheel of {P}
+ the mill of {P} stood on the {R} near {spot} and had {num} floors.
+ {time}, {millpart} of the mill gave trouble again.
+ a mill, {A} used to say, was never finished.
+ {many} families brought their {grain} to the mill of {P}.
- {A} took {millpart} apart {manner} and laid the pieces out in order near {spot}.
- ~{millpart} had been mended with {a:worn} {thing} in the time of {An}’s {elder}, and it showed.
- the {grain} from {Q} came in wet that {season} and had to be spread out in the {shed} for {num} days.
- ~farmers from {Q} waited at {spot} with their {grain} and discussed {subject}.
- {B} held the lamp while {A} greased {millpart} with mutton fat and spoke of {subject}.
- the flour was fine, the bran was coarse, and {folk} took a sack of each {when}.
- when the {R} was low the wheel turned {num} times a minute, and {A} went back to {ing}.
- white dust lay on everything as far as {spot}, and even {animal} looked {num} years older.
- ~a new cog was cut from the wood of {a:tree} by {spot}, {when}.
- “{grain:cap} first, then {grain},” said {A}, “and nobody is to touch {millpart}.”
- from the top floor {B} could see {spot} and count the {vehicle}s on the road from {Q}.
- payment was one measure in {many}, and {folk} paid in {goods} instead.
- ~the stones were dressed every {nth} month, which took {num} days and left the hands of {folk} blue.

# boats
roles: boatbuilder / ferry pilot / bargee
seasons: spring / summer / autumn
titles: The Boats of {P} / The Landing at {P} / {An} Builds a Boat / The Ferry of {P}
+ there was always {a:boat} on the slip at {P}.
+ {time}, {A} began work on {a:boat} for {folk}.
+ boats on the {R} were built broad, because the water below {spot} was shallow.
+ the ferry crossed the {R} at {spot} {num} times a day.
- {A} ran a hand along {boatpart} and found the place where the water came in, just below {a:worn} patch.
- the planks were of {timber}, bent over steam {when}.
- ~{folk} had brought {a:boat} up from {Q} with {num} inches of water in it.
- {B} cut new pegs for {boatpart}, {num} of {timber} and {num} of {timber}.
- it took {num} {group} from {Q} to turn the {boat} over, and {animal} got in the way.
- the seams were packed with tow and tarred, so that the bank as far as {spot} smelled of {smell} and {smell}.
- ~a load of {goods} for {Q} went out in the {boat} {when}.
- below {spot} the current was strong, and {A} steered with {a:worn} pole and talked of {subject}.
- “She will float,” said {A}, “but I should not put {num} {animals} in her.”
- passengers paid in coins or {produce}, except {group}, who paid in stories about {subject}.
- ~the {birds} followed the {boat} from {spot} to {spot}.
- {B} painted {boatpart} {colour}, and {folk} wanted the same colour at once.
- at low water the ribs of an old {boat} showed near {spot}, and children from {Q} climbed about on them.

# orchard
roles: orchard keeper / cider maker / gardener
seasons: autumn
titles: The Orchards of {P} / A Good Year for Apples at {P} / {An} in the Orchard / Cider at {P}
+ the orchards of {P} began at {spot} and ended only at the {R}.
+ {time}, the first {apple} were picked.
+ that autumn the trees of {P} bore as they had not done for {many} years.
- {A} set the ladder against {a:worn} post and picked {apple} until {folk} called a halt.
- ~the {apple} were laid on straw in the {shed}, no two of them touching, {when}.
- windfalls went to the {animals}, and what was left went to {folk}.
- {B} could name {many} kinds by taste, among them {apple} and {apple} that grew nowhere but by {spot}.
- the press stood in the {shed} and was turned by {num} {group} from {P} and, on bad days, {num} {animals}.
- ~wasps hung about {spot} and stung {folk} {num} times before noon.
- a graft from {Q}, set on the wood of {a:trait} neighbour’s tree, had borne {num} {apple} in its {nth} year.
- “These will not last beyond the {nth} frost,” said {A}, turning over the {apple}, “but those will see another year.”
- the juice ran brown and sweet, and {sound} was drowned by the groaning of the press {when}.
- ~{num} baskets of {apple} were set aside for {folk}, who had lent {a:worn} {vehicle}.
- under the oldest tree near {spot} somebody had left {a:worn} {thing} and some {food}.
- {A} painted the trunks with lime as high as {animal} could reach, {when}.
- the prices at {Q} were poor, so the {apple} of {P} were sliced, dried, and hung on strings in the {shed}.

# bees
roles: beekeeper / chandler / gardener
seasons: spring / summer
titles: The Bees of {P} / {An} and the Hives / Honey from {P} / A Swarm at {P}
+ {A} had {many} hives on the slope above {spot}.
+ {time}, a swarm came over the roofs of {P}.
+ the bees of {P} worked the {flower} first and the {flower} after it.
- {A} opened the {nth} hive {manner}, with a little smoke of {fuel}.
- ~the swarm had settled on {a:tree} near {spot}, and {folk} watched from a safe distance.
- honey from the {flower} was pale, honey from the {flower} was dark, and {folk} would buy only the second.
- {B} held {a:worn} basket below the branch while {A} shook it, {when}.
- ~the wax was melted in a copper pan, strained through {cloth} and poured into moulds borrowed from {folk}.
- the old straw hives were {num} years old and leaned towards {spot} like {group} after a wedding.
- “They know {animal} by now,” said {A}, “but they do not care for {smell}.”
- on still evenings one could hear the hives from {spot}, and beyond them {sound}.
- {folk} asked for a comb and got {num}, with {food}.
- ~{A} was stung {num} times that week and blamed {trouble}.
- a strip of {flower} had been sown from {spot} to {spot} at the wish of {num} {group}.
- the queen of the {nth} hive was in her last season, and {B} could hear it, or said so to {folk}.
- after {a:rain} the bees of {P} stayed in for {num} days and were in a bad temper with {animal}.

# loom
roles: weaver / dyer / draper
seasons: spring / summer / autumn / winter
titles: The Looms of {P} / {An} at the Loom / Cloth from {P} / Wool and Water at {P}
+ in {P} one heard the looms before one saw the houses.
+ {time}, {A} set up a new warp, {many} ells of {cloth}.
+ most of the {cloth} that was worn in {Q} came from {P}.
+ there were {many} looms in {P}, and {A} worked at the oldest.
- {A} threw the shuttle {manner}, and a hand’s breadth of {cloth} was done {when}.
- ~the yarn was dyed {dye} and {dye} and hung up to dry along {spot}.
- {B} carded the wool near the {shed}, {num} pounds of it, and listened to {sound}.
- an order had come for {num} lengths of {cloth} in {dye}, to be ready for the fair at {Q}.
- ~{An}’s dye vat smelled of {smell} and {smell}, and {animal} would not go near it.
- “The border should be {dye},” said {B}, but {folk} had paid for {dye}.
- a treadle broke, and {A} made a new one out of {a:worn} {thing} that had belonged to {a:who}.
- ~the finished {cloth} was washed in the {R} below {spot} and beaten by {num} {group}.
- {folk} felt the {cloth} between finger and thumb, spoke of {subject}, and paid the full price.
- there was a fault in the {nth} ell, no wider than a thread, and {A} undid {num} hours of work {when}.
- bales of it went off to {Q} on {a:worn} {vehicle}, together with {goods}.
- ~{A} taught {num} {group} to tie the weaver’s knot, and {num} of them remembered it.
- by lamplight {dye} looked like {dye}, so {folk} left the matching for the morning.

# kiln
roles: potter / tile maker / brickmaker
seasons: spring / summer / autumn / winter
titles: The Kiln at {P} / {An} and the Potters / Clay from {P} / A Firing at {P}
+ the clay of {P} was dug at {spot} and left to weather for {num} months.
+ {time}, the kiln of {P} was lit for the {nth} time that year.
+ {A} worked at a kick wheel by the window.
+ behind {spot} lay the heap of broken {pot} on which {P} was proud to stand.
- {A} threw {many} {pot} before noon and cut them off with a wire {manner}.
- ~{An}’s {pot} stood drying in the {shed} on {num} shelves, and {animal} was kept out.
- for {num} days the fire was fed with {fuel}, {folk} taking turns with {B}.
- the {glaze} ran, and {num} of the {pot} came out joined together, among them one for {folk}.
- ~nobody slept much during the firing; {group} came with {food} and sat talking about {subject}.
- {B} mixed the {glaze} by eye and was right {num} times out of {many}.
- “It wants another hour,” said {A}, looking through the spyhole, “and some more {fuel}.”
- when the door was unbricked the warmth could be felt at {spot}, and {animal} lay down in it.
- ~{num} dozen {pot} were packed in straw for {folk}, who came with {a:worn} {vehicle}.
- a pot that rang true was set on the left, a pot that did not went to {folk} at half price.
- the handles were {An}’s own invention and could be lifted by {folk} with one finger.
- ~a whole row of {pot} cracked in {a:rain}, and {A} called it {verdict}.
- {An}’s apprentices were set to {ing} until their hands were strong enough for the wheel.

# road
roles: road mender / stonemason / surveyor
seasons: spring / summer / autumn / winter
titles: The Road to {Q} / {An} and the Bridge / Repairs at {P} / The Bridge of {P}
+ the road between {P} and {Q} had been bad for {many} years.
+ {time}, work began on the bridge at {P}.
+ {roadwork:cap} had given way near {spot}.
+ it was {A} who noticed the crack, no wider than a straw, below {roadwork}.
- {A} walked the whole length from {spot} to {spot} with a measuring rod and noted {num} bad places.
- ~stone was carted from beyond {H} Hill, {num} loads a day, {when}.
- {num} {group} from {Q} came to help with {roadwork} and were paid in {food} and {drink}.
- {B} argued for {timber}, {Cn} for stone, and {folk} for leaving {roadwork} as it was.
- ~a trench was cut beside {roadwork}, and the water ran off towards {spot}.
- for {num} weeks all traffic went round by {spot}, and {a:worn} {vehicle} sank there to the hubs.
- “Gravel is only a promise,” said {A}, “and {roadwork} wants stone.”
- under the old surface they came upon {a:worn} {thing} and the paving of a road {many} times as old as {A}.
- ~the toll was raised by {num} coppers, and {folk} turned back at {spot} in protest.
- the {nth} arch was closed with a stone from {spot}, and {folk} cheered from {spot}.
- {A} set a level on {roadwork}, looked along it, and sent {num} {group} for {goods}.
- ~carts for {Q} waited in a line from {spot} to {roadwork}, and the drivers compared notes on {subject}.
- the bill came to less than {folk} had feared and was divided between {P} and {Q} in {num} parts.

# market
roles: innkeeper / corn factor / cheesemaker
seasons: spring / summer / autumn / winter
titles: Market Day at {P} / {An} Goes to Market / The Stalls of {P} / Buying and Selling at {P}
+ market day at {P} fell on every {nth} day and lasted until the lamps were lit.
+ {time}, the stalls reached as far as {spot}.
+ {A} had rented the same stall near {spot} for {many} years.
- there were {goods} from {Q}, {goods} from beyond {H} Hill, and more {produce} than anyone could want.
- {A} asked {num} coppers for the {produce} and took {num}, {when}.
- ~{folk} had come {many} miles to sell {goods} and went home with {goods}.
- {num} {animals} broke loose by {spot} and were brought back by {folk}.
- ~at the next stall {B} sold {food} and {drink} and had an opinion on {subject}.
- “Not for {num} of your {goods},” said {A}, and began to pack up {manner}.
- a man with {a:instrument} played near {spot} until {group} paid him to move on.
- ~the weights were tested by {folk}, and {num} of them were found light.
- a bargain was struck over {drink} {when}, and {B} was called as witness.
- the price of {produce} in {P} fell at noon, rose again with {a:rain}, and ended where it had begun.
- ~{folk} bought {a:worn} {thing}, thought better of it, and sold it again at {spot}.
- under the awnings it smelled of {smell}, {smell} and the {animals} of {Q}.
- what was left of the {produce} went to {folk} for a song, and the song was about {subject}.

# school
roles: schoolteacher / assistant teacher / music teacher
seasons: spring / summer / autumn / winter
titles: The School at {P} / {An} and the Pupils / Lessons at {P} / A Year at the School of {P}
+ the school at {P} had one room, {few} windows and {many} pupils.
+ {time}, the lesson was {lesson}, and {An} gave it {manner}.
+ the school stood near {spot}, and {A} had taught there for {many} years.
- {A} chalked a summary of {lesson} on the board and underlined it {few} times.
- ~the little ones from {P} sat in front with {lesson}, the big ones behind with {lesson}, and {animal} by the stove.
- a boy from {Q} knew all about {subject} but nothing whatever about {lesson}.
- {B} came in once a week to teach {lesson} and stayed for {food}.
- ~{num} of the pupils were away {ing}, and {A} pretended not to know it.
- “And what,” asked {A}, “has {subject} to do with {lesson}?”
- the inspector from {Q} listened to {lesson}, looked out at {spot}, and wrote {num} lines in a notebook.
- each child brought some {fuel} for the stove and some {food} in a cloth for {folk}.
- ~from the window one saw {spot}, which was a danger to {lesson} all through the {season}.
- the prize for {lesson} went to a girl of {young} from {Q} who meant to become {a:Brole} or {a:who}.
- {A} mended the globe with paste and painted {Q} back in where it had worn away, {when}.
- ~there was a new map, with {P} on it in letters so small that {folk} took it for a smudge.
- after {lesson} came singing, which could be heard at {spot} and drowned {sound}.

# harvest
roles: farmer / reeve / thresher
seasons: summer / autumn
titles: The Harvest at {P} / {An} Brings in the Harvest / The Fields of {P} / Threshing at {P}
+ the harvest at {P} began in {field}, as it always had.
+ {time}, {A} rubbed an ear of {grain} between {his} palms and said that it was time.
+ the {grain} in {field} stood as high as {Bn}’s youngest child, who was {num}.
- {num} {group} went into {field} in a slanting line, with {An} at the head of it.
- ~the {grain} was bound by {folk} and set up in stooks of {num}, {when}.
- {B} brought {drink} and {food} out to {field} and rang {a:worn} bell.
- a {vehicle} went over at {spot} with all its {grain}, and {folk} laughed before lending a hand.
- {time}, there were still {many} acres to cut.
- “Leave {field} until the dew is off,” said {A}, “and see to the {animals} first.”
- the gleaners came after, {num} {group} and {a:who}, and had the use of {field} until dusk, as the custom was in {P}.
- ~mice ran out of the last of the {grain} in {field}, and {Bn} saw {animal} waiting for them.
- the threshing floor was swept, wetted and beaten flat by {num} {group} {when}.
- {A} reckoned up {many} sacks of {grain} and {num} of {grain}, and wrote the figure on the {shed} door.
- ~over {field} the dust hung golden until {folk} could no longer see {spot}.
- the straw went to {folk} for thatch, the chaff to the {animals}, and the tithe of {grain} to {Q}.
- when {field} was bare {B} walked across it from {spot} and counted {many} {birds}.

# letters
roles: letter carrier / parish clerk / post rider
seasons: spring / summer / autumn / winter
titles: Letters from {Q} / {An} and the Post / The Post Round at {P} / News Comes to {P}
+ the post for {P} came by {boat} as far as {spot} and from there on foot.
+ {time}, there were {num} letters in the bag and a parcel for {folk}.
+ {A} knew every door between {spot} and {Q}.
- the {nth} letter was for {B} and concerned {news}.
- ~{A} read out the part about {news} to {folk}, who could not read.
- a card from {Q} had been {num} weeks on the way and spoke of {news} and {news}.
- “Nothing today,” said {A} at the gate of the {shed}, “but there is talk of {news}.”
- ~{folk} wished to know what it cost to send {goods} as far as {Q}.
- the answer had to be written by lamplight, {num} pages of it, about {news} and {subject}.
- {A} sheltered by {spot} {when}, and the ink on {num} envelopes ran.
- ~one envelope had no name on it, only the words: to the {trait} {who} near {spot} in {P}.
- {Cn} dictated a complaint about {trouble} and {B} made it {num} lines shorter.
- the round from {P} was {many} miles long in dry weather, and {num} miles longer after {a:rain}.
- ~{animal} met {A} every day at {spot} and went along as far as the {shed}.
- stamps were paid for in coppers or, by {folk}, in {produce}.
- there was a letter about {news}, and {B} read it {num} times, the last time aloud to {folk}.

# festival
roles: baker / innkeeper / bell ringer / bandmaster
seasons: spring / summer / autumn / winter
titles: The {season:cap} Fair at {P} / {An} Leads the Band / Dancing at {P} / The Feast of {P}
+ the fair of {P} was older than its bridge.
+ {time}, the first trestles were set up at {spot}.
+ for {num} days in {season} nobody in {P} did any work that could be avoided.
- {A} hung {many} lanterns between {spot} and the {shed}, {when}.
- ~the band of {P} had {num} players, {a:instrument} that squeaked and {a:instrument} that did not.
- {game} was won by {a:who} from {Q}, to the annoyance of {num} {group}.
- {folk} danced until {sound} could be heard again and the {birds} were awake.
- ~in {P} the long table had {food} at one end, {food} at the other, and {num} jugs of {drink} between.
- “Once more round {spot},” called {A}, “and this time with {a:instrument}!”
- the procession went from {spot} to {spot} with {num} {animals}, all of them wearing ribbons.
- ~{B} was persuaded to sing, and sang {num} verses about {subject}.
- a booth from {Q} sold {goods} and {goods}, and told fortunes about {subject}.
- {game} had to be put off because of {trouble}, to the sorrow of {folk}.
- ~{folk} fell into the {R} near {spot} and got {drink} and a dry blanket.
- the oldest {who} in {P} opened the dancing with the youngest, as had been done for {many} years.
- on the last evening {num} bonfires of {fuel} were lit along the {R}, and {folk} rowed between them.
"""
