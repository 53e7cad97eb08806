"""The wording of MRCR prompts: frame, turns, question, the worked examples and the remarks; all of it is ours.

Writer and solver share this module, so it holds only constants. A remark stands before a request and speaks of the
previous piece or of the user; an item does not use a remark that contains a word of its asked key.
"""

from typing import Final

INTRODUCTION: Final = (
    "Three conversations between a user and a model follow. The user asks for pieces of writing, sometimes for several "
    "of one kind; the last turn names a code and asks for one of the pieces again. The first two conversations are "
    "complete. Give the model's last turn of the third.\n\n"
)
CONVERSATION: Final = "Conversation {number}\n\n"
USER: Final = "User:"
MODEL: Final = "\nModel: "
TURN_END: Final = "\n\n"
QUESTION: Final = (
    " Begin your reply with {string} and put nothing before it. Directly after it, repeat word for word the {what} "
    "that you wrote for me, and add nothing."
)
ANSWER_PREFIX: Final = "Model:"
ABOUT: Final = " about "
IN: Final = " in "
STYLED: Final = " in {a} {style} style"
ORDINALS: Final = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")

EXAMPLE_REQUESTS: Final = ("Write a {format} about {topic}.", "Please write a {format} about {topic}.")
# Format, topic and two pieces each, short: two examples are shown in every prompt.
EXAMPLES: Final = (
    ("motto", "lanterns", "A small light is still a light.", "Hold it low and you see the road."),
    ("proverb", "ropes", "A short rope makes a careful climber.", "Two thin ropes outlast one thick one."),
    ("slogan", "brooms", "Sweep once, rest twice.", "Our brooms, your quiet evening."),
    ("toast", "ovens", "May your oven never cool.", "To the oven, and to all who wait before it."),
    ("headline", "geese", "Geese hold up morning traffic", "Town lends its pond to geese"),
    ("caption", "puddles", "Two clouds in a hole in the road.", "The road, wearing a piece of sky."),
    (
        "warning",
        "hinges",
        "Mind the gate: its hinges are older than you.",
        "Swing on the gate and the hinges will tell.",
    ),
    ("rhyme", "turnips", "Turnips are round and live in the ground.", "Pull up a turnip and then take a turn of it."),
)
REMARKS: Final = (
    "Thanks.",
    "Thank you.",
    "Lovely.",
    "Perfect.",
    "Great.",
    "Splendid.",
    "Very good.",
    "All right.",
    "So far, so good.",
    "Good, that is settled.",
    "I like it.",
    "I like this one a lot.",
    "I am enjoying this.",
    "This is going well.",
    "That was quick.",
    "That will do nicely.",
    "That one goes into my folder.",
    "That took me by surprise, in a good way.",
    "That is exactly the tone that I was after.",
    "Just what I wanted.",
    "It made me smile.",
    "It is better than I expected.",
    "It fits neatly on one page.",
    "I have saved it.",
    "I have read it twice.",
    "I have sent it on to a friend.",
    "I have made a copy for my aunt.",
    "I have pinned it to the kitchen wall.",
    "I read it out at breakfast.",
    "I read it aloud, and it sounded right.",
    "I will keep that one.",
    "I will show it to my neighbour tonight.",
    "I would not change a word.",
    "I could not have put it better.",
    "I had something else in mind, but this is better.",
    "My colleague liked the ending best.",
    "My niece wants to hear it again.",
    "The children enjoyed it.",
    "The first line is my favourite.",
    "The last line stayed with me.",
    "No changes needed.",
    "Nothing to correct there.",
    "You have a good ear.",
    "You are a great help.",
    "I hope that you are not tired of me yet.",
    "I am collecting these for a small book.",
    "I am ticking them off one by one.",
    "I have a few more wishes.",
    "My list is still long.",
    "There is more to come.",
    "Let us go on.",
    "On we go.",
    "Now I am curious what comes next.",
    "We still have plenty of time.",
    "We had some fun with it here.",
    "Everyone at home asked who wrote it.",
    "Even my brother, who never reads, got to the end of it.",
    "I would have needed a whole evening for that.",
    "I have shown it to two people so far, and both of them liked it.",
    "I copied it out by hand, which took longer than I thought.",
    "I was not sure what I wanted, and now I know that it was this.",
    "I keep going back to the middle of it, where it turns.",
    "I am putting all of these into one file, in the order in which they came.",
    "I had to look up one of the words, but it was the right one.",
    "My mother-in-law rang while I was reading it, and I read it to her too.",
    "My husband says that he would have done it differently, but he never does.",
    "My old teacher would have given you full marks for it.",
    "The names in it are unusual, and I like that about it.",
    "The neighbours have begun to ask when there will be more.",
    "The man from upstairs came in for a moment and stayed to hear it.",
    "It is shorter than I feared and longer than I hoped, so just right.",
    "It was worth the wait, although there was hardly any.",
    "It reads as if you had been there yourself.",
    "We are going to hang it up in the office for everyone to see.",
    "We talked about it all through lunch and did not agree on what it means.",
    "You have understood me better than I had explained it.",
    "You can tell that some thought went into it.",
    "There is nothing in it that I would want to take out.",
    "There are a few people who should see this one.",
    "Nobody here believes me that I did not write it myself.",
    "Next time I shall try to do one of them on my own.",
    "Before I forget it: the one before was good as well.",
    "This afternoon I have time, so we can go on for a while.",
    "Sooner or later I shall run out of wishes, but not yet.",
)
