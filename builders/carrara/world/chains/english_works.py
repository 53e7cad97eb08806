"""English wordings of the chains of facts about albums, films and books; see `chains_en.py`."""

from typing import Final

WORDINGS: Final[dict[str, dict[str, tuple[str, ...]]]] = {
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
        "of": ("the place of recording of {x}",),
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
        "of": ("the screenwriter of {x}",),
        "asked": ("Who was the screenwriter of {x}?",),
        "back": ("the film scripted by {x}", "the film whose screenwriter was {x}"),
        "back_asked": ("Which film was scripted by {x}?",),
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
        "of": ("the place of filming of {x}",),
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
        "of": ("the book adapted in {x}", "the book behind {x}"),
        "asked": ("Which book was adapted in {x}?", "Which book is the source of {x}?"),
        "back": ("the film based on {x}", "the film adapted from {x}"),
        "back_asked": ("Which film is based on {x}?", "Which film was adapted from {x}?"),
    },
    "film sequel_to": {
        "facts": (
            "The film {a} is a sequel to {b}.",
            "The film {a} continues {b}.",
            "The story of {b} goes on in the film {a}.",
        ),
        "of": ("the film continued in {x}",),
        "asked": ("Which film was continued in {x}?",),
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
        "of": ("the person named in the dedication of {x}",),
        "asked": ("Who is named in the dedication of {x}?",),
        "back": ("the book dedicated to {x}",),
        "back_asked": ("Which book is dedicated to {x}?",),
    },
    "written_work sequel_to": {
        "facts": (
            "The book {a} is a sequel to {b}.",
            "The book {a} continues {b}.",
            "The story of {b} goes on in the book {a}.",
        ),
        "of": ("the book continued in {x}",),
        "asked": ("Which book was continued in {x}?",),
        "back": ("the book that continues {x}", "the book that is a sequel to {x}"),
        "back_asked": ("Which book continues {x}?", "Which book is a sequel to {x}?"),
    },
}
