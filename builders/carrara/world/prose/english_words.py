"""The word material of the English filler prose: themes with their sentence templates, and lists of phrases.

A phrase fits one grammatical place and may hold slots of its own (`{spot}`, `{a:sky}`); `english.py` explains the slots
of a template, `prose_templates.py` reads the text. Must not change: an edit changes every section of every release that
uses this prose, and the golden digests of the tests with it.
"""

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


SEASONS = ("spring", "summer", "autumn", "winter")

# `name: phrase / phrase`; `name.season:` holds the phrases of one season.
WORDS = """
season.spring: spring
season.summer: summer
season.autumn: autumn
season.winter: winter
spell.spring: the thaw / the lambing / the sowing / the spring floods / the apple blossom / the hedge laying / the
    spring cleaning / the planting / the lengthening days
spell.summer: the haymaking / the long dry spell / the shearing / the warm weather / the bean picking / the light
    evenings / the currant picking / the low water / the heat
spell.autumn: the apple picking / the autumn gales / the ploughing / the walnut gathering / the leaf fall / the cider
    making / the October fogs / the digging of the turnips / the shortening days
spell.winter: the hard frost / the long snow / the short days / the threshing / the ice / the wood cutting / the winter
    repairs / the mending season / the dark evenings
rain.spring: shower of hail / warm rain / high wind / flood / late frost / thunderstorm / squall / downpour
rain.summer: thunderstorm / squall / hot wind / dry wind / short shower / hailstorm / cloudburst / sea mist
rain.autumn: gale / night frost / bank of fog / cold rain / hard shower / storm from the west / squall / mist
rain.winter: snowfall / hard frost / blizzard / freezing fog / squall of sleet / snowstorm / bitter wind / gale
sky.spring: mild / showery / bright / windy / misty / raw / grey / blustery / clear / damp
sky.summer: hot / close / cloudless / still / hazy / bright / sultry / golden / dusty / breathless
sky.autumn: foggy / wet / golden / chilly / blustery / brown / dripping / quiet / dull / smoky
sky.winter: frosty / iron-grey / snowy / bitter / still / dark / white / raw / windless / freezing
birds.spring: swallows / larks / lapwings / cuckoos / thrushes / curlews / chaffinches / house martins
birds.summer: swifts / swallows / goldfinches / warblers / wagtails / turtle doves / herons / kestrels
birds.autumn: starlings / wild geese / fieldfares / jays / rooks / wood pigeons / plovers / magpies
birds.winter: rooks / robins / crows / redwings / sparrows / wild ducks / owls / gulls
growth.spring: the primroses were out / the willows had turned yellow / the nettles were knee-high / the blackthorn was
    in flower / the ash buds were still black / the young barley showed green / the violets had opened / the hawthorn
    was in leaf / the rooks had begun to build
growth.summer: the poppies were open / the lime trees hummed / the thistles stood shoulder-high / the wheat was turning
    colour / the elder was in flower / the grass had burned brown / the cherries were ripe / the honeysuckle smelled
    strongest / the nettles had gone to seed
growth.autumn: the brambles were black with fruit / the beeches had turned copper / the bracken lay flat / the hips
    were red in the hedges / the ivy was in flower / the mushrooms were up / the poplars stood bare / the stubble was
    pale / the acorns were falling
growth.winter: the branches were furred with ice / the furrows were full of snow / the reeds stood stiff and white /
    the holly was red with berries / the first snowdrops showed / the hazel catkins hung still / the lanes were hard as
    iron / the ponds bore the weight of a child / the moss was the only green thing
produce.spring: spring onions / early lettuces / radishes / seed potatoes / eggs / young nettles / rhubarb / cress
produce.summer: cherries / broad beans / currants / new potatoes / peas / gooseberries / cucumbers / soft cheeses
produce.autumn: pears / walnuts / pumpkins / turnips / late plums / leeks / apples / hazelnuts
produce.winter: cabbages / dried beans / parsnips / salt fish / onions / smoked sausages / beetroots / dried pears
light.spring: a washed, uncertain light / a long yellow evening light / light that came and went with the clouds / a
    glow the colour of milk / a thin sun
light.summer: white noonday light / a brightness that would not end / a heavy golden light / a glare without a shadow /
    a sky like polished tin
light.autumn: low amber light / a grey glimmer / a brown dusk / a sun as pale as a plate / slanting light full of dust
light.winter: a blue light off the snow / a short yellow gleam / a small red sun / light the colour of pewter / a lamp
    in every second window
num: two / three / four / five / six / seven / eight / nine / ten / eleven / twelve / fourteen / fifteen / sixteen /
    eighteen / twenty
many: twelve / fourteen / fifteen / sixteen / seventeen / eighteen / nineteen / twenty / twenty-two / twenty-four /
    twenty-six / thirty / thirty-one / thirty-five / forty / forty-three / fifty
nth: second / third / fourth / fifth / sixth / seventh / eighth / ninth / tenth
quarter: north / south / east / west
vegetable: beans / leeks / carrots / onions / peas / turnips / kale / parsnips / marrows / celery
side: north / south / east / west / front / back
shed: cart shed / goose house / bakehouse / smithy / malt house / schoolroom / weighhouse / boathouse / dairy / cider
    house / drying loft / tannery / toll house / wash house / lambing shed / granary / ropewalk / woodshed / brewhouse
    / meeting hall / wool loft / hay barn / stable / tile works
spot: the lower bridge / the well / the drying ground / the mill race / the stile / the far bank / the orchard wall /
    the toll gate / the common / the upper lane / the ford / the quarry path / the washing steps / the old lime pit /
    the goose green / the landing stage / the crossroads / the sheepfold / the water meadow / the long hedge / the
    horse trough / the alder grove / the boundary stone / the saw pit / the causeway / the chestnut avenue / the clay
    bank / the footbridge / the sluice / the weir / the pound / the threshing floor / the market cross / the south gate
    / the duck pond / the sunken lane / the beech hanger / the gravel bar / the cattle bridge / the hop garden
worn: old / borrowed / battered / plain / second-hand / sturdy / ill-made / much-used / handsome / spare / heavy /
    lopsided / scratched / painted / narrow / weathered
thing: bucket / lantern / kettle / garden rake / stool / ladder / basket / bench / wheelbarrow / cupboard / clock /
    churn / hay fork / trestle / saddle / harrow / brass bell / trough / bellows pipe / window frame / cradle / yoke /
    feed bin / copper pan / oil lamp / axle / weather vane / signboard / garden seat / pump handle / mangle /
    grindstone
vehicle: cart / wagon / sledge / handcart / barrow / dray
boat: punt / barge / skiff / rowing boat / lighter / ferry
goods: baskets / brooms / roof tiles / blankets / barrels / earthenware jugs / bundles of reed / sacks of lime / oak
    boards / coils of rope / wicker hurdles / bales of wool / wooden spoons / firkins of butter / fleeces / slates /
    bags of seed / cheeses / candles / crates of bottles / willow chairs / horse collars / ploughshares / lengths of
    linen
cloths: blankets / sacks / sailcloths / rugs / quilts / horse cloths / curtains / nets
blades: scythes / sickles / chisels / bread knives / plane irons / shears / billhooks / spades
fuel: peat / split ash / faggots / dry bracken / pine logs / birch bark / driftwood / old fence posts
animals: oxen / goats / mules / cows / ponies / calves / sheep / cart horses
animal: a grey cat / the baker’s dog / an elderly mare / a brindled cow / a lame goose / a yellow dog / the carrier’s
    mule / a one-eyed tomcat / a stray kid / the smith’s terrier / a broody hen / a piebald pony / a thin greyhound /
    an ill-tempered gander / a white goat / a blind sheepdog
food: barley bread / onion broth / smoked eel / pear butter / bean soup / cold mutton / rye cakes / soft cheese /
    pickled plums / oatmeal / fried perch / leek pie / honey cake / buttermilk / boiled bacon / potato dumplings /
    cabbage and dripping / hard cheese / stewed apples / toasted bread / pea pudding / mushrooms on toast / chestnut
    porridge / ginger biscuits
drink: mint tea / small beer / perry / hot milk / cider / elderflower water / barley water / weak tea / black coffee /
    warm ale
smell: woodsmoke / wet wool / tar / warm bread / sawdust / lamp oil / drying herbs / river mud / new rope / horse
    blankets / beeswax / damp stone / cold iron / hot pitch / leather / yeast / soap / chalk dust / wet dog / crushed
    mint / linseed oil / fresh paint / old books / malt
sound: the knock of a mallet / the creak of a cart / the sound of someone sweeping / a slow handbell / the scrape of a
    chair / the grinding of a wheel / a child practising scales / the slap of wet linen / the ring of an anvil / the
    gossip of geese / the rasp of a saw / a pump being worked / the rattle of shutters / the barking of one far-off dog
    / the drip of a gutter / a man calling cattle / the clatter of pans / somebody laughing / the thud of a loom / a
    boat being bailed
manner: without hurry / with great care / in silence / half asleep / with the air of a host / in excellent spirits /
    rather against the grain / as if it were a feast day / with cold hands / with more patience than skill / after some
    grumbling / to general surprise / in a borrowed coat / with one eye on the clouds / out of plain curiosity / as the
    custom required / with surprising speed  / in the old-fashioned way
kin: sister / brother / uncle / aunt / cousin / grandmother / grandfather / nephew / niece / godmother / father-in-law
    / youngest child / eldest child
trait: patient / stubborn / soft-spoken / talkative / methodical / cheerful / absent-minded / frugal / short-sighted /
    quick-witted / unhurried / exacting / shy / generous / blunt / superstitious / sceptical / punctual / inquisitive /
    good-humoured / restless / forgetful
habit: hummed at work / counted everything twice / never wore a hat / talked to the animals / whistled out of tune /
    drew plans in the dust / disliked being thanked / rose before anyone else / answered questions with proverbs / lent
    tools too easily / read aloud at meals / walked with a slight limp / could not pass a bookstall / carried string in
    every pocket / laughed at bad news / wrote with the left hand / slept through every storm / had never learned to
    swim / spoke to strangers as if to cousins / took snuff at awkward moments
who: old carter / pedlar with a bad knee / retired ferry pilot / surveyor / travelling tinker / stonecutter / widow in
    a blue shawl / young apprentice / cattle dealer / seed merchant / piano tuner / roof thatcher / charcoal burner /
    bookbinder / visiting cousin / drover / girl of about twelve / boy with a fishing rod / clockmaker / basket weaver
    / tax clerk / lodger from the inn / well digger / horse doctor / umbrella mender / chair maker
group: carters / schoolchildren / masons / net makers / reapers / bargemen / apprentices / neighbours / carpenters /
    musicians / shepherds / washerwomen / pedlars / cousins / brothers / sisters / ditchers / thatchers
folk: {a:who} from {Q} / {a:trait} {who} / {a:who} and {a:animalnoun} / {num} {group} from {Q} / {num} {trait} {group}
    / {a:who} and {num} {group} / {a:who} on the way to {Q} / {a:trait} {who} and {a:who} / {num} {group} with {a:worn}
    {vehicle} / {a:who} carrying {a:worn} {thing}
animalnoun: dog / donkey / tame jackdaw / goat / puppy / mule / small terrier / pony
trouble: a broken axle / a leak in the roof of the {shed} / a lame horse / a blocked drain / a quarrel over {goods} / a
    shortage of {fuel} / a fire in the chimney of the {shed} / a runaway {vehicle} / a mistake in the accounts / a bad
    batch of {drink} / a swarm of wasps / a fallen elm across {spot} / a late delivery of {goods} / a cracked beam in
    the {shed} / a misunderstanding about {goods} / a lost wheel / a collapsed bank at {spot} / a missing ox
subject: the price of {goods} / the state of the road past {spot} / the height of the river / the best way to cook
    {produce} / the new roof of the {shed} / the wedding at {Q} / a dispute about {spot} / the health of {a:kin} / the
    old flood mark at {spot} / the weather in the year of the {nth} flood / the loss of {a:worn} {vehicle} / the price
    that {produce} would fetch in {Q} / the proper depth of a well / the {birds} / a journey that {a:who} had once made
    / the cost of {fuel} / the manners of {group} / the cure of chilblains / the sale of the {shed} / the boundary by
    {spot}
time: in the {nth} week of {spell} / on the {nth} morning after the {rain} / towards the end of {spell} / {num} days
    before the end of {spell} / one {sky} morning / late on {a:sky} afternoon / early on {a:sky} day / on the evening
    of the {rain} / in the middle of {spell} / {num} days after the {rain} / at the start of {spell} / between {spell}
    and the {nth} market day / on the {nth} day of {spell} / soon after the {rain} / on the night before the {nth}
    market day / one {sky} evening in {spell} / that {season}, some {num} days into {spell}
often: on {sky} mornings / most evenings during {spell} / on {sky} days / whenever the wind blew from {spot} / on
    market days / during {spell} / at dusk / every {nth} day / on the way home from {spot} / after supper / before
    first light / in the slack hours after noon / on days of rest / for as long as {spell} lasted / whenever there was
    {a:rain}
when: when the {birds} had gone from {spot} / before the {nth} {rain} of the {season} / while {folk} looked on from
    {spot} / as soon as the {animals} had been fed / before {folk} had finished {ing} / after {trouble} had held
    everyone up near {spot} / by the time {growth} / just as {folk} came up from {spot} / although {a:rain} was on its
    way / at about the time when {growth} / long before anyone at {spot} was awake / in the same week as {trouble} /
    once the {shed} had been swept and aired / while {sound} carried over from {spot} / between {ing} and supper /
    within sight of {spot}
tail: and {folk} stopped at {spot} to look / and {sound} could be heard from {spot} / so that even {animal} kept away
    from {spot} / and the {birds} settled again near {spot} / and nobody at {spot} gave it another thought / which
    pleased {folk} / and {folk} talked of it all the way to {spot} / while {animal} slept by the door of the {shed} /
    and the whole lane as far as {spot} smelled of {smell} / to the evident relief of {folk} / and there was time left
    over for {ing} / and that, as {folk} remarked, was that / which nobody had managed since {trouble} {num} years
    before / and {growth} before it was mentioned again
stone: grey stone / flint / brick and timber / yellow limestone / clay and straw / river cobbles / dark slate / tarred
    boards / red sandstone
roof: thatched / slate / tiled / shingled / turf / reed
colour: green / blue / ox-blood red / white / brown / yellow / grey / black
tree: pear tree / walnut tree / lime tree / mulberry tree / elm / chestnut tree / oak / willow / quince tree / ash
trees: elms / alders / birches / pines / oaks / hazels / beeches / poplars / thorn trees
timber: oak / elm / larch / ash / pine / alder / acacia / beech
soil: soil / water / view / pasture / clay / bread / footpaths / inn / air / gardens
manner2: badly / gently / with a surprise / late / early / quietly / in a bad temper
millpart: the sluice gate / the great wheel / the upper stone / the hopper / the drive shaft / the flour chute / the
    pit wheel / the sack hoist / the damsel / the brake / the stone crane
grain: rye / barley / wheat / oats / spelt / buckwheat / maslin
boatpart: the keel / the rudder / the stern post / the gunwale / the {nth} plank / the mast step / the tiller / the bow
    / the transom / the bilge
apple: russets / pippins / codlins / bitter cider apples / long-keeping pears / butter pears / quinces / yellow plums /
    cooking apples / medlars
flower: clover / lime blossom / heather / thyme / borage / bean blossom / willowherb / sainfoin
cloth: twill / linen / serge / flannel / sacking / plain woollen cloth / ticking / fustian / drugget
dye: madder red / weld yellow / walnut brown / woad blue / oak-gall black / moss green / onion-skin gold
pot: milk pans / jugs / plates / roof finials / pickling crocks / chimney pots / bowls / pitchers / flower pots / pie
    dishes / ink pots / ridge tiles
glaze: ash glaze / lead-free slip / honey-coloured glaze / green glaze / salt glaze / white slip / iron-brown glaze
roadwork: the culvert / the camber / the {nth} milestone / the kerb / the retaining wall / the worst rut / the drain /
    the ramp of the bridge / the handrail / the passing place
lesson: long division / the rivers of the region / spelling / the parts of a flower / handwriting / the history of {Q}
    / the points of the compass / weights and measures / the names of the winds / the phases of the moon / drawing from
    life / the {nth} chapter of the reader
field: the long acre / the wet meadow / the ten-acre field / the field below {spot} / the top pasture / the strip
    beside {spot} / the glebe / the corner field
news: the birth of a child / a change of address / a broken engagement / the price of {produce} / a death in the family
    / a cure for coughs / the purchase of {a:worn} {vehicle} / {trouble} / a new position / the loan of {num} {goods} /
    a journey by {boat} / the sale of some {animals}
instrument: fiddle / drum / concertina / clarinet / bagpipe / trumpet / flute / hurdy-gurdy
game: the sack race / the tug of war over the {R} / the cheese rolling / the log sawing / the boat race / the egg and
    spoon race / the wrestling / the match of skittles / the climbing of the greased pole
few: two / three / four / five
young: nine / ten / eleven / twelve / thirteen / fourteen
elder: grandmother / grandfather / aunt / uncle / godmother / great-aunt / great-uncle / stepfather
gait: slowly / with dignity / in no hurry / at a trot / limping a little / as if by invitation / with a show of
    indifference / on stiff legs / one step at a time / sniffing at everything
named_spot: the upper lane of {P} / the road to {Q} / {An}’s garden wall / {Bn}’s gate / the pastures above {P} / the
    first houses of {P} / the {P} side of the {R} / the corner by {Cn}’s old house / the footpath to {Q} / {spot} in
    {P} / {spot} on the {Q} side / the lane behind {Bn}’s house / the fields between {P} and {Q} / the last house in
    {P} / the bench outside {An}’s door / the {Q} turning
named_folk: {Bn} and {a:who} / {num} {group} from {Q} / {Cn} and {num} {group} / {a:who} from {Q} / {An}’s {elder} /
    {Bn}’s {kin} and {a:who} / {Cn} and {a:trait} {who} / {num} {trait} {group} from {Q} / {a:trait} {who} from {Q} /
    half of {P} / {num} {group} and {Bn} / {a:who} on the way to {Q} / {Cn}’s {kin} and {num} {group}
named_when: while {Bn} was {ing} / before {Cn} had finished {ing} / as soon as {Bn} came back from {spot} / on the day
    when {Cn} rode over from {Q} / after {Bn} had sent word to {Q} / in the same week as {Bn}’s quarrel with {a:who} /
    much as {Bn} had foretold / as {Cn} had advised / while {An} and {Bn} were talking about {subject} / on the very
    day when {a:who} left for {Q} / before the news reached {Q}
named_subject: the price of {goods} in {Q} / {Bn}’s plan for the {shed} / the new {shed} at {Q} / the wedding of {Cn}’s
    {kin} / what {Bn} had said about {goods} / {Cn}’s old quarrel with {a:who} / the state of the road between {P} and
    {Q} / {An}’s youth in {P} / {Bn}’s {kin} and the {animals} / the distance from {P} to {Q} / {Cn}’s opinion of {P} /
    the people of {Q}
named_time: on the day when {Cn} came over from {Q} / {num} days after {Bn} had been to {Q} / on the {nth} market day
    at {Q} / {num} days before the fair at {Q} / one {sky} morning, when {Bn} was {ing} / on {a:sky} afternoon when
    {Cn} was away in {Q} / in the {nth} week of {spell}, when half of {P} was {ing}
verdict: not worth the candle / better than it looked / a sensible arrangement / no great loss / the work of a beginner
    / good enough for the purpose / a matter of habit / a lucky accident / the best bargain of the {season} / nobody’s
    fault / more trouble than it saved / sound but ugly / a year too late / very nearly right
saying: a wet {season} teaches patience / {produce} never waited for anyone / {a:worn} {thing} is soonest missed / you
    cannot hurry {animals} / good {goods} want no praise / the road past {spot} is always longer going home / {drink}
    settles more than any court / {group} see most and say least / cheap {goods} are dear by {season} / one {who} is
    company and two are a meeting / a {shed} is only as dry as its gutters / {fuel} will warm you twice, once in the
    carrying
opener: as it happened / in those days / by and by / as usual / to be sure / in the meantime / before long / that year
    / at such times / by all accounts / strange to say / for the most part / now and then / in the ordinary way / as
    far as anyone could remember / in the end / if the neighbours could be believed / not long afterwards / {time} /
    {time} / {time} / {time} / {time} / {time} / {time} / {time} / according to {a:trait} {who} / to the surprise of
    {folk} / with {trouble} still on everyone’s mind / for {num} weeks together / since {growth} / as {growth} / once
    {growth} / for reasons that {folk} never understood / with {spell} so near / as {a:who} recalled / in the opinion
    of {folk} / after {num} dull days
role: miller / potter / weaver / carter / blacksmith / schoolteacher / beekeeper / shepherd / joiner / baker / cooper /
    thatcher / saddler / stonemason / surveyor / parish clerk / net maker / rope maker / gardener / midwife / glazier /
    wheelwright / cheesemaker / innkeeper / dyer / basket maker / tanner / chandler
"""

