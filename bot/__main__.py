"""`python -m bot` is `papercup`."""

from bot.cli.main import main

main()
