-- Which pages need their scripts is found by experiment: so far only those are known that show next to nothing without.

CREATE TABLE added (
    host TEXT NOT NULL,
    number INTEGER NOT NULL,
    hashes BLOB NOT NULL,
    PRIMARY KEY (host, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE scripted (
    page INTEGER PRIMARY KEY,
    reading TEXT NOT NULL,
    seen_at REAL NOT NULL
) STRICT;
CREATE TABLE rendered (
    host TEXT NOT NULL,
    pattern TEXT NOT NULL,
    rendered INTEGER NOT NULL DEFAULT 0,
    gains INTEGER NOT NULL DEFAULT 0,
    dry INTEGER NOT NULL DEFAULT 0,
    is_sampled INTEGER NOT NULL DEFAULT False,
    unseen INTEGER NOT NULL DEFAULT 0,
    scrolled INTEGER NOT NULL DEFAULT 0,
    posts INTEGER NOT NULL DEFAULT 0,
    files INTEGER NOT NULL DEFAULT 0,
    url TEXT NOT NULL DEFAULT '',
    own INTEGER NOT NULL DEFAULT 0,
    words INTEGER NOT NULL DEFAULT 0,
    links INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (host, pattern)
) STRICT, WITHOUT ROWID;
INSERT INTO scripted SELECT page, 'shell', seen_at FROM shells;
DROP TABLE shells;
