"""The parts of the program, from the ground up: each takes what stands below it.

ground    what is there from the start, and what is kept in the database
servers   what every Claude that is started calls
work      cards, notices and jobs
talk      conversations, voice lines and questions
front     what people call, and what they are told
"""
