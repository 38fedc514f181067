-- Pages that end a session, or act; and pages that are watched, which the last stores of schema 31 have already.

DELETE FROM meta WHERE key IN ('alerted_since', 'alerted_until');
CREATE TABLE acting (
    page INTEGER PRIMARY KEY,
    name TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS watched (
    url TEXT NOT NULL,
    view BLOB NOT NULL,
    memory BLOB NOT NULL,
    state TEXT NOT NULL,
    instead BLOB NOT NULL,
    changed_at REAL NOT NULL,
    PRIMARY KEY (url)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS watch_answers (
    url TEXT NOT NULL,
    number INTEGER NOT NULL,
    view BLOB NOT NULL,
    PRIMARY KEY (url, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS told (
    id INTEGER PRIMARY KEY,
    round INTEGER NOT NULL,
    at REAL NOT NULL,
    url TEXT NOT NULL,
    what TEXT NOT NULL,
    said TEXT NOT NULL,
    sends INTEGER NOT NULL
) STRICT;
