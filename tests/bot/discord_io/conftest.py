import warnings

with warnings.catch_warnings():
    # Python 3.11 and 3.12 say so of a module that discord.py imports.
    warnings.filterwarnings("ignore", "'audioop' is deprecated", DeprecationWarning)
    import discord  # noqa: F401 - later imports find it imported
