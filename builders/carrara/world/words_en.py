"""English word material of the filler prose: phrases that fit one grammatical place each.

An entry may hold slots of its own (`{spot}`, `{a:sky}`); `prose.py` says how the text is read. Every release that
uses this prose pins it: an edit changes every section, and the golden digests of the tests with it.
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
