-- Rules of traps went, and what they had learned: what one judge learns of a host's URLs is in tables of its own.
-- The next run asks for pages that were refused by such a rule.

UPDATE pages SET reason = 'earlier-version'
WHERE state IN ('error', 'disallowed') AND reason GLOB '*trap-*'
    AND reason NOT GLOB '*trap-host-budget' AND reason NOT GLOB '*trap-many-hosts';
UPDATE pages SET reason = substr(reason, 1, instr(reason, 'trap-') - 1) || 'earlier-version'
WHERE reason GLOB '*-trap-*' AND reason NOT GLOB '*trap-host-budget' AND reason NOT GLOB '*trap-many-hosts';
DROP TABLE parameters;
DROP TABLE patterns;
DROP TABLE digests;
ALTER TABLE probes ADD COLUMN existed INTEGER NOT NULL DEFAULT 0;
CREATE TABLE refused (
    name TEXT NOT NULL,
    rule TEXT NOT NULL,
    urls INTEGER NOT NULL,
    example TEXT NOT NULL,
    PRIMARY KEY (name, rule)
) STRICT, WITHOUT ROWID;
CREATE TABLE patterns (
    host TEXT NOT NULL,
    key TEXT NOT NULL,
    n REAL NOT NULL,
    gains REAL NOT NULL,
    read INTEGER NOT NULL,
    kinds TEXT NOT NULL,
    example TEXT NOT NULL,
    dry INTEGER NOT NULL,
    called INTEGER NOT NULL,
    waiting INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (host, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE pairs (
    host TEXT NOT NULL,
    name TEXT NOT NULL,
    agree INTEGER NOT NULL,
    differ INTEGER NOT NULL,
    linked INTEGER NOT NULL,
    asked INTEGER NOT NULL,
    is_void INTEGER NOT NULL,
    hashes BLOB NOT NULL,
    pages BLOB NOT NULL,
    example TEXT NOT NULL,
    PRIMARY KEY (host, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE seen (
    host TEXT NOT NULL,
    word TEXT NOT NULL,
    hashes BLOB NOT NULL,
    PRIMARY KEY (host, word)
) STRICT, WITHOUT ROWID;
CREATE TABLE lines (
    host TEXT NOT NULL,
    number INTEGER NOT NULL,
    hashes BLOB NOT NULL,
    PRIMARY KEY (host, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE listings (
    listing INTEGER PRIMARY KEY,
    page INTEGER NOT NULL
) STRICT;
