"""What is said in the benchmark: by people, and by the bot. Pure."""

from typing import Final

SENTENCES: Final = (
    "Can you tell me what is left to do before the release?",
    "I would like to hear the news of this morning.",
    "Start a job that looks for broken links on our page.",
    "How many people were online last night?",
    "Put the meeting on Wednesday at half past three.",
    "That is not what I asked for, please try once more.",
    "Which of the two servers answers faster at the moment?",
    "Write a short poem about a cat that hates rain.",
    "Could you read the third paragraph to me again?",
    "We are going to play two more rounds and then stop.",
    "What does the error in the last build mean?",
    "Ask the others whether they want pizza or noodles.",
    "Remind me to water the plants tomorrow evening.",
    "I think the second picture looks much better.",
    "Is there a train to the airport after midnight?",
    "Explain to my daughter why the sky is blue.",
    "Count the lines of code in the project without the tests.",
    "Nobody has seen the keys since yesterday afternoon.",
    "Compare the prices of the three phones that I sent you.",
    "How long does it take to boil an egg?",
    "The music is a bit too loud for me.",
    "Please rename the folder and tell me when you are done.",
    "Who wrote the book that this movie is based on?",
    "Let us go through the list from the bottom to the top.",
    "My brother arrives on Friday with his new dog.",
    "Give me an example that I can understand.",
    "Did anybody answer the question that I asked on Monday?",
    "Open the window and let some fresh air in.",
    "What would happen if we turned the cache off?",
    "She has lived in the same house for forty years.",
    "Look up how far it is from Berlin to Vienna.",
    "I forgot my password and cannot log in.",
    "Make the button green and move it to the left.",
    "It was a long day, so I am going to bed early.",
    "Summarize the discussion in the support channel for me.",
    "Can we try the same thing with a smaller model?",
    "There are seven apples and two pears in the basket.",
    "Tell everyone that we begin ten minutes later.",
    "Why does the game freeze when I open the map?",
    "Thank you, that was exactly what I needed.",
)
"""Forty things that people say to a bot in a voice channel; a voice of the benchmark says them."""

REPLIES: Final = (
    (
        "Sure, I have looked into that for you, and there are two things worth knowing. The first"
        " one is done already, and the second one depends on what the others decide this afternoon."
    ),
    (
        "That is a good question, and the short answer is yes. It has worked that way since the"
        " spring, when somebody moved the old settings to another place."
    ),
    (
        "Okay, here is what I found out so far. Most of the numbers are a little higher than last"
        " week, except for one entry that looks wrong to me, so I would look at it once more."
    ),
)
"""What the bot answers, in turn: two sentences, some 9 s each, if nobody interrupts."""
