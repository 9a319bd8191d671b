"""Audio to text and back: hears each person of a voice line, takes turns, and speaks.

It knows neither Discord nor Claude. Modules that are marked as pure need the standard library
alone; the others need what `papercup[voice]` installs.
"""
