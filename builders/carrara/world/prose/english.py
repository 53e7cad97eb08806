"""English filler prose: sentence templates by scene and theme, and the names of a section.

Slots: P, Q are villages, R a river, H a hill; A, B, C are persons: `{A}` is a name, the role or a pronoun as the
place in the paragraph allows, `{An}` the given name, `{Af}` the full name, `{Ar}` the role; `{he}`, `{his}`, `{him}`
stand for A within its sentence and `{bhe}`, `{bhis}`, `{bhim}` for B. Every other slot is a list of `english_words.py`.
A leading `~` allows a connective before the sentence.
"""

from carrara.world.language.prose_templates import Below
from carrara.world.prose import english_words as words

# `# scene`, then `+` sentences that open a paragraph and `-` sentences that continue it.
SCENES = """
# place
+ {P} lay in a bend of the {R}, {num} miles below {Q}, where {H} Hill came down almost to the water.
+ the road to {P} left the valley at {spot} and climbed for {num} miles through {trees} and bracken.
+ nobody came to {P} by accident, for the lane past {spot} led nowhere else.
+ seen from the top of {H} Hill, {P} was {few} crooked rows of roofs and the smoke of {many} chimneys.
+ {P} had {many} houses, {few} wells and one street that deserved the name.
+ travellers on the {R} usually noticed the {shed} of {P} first, and only then the houses behind it.
- the houses of {P} were built of {stone}, with {roof} roofs and doors painted {colour}.
- between {spot} and the first houses of {P} there were gardens, each with its {tree} and its water butt.
- a path ran from {spot} to {spot}, and another, known only to {group}, went round behind the {shed} of {P}.
- the air about {P} smelled of {smell} and {smell}.
- {Q} was larger and had a clock, but {P} had the better {soil}.
- the {quarter} side of {P} belonged to the {group}, and the other side to everyone else.
- at {spot}, on the road to {Q}, stood {a:tree} so old that {num} {group} could not have joined hands around it.
- the people of {P} were said to be {trait}, and those of {Q} {trait}, mostly by each other.
- on clear days one could see from {spot} as far as the roofs of {Q}, {many} miles off.
- in {season} the {birds} came to {spot}, and {P} took it for a kind of calendar.
- most of what {P} needed was made there, except {goods} and {goods}, which came by water from {Q}.
- the bell of {P} was cracked and could be heard only as far as {spot}, which everyone thought far enough.
- strangers in {P} were put up in the loft above the {shed}, where the air smelled of {smell} and the bed was {few}
  boards wide.

# person_a
+ {Af} had been {a:Arole} in {P} for {many} years and meant to be one for {num} more.
+ the work was in the hands of {Af}, {a:Arole} of the {trait}, {trait} kind.
+ everyone in {P} knew {Af}, the {Arole}, who {habit}.
+ {Af} came from a family in which every {nth} child became {a:Arole}.
+ {Af} was {a:Arole} by training and, as the neighbours put it, {trait} by nature.

# person_b
+ {Bf}, {a:Brole}, lived {num} doors away and {habit}.
+ {An} shared a yard with {Bf}, {a:Brole} whose {elder} had once owned half of {P}.
+ the nearest neighbour was {Bf}, the {Brole}, {trait} in company and {trait} at home.
+ {Bf} had come to {P} as {a:Brole} in the year of the {nth} flood and had simply stayed.

# person_c
+ then there was {Cf}, {a:Crole} from {Q}, who {habit}.
+ {Cf}, the {Crole}, rode over from {Q} every {nth} day with {goods} and opinions.
+ a third opinion could always be had from {Cf}, {a:Crole} who {habit}.

# people
- ~{A} was {trait}, {trait} and, according to {folk}, not easily surprised.
- {A} {habit}, and never saw why {folk} should find that odd.
- in {his} youth {An} had spent {num} {season}s at {Q}, {ing}.
- {An} and {Bn} had not agreed about {subject} in {many} years, and enjoyed it.
- of {his} {kin}, {A} said only that good {goods} and good manners seldom went together.
- {B} was the more {trait} of the two, and {bhe} {habit}.
- ~{B} could tell by {sound} what kind of day it would be at {spot}.
- when {Cn} talked about {subject}, {folk} moved closer to the table.
- {A} owned {a:worn} {thing}, {num} blankets and a share in the {shed}, and thought it enough.
- it was {Bn} who taught the children of {P} that {saying}.
- people said that {An} would rather {do} than sit through a speech about {subject}.
- {Cn} and {Bn} were cousins of some kind, though {folk} had once counted it out differently.

# weather
+ that {season} the weather kept {P} guessing.
+ {time}, the wind went round to the {quarter} and {growth}.
+ in {P} the {season} had begun {manner2}, with {light} and {a:rain} every {nth} day.
+ over {H} Hill and the roofs of {P} the clouds stood for {num} days without moving.
+ {spell} came early to {P} that year, and {growth} {num} days before anyone expected it.
- {growth} and the {birds} had come as far as {spot}.
- there was {light} over {spot}, and {sound} seemed to come from very near.
- in {P} the {R} rose {num} inches in {num} days.
- {A} looked at the sky above {spot}, said that it would hold, and went back to {ing}.
- the old people of {P} compared it with the {season} of the {nth} flood, and found it milder in {few} respects and
  worse in {few}.
- {a:rain} came down from {H} Hill and emptied {spot} within {num} minutes.
- ~the {birds} sat in a row near {spot} and made remarks.
- after {a:rain} the whole of {P} smelled of {smell} and {smell}.
- {B} had put {bhis} {cloths} out to air near {spot} and now had to run for them.
- the puddles at {spot} took {num} days to dry, and {animal} drank from them.
- on the {nth} morning there was a silence that woke {Bn}: not even the {R} could be heard, and {growth}.
- nobody in {P} went further than {spot} for {num} days, and {growth}.
- {folk} came in wet, asked for {drink}, and would talk of nothing but {subject}.
- by noon there was {light} on the roof of the {shed}, and {P} went out of doors again.
- “If it lasts until the end of {spell},” said {B}, “I shall be {ing} by lantern.”

# talk
+ a small dispute had arisen about {subject}.
+ {time}, a question came before the neighbours that had troubled {P} for {num} years, namely {subject}.
+ {Bn} and {Cn} fell out that {season} over {subject}.
+ it began with {trouble}, as such things in {P} usually did.
+ the quarrel between {P} and {Q} over {spot} was {many} years old and in good health.
- “I have been {ing} for {many} years,” said {B}, “and I never heard the like.”
- “You may be right about {subject},” said {A}, “but not today.”
- {Cn} held that it was {verdict}, and {Bn} that it was {verdict}.
- {A} asked for {num} days to think it over and spent them {ing}.
- ~the {group} took one side, the {group} took the other, and {folk} took notes.
- “Where I come from,” {Cn} remarked, “{saying}.”
- in the end {folk} proposed that the cost be divided into {num} parts, and {Q} paid the smallest.
- {B} brought out {a:worn} {thing} as evidence, and there was a long pause.
- ~a clerk wrote it all down {manner} and misspelled the name of {Q}.
- “Then let us ask {Cn},” somebody called from {spot}, “who has no opinion on {subject}.”
- {An} and {Bn} shook hands at {spot} {when}.
- it was agreed that {P} should have the use of {spot} in {season} and {Q} for the rest of the year.
- neither side apologised, but {num} days later {Bn} sent over some {food} and a jug of {drink}.
- “{saying:cap},” said {A}, and that closed the matter.
- ~{folk} had listened from {spot} and thought the whole affair {verdict}.
- “Who left {a:worn} {thing} at {spot}?” asked {A}, and {num} {group} looked at their boots.

# past
+ {B} liked to tell how things had been {many} years before.
+ in the time of {An}’s {elder} none of this had existed.
+ the records of {P} went back {many} years and began with {trouble}.
+ of the year of the {nth} flood, everyone in {P} had a version.
+ {A} had once meant to leave {P} for good.
- ~there had been a ferry then, and {a:who} had taken the fares at {spot} {manner}.
- a letter from {Q} had taken {num} days in those times, if {folk} did not lose it.
- {An}’s {elder} had walked to {Q} with {a:worn} {thing} on one shoulder and come back with {num} {animals}.
- in that year the {R} had come up as far as {spot}, and {P} had been supplied by {boat} for {num} weeks.
- ~{num} {group} from {Q} had spent a whole {season} {ing}, and had been paid in {food}.
- on the night when the old {shed} burned down, {folk} had come from {spot} to help.
- nothing was left of it but {a:worn} {thing}, which {B} had from {bhis} {elder}.
- {A} remembered {smell} and {smell}, and {a:trait} {who} who sang.
- at the age of {young} {A} had been sent to {Q} to learn from {a:trait} {who}.
- ~the young had stayed away after that, until {folk} opened the {shed} again.
- {B} had the story from {bhis} {elder}, who had it from {a:who} at {spot}.
- “We had {food} on feast days,” said {B}, “and {food} on all the others.”
- of {many} families in the upper lane, {num} had gone to {Q} and the rest had learned to do without {goods}.
- ~people had married late in those days and talked of little but {subject}.

# home
+ supper at {An}’s house was at dusk, whatever the time of year.
+ {An}’s kitchen was the one warm room, and it smelled of {food} and {smell}.
+ {often}, {A} ate alone, by the window that looked towards {spot}.
+ {Bn} kept a good table by the standards of {P}.
+ {time}, {A} had guests.
- {An}’s supper was {food} with {produce}, and afterwards {drink} in {num} unmatched cups.
- {animal} lay under {Bn}’s {worn} table and listened to {sound}.
- ~{A} read aloud for an hour about {subject}, and {B} fell asleep.
- on the wall hung a picture of {spot}, painted long before {trouble}.
- “Another spoonful,” said {B}, “and then tell us about {subject}.”
- {A} washed the cups, {B} dried them, and they disagreed quietly about {subject}.
- ~in {P} a fire was made with {fuel}, which burned slowly and smelled of {smell}.
- a lamp stood in the window for {folk}, expected by way of {spot}.
- the recipe for the {food} came from {An}’s {elder} in {Q} and was never written down.
- {A} mended {a:worn} {thing} by the fire while {sound} went on outside.
- the last of the {drink} was poured out {when}.
- from the bedroom one could see {spot} and, in good weather, the lamps of {Q}.
- somebody had always put aside some {food} for {folk}.
- {B} had brought {produce} wrapped in a cloth and would not hear of taking anything back.
- before going to bed {A} tried the shutters, looked out towards {spot}, and wound {a:worn} clock.

# walk
+ from {P} to {Q} was a walk of {num} hours for anyone who did not stop to talk.
+ {time}, {A} set out for {Q} with {food} for the road.
+ {B} knew the paths above the {R} better than anyone and walked them {manner}.
+ there were {few} ways over {H} Hill, and {An} liked the longest.
- the first mile went past {spot} and {spot}, where one could watch {folk} {ing}.
- beyond {spot} the path grew narrow, and {growth}.
- at the top of {H} Hill {A} sat down on a wall and ate {food} and some of the {produce}.
- {a:who} came the other way with {num} {animals} and asked about {subject}.
- the bridge over the {R} was {few} planks wide, and one of them was newer than the rest, a gift of {folk}.
- ~a signpost near {spot} gave the distance to {Q} as {num} miles, which nobody had ever checked.
- for an hour on the road to {Q} there was nothing to hear but {sound} and, once, {sound}.
- the {birds} went up from {spot} all together and came down {num} fields further on.
- ~in a barn near {Q} it was possible to wait out {a:rain} and talk to {folk}.
- {A} picked up a stone at {spot}, carried it for {num} miles, and set it on a gatepost in {Q}.
- on the way back {A} met {folk} and parted with what was left of the {food}.
- ~it was dark before the roofs of {P} showed, and {sound} led the way from {spot}.
- a dry ditch, {a:worn} gate and {num} {trees} marked the boundary between {P} and {Q}.

# yard
+ behind {An}’s house there was a yard with a pump, a wood stack and {num} hens.
+ {An} had a garden that ran down as far as {spot}.
+ {time}, {B} looked over {An}’s garden wall.
+ the animals of {P} had habits of their own.
- ~{A} had {num} rows of {vegetable} and a border of {flower}.
- {animal} had found a way in from {spot} and slept among the {flower}.
- ~{B} leaned on the fence, spoke of {subject}, and took home some {produce}.
- {An}’s hens laid where they pleased, once in {a:worn} {thing} and once under {a:worn} {vehicle}.
- {num} of the {animals} belonged to {folk} and were only being fattened there.
- ~{A} had planted {a:tree} by the gate in the year of the {nth} flood, and it now gave shade to half the yard.
- a scarecrow in {An}’s old coat stood near the {tree} and frightened nobody but {folk}.
- “Somebody has been at the {produce} again,” said {An}, looking hard at {animal}.
- the well in the yard was {many} feet deep and had given out only once, {num} years before, as everyone in {P}
  remembered.
- ~{A} burned the prunings near {spot}, and the smoke sent {folk} home early.
- the goose that {Cn} had brought from {Q} chased {folk} as far as {spot}.
- ~on {Bn}’s line hung {num} {cloths}, and {sound} came over the wall.

# detail
- {sound} came across from {spot}, stopped, and began again {num} fields away.
- ~{animal} crossed the yard of the {shed} {gait}, on the way to {spot}.
- somewhere behind {spot} there was {sound}, and under it {sound}.
- ~one could see {folk} {ing} not far from {spot}.
- a smell of {smell} and {smell} hung about the {shed} of {P} for {num} days.
- {a:worn} {thing} stood by {spot}, and nobody in {P} could say whose it was.
- “{saying:cap},” said {folk}.
- the {birds} had found {spot} again, and {growth}.
- ~{folk} went by with {a:worn} {vehicle} and a dog.
- {B} came past with some {food}, said a word about {subject}, and went on to {spot}.
- ~there was {light} on {spot} and on the {side} wall of the {shed}.
- in {P} they still say that {saying}.
- {Cn} was of the opinion that {saying}.
- ~a child from {Q} sat at {spot} and ate {food}.
- {often}, one could find {B} at {spot}, {ing}.
- ~the door of the {shed} had been left open, and {animal} was looking out towards {spot}.
- by then the talk at {spot} had moved on to {subject}.
- {B} had other things to see to, among them {trouble}.

# closing
+ so the {season} went on in {P}.
+ {time}, it was all finished, and {P} could think of other things.
+ {time}, that was how matters stood in {P}.
+ looking back, {B} thought that it had been a good year for {P}.
- {A} put {a:worn} {thing} back by the door and stood for a while looking towards {spot}.
- ~the lamps of {P} were lit one after another, {num} along the {R} and the rest below {H} Hill.
- the {shed} was locked, the {animals} were fed, and {folk} had gone home by way of {spot}.
- “We shall see what the next {season} brings,” said {A}, and went in to {food} and {drink}.
- ~{B} walked as far as {spot} with {folk} and came back alone.
- nothing had been settled about {subject}, but nobody in {P} lost sleep over it.
- ~{sound} went on for a little by {spot}, then only the {R} could be heard.
- in {Q}, {a:who} and {num} {group} had already begun to tell it in another way.
- {A} slept for {num} hours and woke to {sound} and {light}.
- {Bn} would be {ing} in the morning, and {ing} after that.
- over {spot} there was {light}, and {growth}.
"""

