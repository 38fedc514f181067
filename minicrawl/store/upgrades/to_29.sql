-- Whether a host is ill is said by its witnesses, in a table of its own: none is ill until the next run has found it so.
-- The next run asks for what was given up as its host was dead.

UPDATE pages SET reason = 'earlier-version' WHERE reason = 'host-dead';
UPDATE sitemaps SET reason = 'due', attempts = 0 WHERE reason = 'host-dead';
UPDATE requisites SET state = 'waiting', reason = 'page' WHERE reason = 'host-dead';
DELETE FROM robots WHERE reason = 'host-dead';
ALTER TABLE hosts DROP COLUMN backoff;
ALTER TABLE hosts DROP COLUMN strains;
ALTER TABLE hosts DROP COLUMN dead_until;
CREATE TABLE health (
    host INTEGER PRIMARY KEY,
    state TEXT NOT NULL,
    kind TEXT NOT NULL,
    reason TEXT NOT NULL,
    since REAL NOT NULL,
    well_at REAL NOT NULL,
    tries INTEGER NOT NULL,
    rest REAL NOT NULL,
    next_at REAL NOT NULL,
    asked_until REAL NOT NULL,
    own_delay REAL NOT NULL,
    acquitted INTEGER NOT NULL,
    witnesses BLOB NOT NULL,
    failed_runs INTEGER NOT NULL,
    failed_at REAL NOT NULL
) STRICT;
