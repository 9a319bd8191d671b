-- Until when Discord was heard without a gap: one row, from the first start on.
CREATE TABLE hearing (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    until REAL NOT NULL  -- Unix time, in seconds
) STRICT;
