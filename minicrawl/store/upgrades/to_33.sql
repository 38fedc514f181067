-- Pages that are fetched again are compared by their lines: each is taken as new at its next fetch.

ALTER TABLE fetches DROP COLUMN kind_hashes;
ALTER TABLE refresh RENAME TO refreshed;
CREATE TABLE refresh (
    page INTEGER PRIMARY KEY,
    fetched_at REAL NOT NULL,
    due REAL NOT NULL,
    rate REAL NOT NULL,
    information REAL NOT NULL DEFAULT 0.0,
    fetches INTEGER NOT NULL DEFAULT 0,
    changes INTEGER NOT NULL DEFAULT 0,
    changed_at REAL,
    hashes BLOB NOT NULL,
    memory BLOB NOT NULL,
    answers TEXT NOT NULL DEFAULT '',
    importance REAL NOT NULL DEFAULT 0.0,
    lastmod REAL,
    doubt INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO refresh
SELECT page, fetched_at, due, rate, information, fetches, changes, changed_at, x'', x'', answers, importance, lastmod, doubt
FROM refreshed;
DROP TABLE refreshed;
