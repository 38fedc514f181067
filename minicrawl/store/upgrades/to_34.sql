-- Pages that show next to nothing without scripts: not known of those read before.

CREATE TABLE shells (
    page INTEGER PRIMARY KEY,
    seen_at REAL NOT NULL
) STRICT;