_GIVEN_STARTS = words.GIVEN_STARTS.split()
_GIVEN_MIDDLES = words.GIVEN_MIDDLES.split()
_FAMILY_STARTS = words.FAMILY_STARTS.split()
_FAMILY_ENDS = words.FAMILY_ENDS.split()
_PLACE_STARTS = words.PLACE_STARTS.split()
_PLACE_MIDDLES = words.PLACE_MIDDLES.split()
_PLACE_ENDS = words.PLACE_ENDS.split()
_RIVER_ENDS = words.RIVER_ENDS.split()
_GIVEN_ENDS = {pronoun: ends.split() for pronoun, ends in words.GIVEN_ENDS.items()}
PRONOUNS = {"she": ("she", "her", "her"), "he": ("he", "his", "him")}
GIVEN_NAMES = len(_GIVEN_STARTS) * len(_GIVEN_MIDDLES) * len(_GIVEN_ENDS["she"])
PLACE_NAMES = len(_PLACE_STARTS) * len(_PLACE_MIDDLES) * len(_PLACE_ENDS)


def given_name(number: int, pronoun: str) -> str:
    """Name `number` of GIVEN_NAMES."""
    rest, end = divmod(number, len(_GIVEN_ENDS["she"]))
    start, middle = divmod(rest, len(_GIVEN_MIDDLES))
    return _GIVEN_STARTS[start] + _GIVEN_MIDDLES[middle] + _GIVEN_ENDS[pronoun][end]