# Infinitive, past, gerund, object: the lists `do`, `did` and `ing`.
JOBS = """
mend / mended / mending / {a:worn} {thing}
patch / patched / patching / the roof of the {shed}
sweep / swept / sweeping / the floor of the {shed}
whitewash / whitewashed / whitewashing / the {side} wall of the {shed}
rehang / rehung / rehanging / the door of the {shed}
clear / cleared / clearing / the ditch behind the {shed}
carry / carried / carrying / water to the {animals}
split / split / splitting / logs for the {shed} stove
count / counted / counting / the {goods} for the {nth} time
sharpen / sharpened / sharpening / the {blades}
scrub / scrubbed / scrubbing / the steps of the {shed}
stack / stacked / stacking / {fuel} against the {side} wall of the {shed}
haul / hauled / hauling / gravel to {spot}
dig out / dug out / digging out / the drain beside {spot}
lead / led / leading / the {animals} past {spot}
trim / trimmed / trimming / the hedge near {spot}
load / loaded / loading / {a:worn} {vehicle} with {goods}
paint / painted / painting / the shutters of the {shed}
oil / oiled / oiling / the hinges of the {shed} door
measure / measured / measuring / the {side} side of the {shed}
air / aired / airing / the {cloths} in the {shed}
tar / tarred / tarring / the seams of {a:worn} {boat}
replace / replaced / replacing / the {nth} step of the {shed} stair
sort / sorted / sorting / {produce} in the {shed}
fetch / fetched / fetching / {fuel} from {spot}
wait / waited / waiting / for news at {spot}
sell / sold / selling / {produce} near {spot}
rub down / rubbed down / rubbing down / the {animals} after the climb from {spot}
"""

