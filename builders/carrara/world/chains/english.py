"""English wordings of the chains of facts: literals only, which the writer of chains and the solver of the task share.

By "<class> <relation>" ("person" where the three classes of persons share a relation): `facts`, the sentences which
state that `{b}` is the relation of `{a}`; `of`, what `{b}` is called by way of `{x}`; `asked`, the question for `{b}`;
`back` and `back_asked`, the same from `{b}` to an `{a}` that it has alone. `{x}` ends its wording, so that a question
over five hops reads from left to right. A name that does not show its class stands there as `CALLED` says. No sentence
of one relation may read as one of another: a test holds this. A change of any of them changes every row that holds it.
"""

from typing import Final

CALLED: Final[dict[str, str]] = {
    "mean_of_transportation": "the vehicle {x}",
    "natural_place": "the natural place {x}",
    "animal": "the animal {x}",
    "plant": "the plant {x}",
    "album": "the album {x}",
    "film": "the film {x}",
    "written_work": "the book {x}",
}
WORDINGS: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "person birth_place": {
        "facts": (
            "{a} was born in {b}.",
            "The birthplace of {a} was {b}.",
            "It was in {b} that {a} was born.",
            "{a} came into the world in the village of {b}.",
        ),
        "of": ("the birthplace of {x}", "the village that was the birthplace of {x}"),
        "asked": ("Which village was the birthplace of {x}?", "What was the birthplace of {x}?"),
        "back": ("the person born in {x}",),
        "back_asked": ("Who was born in {x}?",),
    },
    "person father": {
        "facts": (
            "{b} was the father of {a}.",
            "The father of {a} was {b}.",
            "The family register names {b} as the father of {a}.",
        ),
        "of": ("the father of {x}",),
        "asked": ("Who was the father of {x}?", "What was the name of the father of {x}?"),
        "back": ("the child of {x}", "the child whose father was {x}"),
        "back_asked": ("Who was the child of {x}?",),
    },
    "person mother": {
        "facts": (
            "{b} was the mother of {a}.",
            "The mother of {a} was {b}.",
            "The family register names {b} as the mother of {a}.",
        ),
        "of": ("the mother of {x}",),
        "asked": ("Who was the mother of {x}?", "What was the name of the mother of {x}?"),
        "back": ("the child of {x}", "the child whose mother was {x}"),
        "back_asked": ("Who was the child of {x}?",),
    },
    "person spouse": {
        "facts": (
            "{a} was married to {b}.",
            "The spouse of {a} was {b}.",
            "{a} and {b} were husband and wife.",
        ),
        "of": ("the spouse of {x}", "the person married to {x}"),
        "asked": ("Who was the spouse of {x}?", "Who was married to {x}?"),
    },
    "person education": {
        "facts": (
            "{a} was educated at {b}.",
            "{a} was once a student at {b}.",
            "The place where {a} studied was {b}.",
        ),
        "of": ("the school or college attended by {x}", "the alma mater of {x}"),
        "asked": ("Which school or college was attended by {x}?", "What was the alma mater of {x}?"),
        "back": ("the person educated at {x}", "the former student of {x}"),
        "back_asked": ("Who was educated at {x}?", "Who was a student at {x}?"),
    },
    "person residence": {
        "facts": (
            "{a} lived in {b}.",
            "{a} had a home in {b}.",
            "{a} was a resident of {b}.",
            "The home of {a} stood in the village of {b}.",
        ),
        "of": ("the place of residence of {x}", "the village of residence of {x}"),
        "asked": ("Which village was the place of residence of {x}?", "What was the place of residence of {x}?"),
        "back": ("the person who lived in {x}",),
        "back_asked": ("Who lived in {x}?",),
    },
    "artist teacher": {
        "facts": (
            "{a} was taught by {b}.",
            "{a} was a pupil of {b}.",
            "The teacher of {a} was {b}.",
            "{a} took lessons from {b}.",
        ),
        "of": ("the teacher of {x}", "the person who taught {x}"),
        "asked": ("Who was the teacher of {x}?", "Who taught {x}?"),
        "back": ("the artist taught by {x}", "the pupil of {x}"),
        "back_asked": ("Which artist was taught by {x}?", "Who was the pupil of {x}?"),
    },
    "athlete coach": {
        "facts": (
            "{a} was coached by {b}.",
            "The coach of {a} was {b}.",
            "{a} trained under {b}.",
        ),
        "of": ("the coach of {x}", "the person who coached {x}"),
        "asked": ("Who was the coach of {x}?", "Who coached {x}?"),
        "back": ("the athlete coached by {x}", "the athlete trained by {x}"),
        "back_asked": ("Which athlete was coached by {x}?", "Which athlete was trained by {x}?"),
    },
    "office_holder successor": {
        "facts": (
            "{a} was succeeded in office by {b}.",
            "{b} followed {a} in office.",
            "The successor of {a} in office was {b}.",
            "{a} handed the office over to {b}.",
        ),
        "of": ("the successor of {x}", "the person who succeeded {x}"),
        "asked": ("Who was the successor of {x}?", "Who succeeded {x}?"),
        "back": ("the predecessor in office of {x}", "the person succeeded in office by {x}"),
        "back_asked": ("Who was the predecessor in office of {x}?", "Who was succeeded in office by {x}?"),
    },
    "company founder": {
        "facts": (
            "The company {a} was set up by {b}.",
            "{b} established the company {a}.",
            "The founder of the company {a} was {b}.",
        ),
        "of": ("the founder of {x}", "the person who founded {x}"),
        "asked": ("Who was the founder of {x}?", "Who founded {x}?"),
        "back": ("the company founded by {x}", "the company set up by {x}"),
        "back_asked": ("Which company was founded by {x}?", "Which company was set up by {x}?"),
    },
    "company headquarters": {
        "facts": (
            "The company {a} has its headquarters in {b}.",
            "The head office of the company {a} is in {b}.",
            "The company {a} is based in {b}.",
            "{b} is the seat of the company {a}.",
        ),
        "of": ("the seat of {x}", "the village that is the seat of {x}"),
        "asked": ("Which village is the seat of {x}?", "What is the seat of {x}?"),
        "back": ("the company based in {x}", "the company with headquarters in {x}"),
        "back_asked": ("Which company is based in {x}?", "Which company has its headquarters in {x}?"),
    },
    "company parent_company": {
        "facts": (
            "The company {a} belongs to {b}.",
            "The parent company of {a} is {b}.",
            "The company {a} is a subsidiary of {b}.",
            "The company {a} is owned by {b}.",
        ),
        "of": ("the parent company of {x}", "the company that owns {x}"),
        "asked": ("What is the parent company of {x}?", "Which company owns {x}?"),
        "back": ("the subsidiary of {x}", "the company owned by {x}"),
        "back_asked": ("Which company is a subsidiary of {x}?", "Which company is owned by {x}?"),
    },
    "company chief_executive": {
        "facts": (
            "The chief executive of the company {a} is {b}.",
            "The company {a} is led by {b}.",
            "{b} leads the company {a}.",
            "At the company {a}, the post of chief executive is held by {b}.",
        ),
        "of": ("the chief executive of {x}", "the person who leads {x}"),
        "asked": ("Who is the chief executive of {x}?", "Who leads {x}?"),
        "back": ("the company led by {x}", "the company whose chief executive is {x}"),
        "back_asked": ("Which company is led by {x}?",),
    },
    "educational_institution founder": {
        "facts": (
            "{a} was founded by {b} as a place of learning.",
            "{b} founded {a} as a place of learning.",
            "{b} was the founder of {a}, a place of learning.",
        ),
        "of": ("the founder of {x}", "the person who founded {x}"),
        "asked": ("Who was the founder of {x}?", "Who founded {x}?"),
        "back": ("the place of learning founded by {x}", "the institution founded by {x}"),
        "back_asked": ("Which place of learning was founded by {x}?", "Which institution was founded by {x}?"),
    },
    "educational_institution location": {
        "facts": (
            "{a} has its classrooms in {b}.",
            "Students of {a} take their classes in {b}.",
            "The village of {b} is home to {a}.",
        ),
        "of": ("the village that is home to {x}",),
        "asked": ("Which village is home to {x}?", "Which village is the location of {x}?"),
        "back": ("the place of learning located in {x}", "the school or college located in {x}"),
        "back_asked": ("Which place of learning is located in {x}?", "Which school or college is located in {x}?"),
    },
    "educational_institution main_building": {
        "facts": (
            "The main building of {a} is {b}.",
            "{a} uses {b} as its main building.",
            "{b} serves {a} as its main building.",
        ),
        "of": ("the main building of {x}", "the building that houses {x}"),
        "asked": ("What is the main building of {x}?", "Which building houses {x}?"),
        "back": ("the institution housed in {x}", "the institution whose main building is {x}"),
        "back_asked": ("Which institution is housed in {x}?",),
    },
    "educational_institution head": {
        "facts": (
            "The head of {a} is {b}.",
            "{a} is headed by {b}.",
            "{b} holds the post of head at {a}.",
        ),
        "of": ("the head of {x}", "the person who heads {x}"),
        "asked": ("Who is the head of {x}?", "Who heads {x}?"),
        "back": ("the institution headed by {x}", "the institution whose head is {x}"),
        "back_asked": ("Which institution is headed by {x}?",),
    },
    "mean_of_transportation manufacturer": {
        "facts": (
            "The vehicle {a} was manufactured by {b}.",
            "The vehicle {a} was built by {b}.",
            "The manufacturer of the vehicle {a} is {b}.",
        ),
        "of": ("the manufacturer of {x}", "the company that built {x}"),
        "asked": ("Which company is the manufacturer of {x}?", "Which company built {x}?"),
        "back": ("the vehicle built by {x}", "the vehicle manufactured by {x}"),
        "back_asked": ("Which vehicle was built by {x}?", "Which vehicle was manufactured by {x}?"),
    },
    "mean_of_transportation designer": {
        "facts": (
            "The vehicle {a} was designed by {b}.",
            "The designer of the vehicle {a} was {b}.",
            "The drawings for the vehicle {a} were made by {b}.",
        ),
        "of": ("the designer of {x}", "the person who designed {x}"),
        "asked": ("Who was the designer of {x}?", "Who designed {x}?"),
        "back": ("the vehicle designed by {x}", "the vehicle whose designer was {x}"),
        "back_asked": ("Which vehicle was designed by {x}?",),
    },
    "mean_of_transportation predecessor": {
        "facts": (
            "The vehicle {a} replaced {b}.",
            "The predecessor of the vehicle {a} was {b}.",
            "The vehicle {a} was brought in to take the place of {b}.",
        ),
        "of": ("the predecessor of {x}", "the vehicle replaced by {x}"),
        "asked": ("What was the predecessor of {x}?", "Which vehicle was replaced by {x}?"),
        "back": ("the vehicle that replaced {x}", "the vehicle brought in to replace {x}"),
        "back_asked": ("Which vehicle replaced {x}?",),
    },
    "mean_of_transportation home_base": {
        "facts": (
            "The vehicle {a} is stationed in {b}.",
            "The home base of the vehicle {a} is {b}.",
            "The vehicle {a} has its home base in {b}.",
        ),
        "of": ("the home base of {x}", "the village that is the home base of {x}"),
        "asked": ("Which village is the home base of {x}?", "What is the home base of {x}?"),
        "back": ("the vehicle stationed in {x}", "the vehicle with a home base in {x}"),
        "back_asked": ("Which vehicle is stationed in {x}?",),
    },
    "building location": {
        "facts": (
            "{a} is a building in {b}.",
            "{a} stands in the village of {b}.",
            "{a} is one of the buildings of {b}.",
        ),
        "of": ("the village that is the site of {x}",),
        "asked": ("Which village is the site of {x}?", "Which village is the location of {x}?"),
        "back": ("the building that stands in {x}", "the building located in {x}"),
        "back_asked": ("Which building stands in {x}?",),
    },
    "building architect": {
        "facts": (
            "The architect of {a} was {b}.",
            "{a} was built to the plans of {b}.",
            "The plans of {a} were drawn by {b}.",
        ),
        "of": ("the architect of {x}", "the person who drew the plans of {x}"),
        "asked": ("Who was the architect of {x}?", "Who drew the plans of {x}?"),
        "back": ("the building whose architect was {x}", "the building planned by {x}"),
        "back_asked": ("Which building was planned by {x}?",),
    },
    "building owner": {
        "facts": (
            "The owner of {a} is {b}.",
            "{a} is the property of {b}.",
            "{b} holds the title deeds of {a}.",
        ),
        "of": ("the owner of {x}", "the company that is the owner of {x}"),
        "asked": ("Which company is the owner of {x}?",),
        "back": ("the building owned by {x}", "the building whose owner is {x}"),
        "back_asked": ("Which building is owned by {x}?",),
    },
    "natural_place nearest_village": {
        "facts": (
            "The village nearest to the natural place {a} is {b}.",
            "{b} is the village closest to the natural place {a}.",
            "Of all villages, {b} lies nearest to the natural place {a}.",
        ),
        "of": ("the village nearest to {x}", "the village closest to {x}"),
        "asked": ("Which village lies nearest to {x}?", "Which village is closest to {x}?"),
        "back": ("the natural place whose nearest village is {x}",),
        "back_asked": ("What is the natural place whose nearest village is {x}?",),
    },
    "natural_place surveyor": {
        "facts": (
            "The natural place {a} was surveyed by {b}.",
            "The surveyor of the natural place {a} was {b}.",
            "{b} made the survey of the natural place {a}.",
        ),
        "of": ("the surveyor of {x}", "the person who surveyed {x}"),
        "asked": ("Who was the surveyor of {x}?", "Who surveyed {x}?"),
        "back": ("the natural place surveyed by {x}", "the natural place whose surveyor was {x}"),
        "back_asked": ("Which natural place was surveyed by {x}?",),
    },
    "village mayor": {
        "facts": (
            "The mayor of {a} is {b}.",
            "{b} is mayor of {a}.",
            "{b} holds the post of mayor in {a}.",
        ),
        "of": ("the mayor of {x}", "the person who is mayor of {x}"),
        "asked": ("Who is the mayor of {x}?", "What is the name of the mayor of {x}?"),
        "back": ("the village whose mayor is {x}", "the village governed by {x}"),
        "back_asked": ("Which village is governed by {x}?",),
    },
    "village twin_village": {
        "facts": (
            "{a} is twinned with {b}.",
            "The twin village of {a} is {b}.",
            "{a} and {b} are twin villages.",
        ),
        "of": ("the twin village of {x}", "the village twinned with {x}"),
        "asked": ("What is the twin village of {x}?", "Which village is twinned with {x}?"),
    },
    "animal discoverer": {
        "facts": (
            "The animal {a} was discovered by {b}.",
            "{b} discovered the animal {a}.",
            "The discoverer of the animal {a} was {b}.",
        ),
        "of": ("the discoverer of {x}", "the person who discovered {x}"),
        "asked": ("Who was the discoverer of {x}?", "Who discovered {x}?"),
        "back": ("the animal discovered by {x}", "the animal whose discoverer was {x}"),
        "back_asked": ("Which animal was discovered by {x}?",),
    },
    "animal habitat": {
        "facts": (
            "The animal {a} lives at {b}.",
            "The habitat of the animal {a} is {b}.",
            "The animal {a} is at home at {b}.",
        ),
        "of": ("the habitat of {x}", "the natural place inhabited by {x}"),
        "asked": ("What is the habitat of {x}?", "Which natural place is inhabited by {x}?"),
        "back": ("the animal that lives at {x}", "the animal whose habitat is {x}"),
        "back_asked": ("Which animal lives at {x}?",),
    },
    "animal food_plant": {
        "facts": (
            "The animal {a} feeds on the plant {b}.",
            "The animal {a} eats the plant {b}.",
            "The plant {b} is the food of the animal {a}.",
        ),
        "of": ("the food plant of {x}", "the plant eaten by {x}"),
        "asked": ("What is the food plant of {x}?", "Which plant is eaten by {x}?"),
        "back": ("the animal that feeds on {x}", "the animal that eats {x}"),
        "back_asked": ("Which animal feeds on {x}?", "Which animal eats {x}?"),
    },
    "plant discoverer": {
        "facts": (
            "The plant {a} was discovered by {b}.",
            "{b} discovered the plant {a}.",
            "The discoverer of the plant {a} was {b}.",
        ),
        "of": ("the discoverer of {x}", "the person who discovered {x}"),
        "asked": ("Who was the discoverer of {x}?", "Who discovered {x}?"),
        "back": ("the plant discovered by {x}", "the plant whose discoverer was {x}"),
        "back_asked": ("Which plant was discovered by {x}?",),
    },
    "plant habitat": {
        "facts": (
            "The plant {a} grows at {b}.",
            "The habitat of the plant {a} is {b}.",
            "The plant {a} takes root at {b}.",
        ),
        "of": ("the habitat of {x}", "the natural place that is home to {x}"),
        "asked": ("What is the habitat of {x}?", "Which natural place is home to {x}?"),
        "back": ("the plant that grows at {x}", "the plant whose habitat is {x}"),
        "back_asked": ("Which plant grows at {x}?",),
    },
    "album performer": {
        "facts": (
            "The album {a} was performed by {b}.",
            "The performer of the album {a} is {b}.",
            "The artist heard on the album {a} is {b}.",
        ),
        "of": ("the performer of {x}", "the artist heard on {x}"),
        "asked": ("Who is the performer of {x}?", "Which artist is heard on {x}?"),
        "back": ("the album performed by {x}", "the album whose performer is {x}"),
        "back_asked": ("Which album was performed by {x}?",),
    },
    "album label": {
        "facts": (
            "The album {a} was issued by {b}.",
            "{b} issued the album {a}.",
            "The album {a} appeared on the label of {b}.",
        ),
        "of": ("the company that issued {x}", "the record company behind {x}"),
        "asked": ("Which company issued {x}?", "Which record company stands behind {x}?"),
        "back": ("the album issued by {x}", "the album on the label of {x}"),
        "back_asked": ("Which album was issued by {x}?",),
    },
    "album producer": {
        "facts": (
            "The album {a} was produced by {b}.",
            "{b} produced the album {a}.",
            "The producer of the album {a} was {b}.",
        ),
        "of": ("the producer of {x}", "the person who produced {x}"),
        "asked": ("Who was the producer of {x}?", "Who produced {x}?"),
        "back": ("the album produced by {x}", "the album whose producer was {x}"),
        "back_asked": ("Which album was produced by {x}?",),
    },
    "album recorded_in": {
        "facts": (
            "The album {a} was recorded in {b}.",
            "The recordings for the album {a} were made in {b}.",
            "It was in {b} that the album {a} was recorded.",
        ),
        "of": ("the place of recording of {x}", "the village that was the place of recording of {x}"),
        "asked": ("Which village was the place of recording of {x}?",),
        "back": ("the album recorded in {x}",),
        "back_asked": ("Which album was recorded in {x}?",),
    },
    "album previous_album": {
        "facts": (
            "The album {a} came after {b}.",
            "The album {a} followed {b}.",
            "Before the album {a} came {b}.",
        ),
        "of": ("the album before {x}", "the album followed by {x}"),
        "asked": ("Which album came before {x}?", "Which album was followed by {x}?"),
        "back": ("the album after {x}", "the album that followed {x}"),
        "back_asked": ("Which album came after {x}?", "Which album followed {x}?"),
    },
    "film director": {
        "facts": (
            "The film {a} was directed by {b}.",
            "{b} directed the film {a}.",
            "The director of the film {a} was {b}.",
        ),
        "of": ("the director of {x}", "the person who directed {x}"),
        "asked": ("Who was the director of {x}?", "Who directed {x}?"),
        "back": ("the film directed by {x}", "the film whose director was {x}"),
        "back_asked": ("Which film was directed by {x}?",),
    },
    "film screenwriter": {
        "facts": (
            "The screenplay of the film {a} was written by {b}.",
            "{b} wrote the screenplay of the film {a}.",
            "The screenwriter of the film {a} was {b}.",
        ),
        "of": ("the screenwriter of {x}", "the person who wrote the screenplay of {x}"),
        "asked": ("Who was the screenwriter of {x}?", "Who wrote the screenplay of {x}?"),
        "back": ("the film with a screenplay by {x}", "the film whose screenwriter was {x}"),
        "back_asked": ("Which film has a screenplay by {x}?",),
    },
    "film lead_actor": {
        "facts": (
            "{b} played the leading role in the film {a}.",
            "The leading role in the film {a} was played by {b}.",
            "The star of the film {a} was {b}.",
        ),
        "of": ("the star of {x}", "the person who played the leading role in {x}"),
        "asked": ("Who was the star of {x}?", "Who played the leading role in {x}?"),
        "back": ("the film starring {x}", "the film whose star was {x}"),
        "back_asked": ("Which film starred {x}?",),
    },
    "film studio": {
        "facts": (
            "The film {a} was made by the studio {b}.",
            "The studio {b} made the film {a}.",
            "The film {a} is a production of the studio {b}.",
        ),
        "of": ("the studio that made {x}", "the studio behind {x}"),
        "asked": ("Which studio made {x}?", "Which studio stands behind {x}?"),
        "back": ("the film made by {x}", "the film whose studio was {x}"),
        "back_asked": ("Which film was made by {x}?",),
    },
    "film filmed_in": {
        "facts": (
            "The film {a} was shot in {b}.",
            "The scenes of the film {a} were shot in {b}.",
            "It was in {b} that the film {a} was shot.",
        ),
        "of": ("the place of filming of {x}", "the village that was the place of filming of {x}"),
        "asked": ("Which village was the place of filming of {x}?",),
        "back": ("the film shot in {x}",),
        "back_asked": ("Which film was shot in {x}?",),
    },
    "film based_on": {
        "facts": (
            "The film {a} is based on the book {b}.",
            "The film {a} is an adaptation of the book {b}.",
            "The book {b} was adapted for the film {a}.",
        ),
        "of": ("the book adapted as {x}", "the book that is the source of {x}"),
        "asked": ("Which book was adapted as {x}?", "Which book is the source of {x}?"),
        "back": ("the film based on {x}", "the film adapted from {x}"),
        "back_asked": ("Which film is based on {x}?", "Which film was adapted from {x}?"),
    },
    "film sequel_to": {
        "facts": (
            "The film {a} is a sequel to {b}.",
            "The film {a} continues {b}.",
            "The story of {b} goes on in the film {a}.",
        ),
        "of": ("the film continued by {x}", "the film that was continued by {x}"),
        "asked": ("Which film was continued by {x}?",),
        "back": ("the film that continues {x}", "the film that is a sequel to {x}"),
        "back_asked": ("Which film continues {x}?", "Which film is a sequel to {x}?"),
    },
    "written_work author": {
        "facts": (
            "The book {a} was written by {b}.",
            "{b} wrote the book {a}.",
            "The author of the book {a} is {b}.",
        ),
        "of": ("the author of {x}", "the writer of {x}"),
        "asked": ("Who is the author of {x}?", "Who is the writer of {x}?"),
        "back": ("the book written by {x}", "the book whose author is {x}"),
        "back_asked": ("Which book was written by {x}?",),
    },
    "written_work publisher": {
        "facts": (
            "The book {a} was published by {b}.",
            "{b} published the book {a}.",
            "The publisher of the book {a} is {b}.",
        ),
        "of": ("the publisher of {x}", "the company that published {x}"),
        "asked": ("Which company is the publisher of {x}?", "Which company published {x}?"),
        "back": ("the book published by {x}", "the book whose publisher is {x}"),
        "back_asked": ("Which book was published by {x}?",),
    },
    "written_work setting": {
        "facts": (
            "The book {a} is set in {b}.",
            "The story of the book {a} takes place in {b}.",
            "The setting of the book {a} is {b}.",
        ),
        "of": ("the setting of {x}", "the village that is the setting of {x}"),
        "asked": ("Which village is the setting of {x}?", "What is the setting of {x}?"),
        "back": ("the book set in {x}", "the book whose setting is {x}"),
        "back_asked": ("Which book is set in {x}?",),
    },
    "written_work dedicated_to": {
        "facts": (
            "The book {a} is dedicated to {b}.",
            "The dedication of the book {a} names {b}.",
            "In its dedication, the book {a} honours {b}.",
        ),
        "of": ("the person named in the dedication of {x}", "the dedicatee of {x}"),
        "asked": ("Who is named in the dedication of {x}?", "Who is the dedicatee of {x}?"),
        "back": ("the book dedicated to {x}",),
        "back_asked": ("Which book is dedicated to {x}?",),
    },
    "written_work sequel_to": {
        "facts": (
            "The book {a} is a sequel to {b}.",
            "The book {a} continues {b}.",
            "The story of {b} goes on in the book {a}.",
        ),
        "of": ("the book continued by {x}", "the book that was continued by {x}"),
        "asked": ("Which book was continued by {x}?",),
        "back": ("the book that continues {x}", "the book that is a sequel to {x}"),
        "back_asked": ("Which book continues {x}?", "Which book is a sequel to {x}?"),
    },
}
