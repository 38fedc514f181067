-- Views and triggers of a store, beside its tables (declaration.py).
--
-- Cash is counted in whole units. At every commit, to the unit:
--   sum(pages.cash) + meta.virtual = meta.carried, which is 0 but in a partition
-- where the cash of a page is without its birth cash, which the view `born` adds: minicrawl/opic/book.py has the algorithm.

CREATE TRIGGER tallied AFTER UPDATE OF state, reason ON pages
WHEN (new.state, new.reason) <> (old.state, old.reason)
BEGIN
    UPDATE tallies SET pages = pages - 1 WHERE state = old.state AND reason = old.reason;
    INSERT INTO tallies VALUES (new.state, new.reason, 1) ON CONFLICT (state, reason) DO UPDATE SET pages = pages + 1;
END;

-- The scalars of the book: one row.
CREATE VIEW book AS
SELECT (SELECT value FROM meta WHERE key = 'clock') AS clock,
       (SELECT value FROM meta WHERE key = 'window') AS size,
       (SELECT value FROM meta WHERE key = 'virtual')
           + (SELECT value FROM meta WHERE key = 'never_visited') + 0.0 AS virtual,
       max(1, (SELECT value FROM meta WHERE key = 'births')) AS births,
       (SELECT value FROM meta WHERE key = 'shared_out') AS shared_out,
       (SELECT value FROM meta WHERE key = 'voice_level') AS voice_level,
       max(1e-300, (SELECT value FROM meta WHERE key = 'total')) AS total;

-- Every page with its birth cash.                                                                    (births.py)
--   is_dead: it has gone, or was never there
--   birth = 2^24, of a dead page 0; where walkers jump to sites the level of its site, 1 + cited times, which an alias
--     lacks, that of its entrances, and that of voices; 1 of a page that became known since births were shared out
CREATE VIEW born AS
SELECT pages.*,
       state = 'gone' OR (state IN ('error', 'waiting') AND reason IN ('http-404', 'http-410', 'dns')) AS is_dead,
       CASE WHEN state IN ('gone', 'elsewhere') THEN 0
            WHEN state IN ('error', 'waiting') AND reason IN ('http-404', 'http-410', 'dns') THEN 0
            WHEN shared_out IS NULL THEN 16777216
            WHEN pages.id >= shared_out OR page_level IS NULL THEN state <> 'alias'
            ELSE iif(state = 'alias', 0, page_level * (1 + coalesce(cited, 0))) + coalesce(is_entrance, 0) * entrance_level
                + coalesce(voices, 0) * voice_level END AS birth
FROM pages CROSS JOIN book
LEFT JOIN hosts ON hosts.id = pages.host LEFT JOIN sites ON sites.id = hosts.site
LEFT JOIN doors ON doors.page = pages.id;

-- Every page with its importance. The formulas are those of the package minicrawl.opic:
--   X = R + V' * birth / sum(birth), R = cash + forwarded,  importance = X / sum(X),  aliases and dead pages have none
--                                                                                                    (book.py)
--   history brought to now:                                                                           (units.py)
--   h * (T - elapsed) / T + cash   if elapsed < T,   else   cash * T / elapsed
--   aliases have none: what they spend their target spends again; so have pages that another partition has
CREATE VIEW weighed AS
SELECT url,
       x / total AS importance,
       CASE WHEN state IN ('alias', 'elsewhere') THEN 0.0
            WHEN elapsed < size THEN history * (size - elapsed) / size + cash
            ELSE cash * size / elapsed END AS history,
       cash,
       depth,
       status,
       -- links from pages, to it or to an alias of it: each alias has one link more, its own
       inlinks + iif(EXISTS (SELECT 1 FROM pages WHERE stands_for = number), (
           WITH RECURSIVE aliases (page, links) AS (
               SELECT pages.id, pages.inlinks FROM pages WHERE stands_for = number
               UNION
               SELECT pages.id, pages.inlinks FROM aliases JOIN pages ON stands_for = aliases.page
           )
           SELECT sum(links - 1) FROM aliases), 0) AS inlinks,
       (SELECT length(targets) / 4 FROM links WHERE source = number) AS outlinks,
       fetched_at,
       title,
       state,
       reason,
       number AS id,
       x
FROM (
    SELECT born.id AS number, url, state, reason, depth, inlinks, history, fetch, size, total,
           CASE WHEN state IN ('alias', 'elsewhere') OR is_dead THEN 0.0
                ELSE cash + forwarded + virtual / births * birth END AS x,
           iif(state = 'elsewhere', 0, cash + birth) AS cash,
           book.clock - born.clock AS elapsed
    FROM born CROSS JOIN book
) LEFT JOIN fetches ON fetches.id = fetch;

-- Every link as it stands on a page: pages.id of the page, and of the one it leads to. A redirect leads to its target. A
-- target is four bytes of a blob, each worth its place among all bytes; place: the top 2 bits, see links.py.
CREATE VIEW link_pairs AS
SELECT source,
       instr(bytes, substr(packed, 4 * key + 1, 1)) - 1
           + (instr(bytes, substr(packed, 4 * key + 2, 1)) - 1) * 256
           + (instr(bytes, substr(packed, 4 * key + 3, 1)) - 1) * 65536
           + ((instr(bytes, substr(packed, 4 * key + 4, 1)) - 1) & 63) * 16777216 AS target,
       (instr(bytes, substr(packed, 4 * key + 4, 1)) - 1) >> 6 AS place