def place_name(number: int) -> str:
    """Name `number` of PLACE_NAMES."""
    rest, end = divmod(number, len(_PLACE_ENDS))
    start, middle = divmod(rest, len(_PLACE_MIDDLES))
    return _PLACE_STARTS[start] + _PLACE_MIDDLES[middle] + _PLACE_ENDS[end]


def person(number: int, role: str, letter: str, below: Below) -> dict[str, str]:
    """The slots of person `letter`, whose given name has the number `number`."""
    pronoun = ("she", "he")[below(2)]
    family = _FAMILY_STARTS[below(len(_FAMILY_STARTS))] + _FAMILY_ENDS[below(len(_FAMILY_ENDS))]
    given = given_name(number, pronoun)
    small = {"A": "", "B": "b", "C": "c"}[letter]
    nominative, possessive, objective = PRONOUNS[pronoun]
    return {
        f"{letter}n": given,
        f"{letter}f": f"{given} {family}",
        f"{letter}r": f"the {role}",
        f"{letter}role": role,
        f"{small}he": nominative,
        f"{small}his": possessive,
        f"{small}him": objective,
    }


def river_and_hill(below: Below) -> tuple[str, str]:
    """A river's and a hill's name: not unique, there are only some hundreds."""
    river = _PLACE_STARTS[below(len(_PLACE_STARTS))] + _RIVER_ENDS[below(len(_RIVER_ENDS))]
    hill = _PLACE_STARTS[below(len(_PLACE_STARTS))] + _PLACE_MIDDLES[below(len(_PLACE_MIDDLES))]
    return river, hill
