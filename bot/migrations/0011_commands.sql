-- What Discord was last told of the commands. Guild 0 stands for everywhere.
CREATE TABLE command_registrations (
    application_id INTEGER NOT NULL,
    guild_id INTEGER NOT NULL,
    digest TEXT NOT NULL,   -- of what was told
    PRIMARY KEY (application_id, guild_id)
) STRICT;

-- The ids that Discord gave them, by which a message can name a command that may be clicked.
CREATE TABLE registered_commands (
    application_id INTEGER NOT NULL,
    guild_id INTEGER NOT NULL,
    kind INTEGER NOT NULL,  -- Discord's number
    name TEXT NOT NULL,     -- the first word of it
    command_id INTEGER NOT NULL,
    PRIMARY KEY (application_id, guild_id, kind, name)
) STRICT;
