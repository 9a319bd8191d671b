"""All that speaks to Discord; nothing else imports discord.py."""