FROM (
    SELECT source, coalesce(own, targets) AS packed, x'000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F606162636465666768696A6B6C6D6E6F707172737475767778797A7B7C7D7E7F808182838485868788898A8B8C8D8E8F909192939495969798999A9B9C9D9E9FA0A1A2A3A4A5A6A7A8A9AAABACADAEAFB0B1B2B3B4B5B6B7B8B9BABBBCBDBEBFC0C1C2C3C4C5C6C7C8C9CACBCCCDCECFD0D1D2D3D4D5D6D7D8D9DADBDCDDDEDFE0E1E2E3E4E5E6E7E8E9EAEBECEDEEEFF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF' AS bytes FROM links
) CROSS JOIN json_each('[' || replace(hex(zeroblob(length(packed) / 4 - 1)), '00', '0,') || '0]')
WHERE length(packed) > 0;

-- Every page with its importance, best first.
CREATE VIEW ranks AS
SELECT row_number() OVER (ORDER BY x DESC, id) AS rank, url, importance, history, cash, depth, status, inlinks, outlinks,
       fetched_at, title, state, reason, id
FROM weighed ORDER BY x DESC, id;

-- Views for people and other programs, in the words of docs/store.md; their columns stay.

CREATE VIEW page AS
SELECT weighed.url, hosts.name AS host, coalesce(sites.name, hosts.name) AS site, weighed.importance, weighed.title,
       weighed.state, weighed.reason, weighed.status, weighed.depth, weighed.inlinks, weighed.outlinks,
       fetches.content_type, fetches.bytes, fetches.seconds, weighed.fetched_at,
       strftime('%Y-%m-%dT%H:%M:%SZ', weighed.fetched_at, 'unixepoch') AS read_at,
       (SELECT url FROM pages AS finder WHERE finder.id = pages.found_on) AS found_on,
       weighed.history, weighed.cash, weighed.id,
       texts.language, texts.author, texts.site_name, texts.licence, texts.published, texts.modified
FROM weighed LEFT JOIN pages ON pages.id = weighed.id LEFT JOIN fetches ON fetches.id = pages.fetch
LEFT JOIN texts ON texts.page = weighed.id LEFT JOIN hosts ON hosts.id = pages.host LEFT JOIN sites ON sites.id = hosts.site
WHERE weighed.state <> 'elsewhere';

-- place: null where it stands beside text, and where the places of all links of a page are alike, which store none.
CREATE VIEW link AS
SELECT a.url AS source, b.url AS target, b.state, b.reason, fetches.status,
       CASE place WHEN 1 THEN 'list' WHEN 2 THEN 'navigation' END AS place
FROM link_pairs CROSS JOIN pages AS a ON a.id = link_pairs.source CROSS JOIN pages AS b ON b.id = link_pairs.target
LEFT JOIN fetches ON fetches.id = b.fetch;

-- References that are no URLs of the web, as written, the first of each page: those that were meant as such, and, with
-- --audit, the others.
CREATE VIEW no_url AS
SELECT url AS source, json_each.value AS written
FROM links CROSS JOIN pages ON pages.id = source CROSS JOIN json_each(malformed) WHERE malformed IS NOT NULL
UNION ALL
SELECT url, json_each.value
FROM fetches CROSS JOIN pages ON pages.fetch = fetches.id CROSS JOIN json_each(facts, '$.no_urls') WHERE facts IS NOT NULL;

CREATE VIEW host AS
SELECT host, site, count(*) AS known, sum(state IN ('fetched', 'alias')) AS read, sum(state = 'waiting') AS waiting,
       sum(state IN ('error', 'gone')) AS failed, sum(importance) AS importance
FROM page GROUP BY host;

CREATE VIEW site AS
SELECT site, count(*) AS hosts, sum(known) AS known, sum(read) AS read, sum(waiting) AS waiting, sum(failed) AS failed,
       sum(importance) AS importance, (SELECT trust FROM sites WHERE name = site) AS trust
FROM host GROUP BY site;

CREATE VIEW fetch AS
SELECT url, read_at, status, reason, content_type, bytes, seconds FROM page WHERE fetched_at IS NOT NULL;

-- leads_to: the next page, ends_at: the last one; redirects: from page to page up to there, at most 16; chain: all these
-- URLs; codes: the statuses of all but the last. A page that names a canonical is a redirect only at the beginning of a
-- chain.
CREATE VIEW redirect AS
WITH RECURSIVE steps (page, target, url, reason, code) AS (
    SELECT pages.id, stands_for, url, reason, coalesce(status, '?') || ''
    FROM pages LEFT JOIN fetches ON fetches.id = fetch WHERE stands_for IS NOT NULL
), chains (first, page, redirects, chain, codes) AS (
    SELECT a.page, b.id, 1, a.url || ' -> ' || b.url, a.code FROM steps AS a JOIN pages AS b ON b.id = a.target
    UNION ALL
    SELECT first, b.id, redirects + 1, chain || ' -> ' || b.url, codes || ' -> ' || a.code
    FROM chains CROSS JOIN steps AS a ON a.page = chains.page JOIN pages AS b ON b.id = a.target
    WHERE (a.reason GLOB 'redirect-*' OR a.reason = 'meta-refresh') AND redirects < 16
)
SELECT a.url, b.url AS leads_to, a.reason, ends.url AS ends_at, max(redirects) AS redirects, chain, codes
FROM chains JOIN pages AS a ON a.id = first JOIN pages AS b ON b.id = a.stands_for JOIN pages AS ends ON ends.id = page
GROUP BY first
UNION ALL SELECT url, leads_to, reason, leads_to, 1, url || ' -> ' || leads_to, coalesce(status, '?') || ''
FROM links JOIN pages ON pages.id = source LEFT JOIN fetches ON fetches.id = fetch WHERE leads_to IS NOT NULL;

CREATE VIEW change AS
SELECT url, strftime('%Y-%m-%dT%H:%M:%SZ', at, 'unixepoch') AS at, what, kinds, added, removed, importance
FROM changes JOIN weighed ON weighed.id = changes.page;
