-- What plugins keep.

-- A value for each key, for each plugin apart.
CREATE TABLE plugin_values (
    plugin_id TEXT NOT NULL,
    key TEXT NOT NULL,
    value BLOB NOT NULL,  -- JSON
    PRIMARY KEY (plugin_id, key)
) WITHOUT ROWID;

-- Entries that a plugin keeps with a session; no model is shown them.
CREATE TABLE plugin_entries (
    number INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL,
    plugin_id TEXT NOT NULL,
    at REAL NOT NULL,     -- Unix time, in seconds
    entry BLOB NOT NULL   -- JSON
);

CREATE INDEX plugin_entries_by_session ON plugin_entries (session_id, plugin_id, number);