# Names are start + middle + end, so that the full product is pronounceable and no two products are equal.
GIVEN_STARTS = """
Al Ar Bel Ber Bran Cal Cor Dar Del Dor El Em Er Fal Fen Gal Gar Hal Har Hel Il Is Jor Kel Ker Lan Lor Lu Mal Mar Mer
Mir Nal Ner Nor Ol Or Per Pol Quel Ran Rel Ros Sal Sel Ser Sor Tal Tam Ter Tor Ul Val Ver Vol Wil Wen Yel Yor Zel
"""
GIVEN_MIDDLES = """
ab ad am an av ed eb em en ev ib id im in iv ob od om on ov ud um un and end ind ond ant ent int ont usk esk isk ast
est ist ost arn orn
"""
GIVEN_ENDS = {
    "she": "a ia elle ine ora ise ira eth ina ona ela issa",
    "he": "o us er ric or el and on ik ar em iel",
}
FAMILY_STARTS = """
Ash Bram Carl Dun Elm Farn Garth Hal Ivel Jess Kirt Lam Mos Nest Oaken Penn Quin Rad Selk Thorn Under Vand Whit
Yar Tarn Stav Rusk Oster Morr Lind Hask Gren Fold Eld Drey Cress Brin Arl
"""
FAMILY_ENDS = """
by combe den er ey field gate ham ick ing ley low man mere more ock ridge sell shaw son stead ton vale wold worth
wright
"""
PLACE_STARTS = """
Ab Ald Am Ard Bar Bel Bor Bram Cald Cam Car Cold Cor Dal Dar Dol Dun Eb Eld Em Fal Far Fen Gal Gild Gor Had Hal Hol
Hun Ib Ing Kal Kel Kin Lam Lan Led Lor Mar Mel Mor Nar Nen Nor Od Orl Ost Pad Pel Por Rad Ran Rid Ros Sal Sed Sel
Sor Tad Tan Tel Tor Ul Ur Val Ven Wad Wal Wen Wil Yar Yel Zan
"""
PLACE_MIDDLES = """
a am an ar e el em en er i il in ing o ol on or um un ur
"""
PLACE_ENDS = """
beck bourne bridge bury by combe croft dale den fell field fold ford garth gate ham haven holm holt hurst leigh ley
mead mere minster more mouth ness port stead stoke stow thorpe toft ton vale wade well wick wold worth
"""
RIVER_ENDS = """
a ane el en ent er ese in ith orn ow une
"""
