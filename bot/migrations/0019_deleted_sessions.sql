-- Sessions that were deleted, and whose files have still to go.
CREATE TABLE deleted_sessions (id TEXT PRIMARY KEY) STRICT;
