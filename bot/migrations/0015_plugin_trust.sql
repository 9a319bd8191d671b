-- What the operator said of plugins: one row for each place in which one was found.
CREATE TABLE plugin_trust (
    scope TEXT NOT NULL,
    folder TEXT NOT NULL,
    plugin_id TEXT NOT NULL,
    source TEXT NOT NULL,
    -- Of the whole folder, as it was then.
    hash TEXT NOT NULL,
    -- JSON; NULL: it was refused.
    granted TEXT,
    -- JSON: what it declared, in the words in which it was shown.
    capabilities TEXT NOT NULL,
    -- Unix time, in seconds.
    trusted_at REAL NOT NULL,
    PRIMARY KEY (scope, folder)
) STRICT;

-- Projects whose plugins may be loaded.
CREATE TABLE trusted_projects (
    folder TEXT PRIMARY KEY,
    trusted_at REAL NOT NULL
) STRICT;

-- What plugins did, and what was done with them; old rows are removed.
CREATE TABLE plugin_audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    noted_at REAL NOT NULL,
    kind TEXT NOT NULL,
    plugin_id TEXT NOT NULL,
    line TEXT NOT NULL
) STRICT;
