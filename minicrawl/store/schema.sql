-- A crawl. One SQLite file in WAL mode; one writer; any number of readers, also while it runs.
--
-- Cash is counted in whole units. At every commit, to the unit:
--   sum(pages.cash) + meta.virtual = meta.carried, which is 0 but in a partition
-- where the cash of a page is without its birth cash, which the view `born` adds: minicrawl/opic/book.py has the algorithm.

-- The frontier, and everything known of a URL. Page numbers count from 0 in the order of discovery.
CREATE TABLE pages (
    id           INTEGER PRIMARY KEY,
    url          TEXT    NOT NULL,
    host         INTEGER NOT NULL,             -- hosts.id
    found_on     INTEGER,                      -- page whose link (or host's sitemap) made it known; NULL: a seed
    state        TEXT    NOT NULL,             -- waiting fetched alias error disallowed gone elsewhere
    reason       TEXT    NOT NULL,             -- the code that says why it is in this state
    visited      INTEGER NOT NULL DEFAULT 0,   -- 1: the page had its turn at least once
    depth        INTEGER NOT NULL,             -- fewest links from a seed
    inlinks      INTEGER NOT NULL DEFAULT 0,   -- counted links from read pages and aliases to this very URL
    stands_for   INTEGER,                      -- of an alias: pages.id of its target; NULL: no alias
    -- the book
    cash         INTEGER NOT NULL,             -- C: got and not yet passed on, without its birth cash
    forwarded    INTEGER NOT NULL DEFAULT 0,   -- H: all the cash that it has passed on
    history      REAL    NOT NULL DEFAULT 0,   -- the part of H within the window, as of clock
    clock        REAL    NOT NULL DEFAULT 0,   -- G at the last visit, or at discovery
    attempts     INTEGER NOT NULL DEFAULT 0,   -- failures in a row
    chain_length INTEGER NOT NULL DEFAULT 0,   -- aliases in the longest chain of them that ends here
    fetch        INTEGER                       -- fetches.id: what its last turn was answered; NULL: nothing
) STRICT;
CREATE INDEX pages_seeds ON pages (id) WHERE found_on IS NULL;
CREATE INDEX pages_failed ON pages (id) WHERE attempts > 0;
CREATE INDEX pages_aliases ON pages (stands_for) WHERE stands_for IS NOT NULL;

-- Where a URL is found by its keyed hash, see urlhash.py. URLs of a host stand together, as most links of a page do.
CREATE TABLE url_hashes (
    hash         INTEGER NOT NULL,
    page         INTEGER NOT NULL,             -- pages.id
    PRIMARY KEY (hash, page)
) STRICT, WITHOUT ROWID;

-- Answers, numbered in the order in which pages got their first. A table of its own: a row of pages that had to take
-- this in would outgrow its place in the file.
CREATE TABLE fetches (
    id           INTEGER PRIMARY KEY,
    page         INTEGER NOT NULL,             -- pages.id
    status       INTEGER NOT NULL,             -- HTTP status
    fetched_at   REAL    NOT NULL,             -- Unix seconds
    seconds      REAL    NOT NULL,             -- how long the server took
    bytes        INTEGER NOT NULL,             -- of the body, on the network
    content_type TEXT,
    title        TEXT,
    canonical    TEXT,                         -- URL of which it says to be a copy; '': itself; NULL: none, or several
    robots       TEXT,                         -- which of noindex, nofollow, noarchive, googlebot: noindex it says; NULL: none
    hreflang     TEXT,                         -- what its head gives as itself in other languages: en=URL fr=URL
    validators   BLOB,                         -- of a complete page, see crawler/http/validators.py; NULL: none
    on_use       TEXT,                         -- what it says on its use, a line each: 'meta robots: noai'; NULL: nothing
    -- what an HTML page that says something can be told by (crawler/html/fingerprint.py, crawler/recognise/duplicates.py)
    digest       INTEGER,                      -- 64-bit digest of the body without link targets and its own path
    payload      INTEGER,                      -- 64-bit digest of the body
    sketch       BLOB,                         -- 40 bytes, see crawler/html/fingerprint.py; NULL: too little text
    leader       INTEGER,                      -- page that said it first, of which this one is a duplicate; NULL: none
    distance     INTEGER                       -- bits by which its sketch differs from the leader's; NULL: same bytes
) STRICT;
CREATE INDEX fetches_duplicates ON fetches (leader, distance) WHERE leader IS NOT NULL;
CREATE INDEX fetches_payloads ON fetches (payload, page) WHERE payload IS NOT NULL AND (leader IS NULL OR distance IS NOT NULL);

-- Outlinks of read pages: distinct targets in document order, 4 bytes each, little endian.
CREATE TABLE links (
    source       INTEGER PRIMARY KEY,          -- pages.id; an alias has its one target here
    targets      BLOB    NOT NULL,
    nofollow     INTEGER NOT NULL DEFAULT 0,   -- targets not counted: rel=nofollow, ugc, sponsored
    refused      INTEGER NOT NULL DEFAULT 0,   -- targets not counted: out of scope, filtered or in a trap
    own          BLOB,                         -- of an alias that is a page itself (canonical): its own outlinks
    places       BLOB,                         -- where on the page each target stands, 2 bits a link, the first lowest:
    own_places   BLOB                          -- 0 text, 1 list, 2 navigation; NULL: all alike, or not known
) STRICT;

CREATE TABLE hosts (
    id           INTEGER PRIMARY KEY,
    name         TEXT    NOT NULL UNIQUE,      -- host, with port where it is not the scheme's own
    crawl_delay  REAL    NOT NULL DEFAULT 0,   -- seconds its robots.txt asks for between two requests
    next_fetch   REAL    NOT NULL DEFAULT 0,   -- Unix seconds at which the delay is over
    -- how it has answered, see crawler/hosts/politeness.py
    seconds      REAL    NOT NULL DEFAULT 0,   -- how long its last good answer took
    backoff      REAL    NOT NULL DEFAULT 0,   -- seconds of delay that its strain made; 0: none
    strains      INTEGER NOT NULL DEFAULT 0,   -- 429, 503, time-outs and the like in a row
    dead_until   REAL    NOT NULL DEFAULT 0,   -- Unix seconds; until then its pages are not asked for
    rests_until  REAL    NOT NULL DEFAULT 0,   -- Unix seconds; until then it is left alone for another reason
    site         INTEGER                       -- sites.id; NULL: no site is kept of it
) STRICT;

-- Where walkers jump to (opic/sites/births.py). Empty where they jump to all pages alike: meta.jump is not 'sites' then.
CREATE TABLE sites (
    id           INTEGER PRIMARY KEY,          -- from 1 on
    name         TEXT    NOT NULL UNIQUE,      -- its owner, see crawler/urls/keys.py
    trust        REAL    NOT NULL DEFAULT 0,   -- share of all
    page_level   INTEGER NOT NULL DEFAULT 1,   -- birth cash of each of its pages, but for those from meta.shared_out on,
    door_level   INTEGER NOT NULL DEFAULT 0    --   which have one unit; and for each unit of the weight of a door
) STRICT;

-- Pages at which people come in.
CREATE TABLE doors (
    page         INTEGER PRIMARY KEY,          -- pages.id
    is_front     INTEGER NOT NULL,             -- 1: the front page of a host
    weight       INTEGER NOT NULL              -- door weight, 256 units each, as of when births were last shared out
) STRICT;

-- Links from other sites, by the page they lead to and the site they come from.
CREATE TABLE voices (
    page         INTEGER NOT NULL,             -- pages.id
    site         INTEGER NOT NULL,             -- sites.id; 0: sites of other partitions, see crawler/sharing/voices.py
    links        INTEGER NOT NULL,             --   of those how many sites
    PRIMARY KEY (page, site)
) STRICT, WITHOUT ROWID;

CREATE TABLE robots (
    origin       TEXT    PRIMARY KEY,          -- scheme://host[:port]
    status       INTEGER,
    reason       TEXT,                         -- why there was no usable answer
    body         BLOB    NOT NULL,
    fetched_at   REAL    NOT NULL,
    expires      REAL    NOT NULL,
    attempts     INTEGER NOT NULL
) STRICT;

CREATE TABLE meta (
    key          TEXT    PRIMARY KEY,
    value        ANY
) STRICT, WITHOUT ROWID;

-- Rankings that were worked out of the links and kept under a name ('minicrawl rank --save NAME'): the pages that
-- were known then. They stay as they are while a crawl goes on.
CREATE TABLE rankings (
    name         TEXT    NOT NULL,
    page         INTEGER NOT NULL,             -- pages.id
    value        REAL    NOT NULL,             -- more is better
    PRIMARY KEY (name, page)
) STRICT, WITHOUT ROWID;

-- What the trap defence has learned (crawler/admission/traps/findings.py), by pattern of URLs: a host and a path with what varies blanked.
-- A mere site has the links dropped beyond its budget, and its pages then; a host and a rule the links that this rule,
-- which knows no pattern, dropped.
CREATE TABLE patterns (
    name         TEXT    PRIMARY KEY,
    parsed       INTEGER NOT NULL,             -- pages that were parsed and have text
    repeated     INTEGER NOT NULL,             -- of these, what another page of the host had said before
    last         INTEGER NOT NULL,             -- the same of the last 12: a bit each
    fruitful     INTEGER NOT NULL,             -- of these, pages that made URLs of other patterns known
    combined     INTEGER NOT NULL,             -- URLs found on its pages that only combine parameters known before
    dropped      INTEGER NOT NULL,             -- links that were not counted because of the pattern
    trap         TEXT,                         -- the rule that shut it
    seen         TEXT,                         -- JSON: months or parameters
    counting     TEXT                          -- JSON: what its numbered URLs showed (crawler/admission/traps/findings.py)
) STRICT, WITHOUT ROWID;

-- Parameters that may be sessions', by the pattern of the URLs they are in (crawler/recognise/sessions.py).
CREATE TABLE parameters (
    pattern      TEXT    NOT NULL,
    name         TEXT    NOT NULL,
    verdict      TEXT    NOT NULL,             -- "?", session, content
    probes       INTEGER NOT NULL,             -- pages that were asked for without it
    signs        TEXT    NOT NULL,             -- JSON [[hash of its value, was news], ...]: pages that say the same without
    PRIMARY KEY (pattern, name)
) STRICT, WITHOUT ROWID;

-- What read pages lead to and is not followed, as far as it is of use to know.
CREATE TABLE refused (
    source       INTEGER PRIMARY KEY,          -- pages.id
    leads_to     TEXT,                         -- target of its redirect, meta refresh or canonical that was refused
    too_deep     TEXT,                         -- JSON: linked URLs that only --max-depth keeps out
    malformed    TEXT                          -- JSON: the first of its links that are no URLs, as written
) STRICT;

-- By how much a topic raises the priority of pages, where the words stand in a link to one or on the linking page.
CREATE TABLE interests (
    page         INTEGER PRIMARY KEY,          -- pages.id
    topic        REAL    NOT NULL              -- factor, see crawler/admission/focus.py
) STRICT;

-- Pages that a page read before them gives as the same in another language or for another medium (crawler/visits/alternates.py).
CREATE TABLE alternates (
    page         INTEGER PRIMARY KEY,          -- pages.id
    named_by     INTEGER NOT NULL              -- pages.id
) STRICT;

-- Pages that are fetched again (crawler/frontier/due_pages.py, crawler/visits/refreshing.py). A table of its own: crawls
-- that read every page once have no use for it.
CREATE TABLE refresh (
    page          INTEGER PRIMARY KEY,         -- pages.id
    fetched_at    REAL    NOT NULL,            -- Unix seconds of the last answer
    due           REAL    NOT NULL,            -- Unix seconds
    rate          REAL    NOT NULL,            -- changes per second, as learned; as it was taken where information is 0
    information   REAL    NOT NULL,            -- the shape of its distribution, see opic/refresh.py; 0: nothing learned
    fetches       INTEGER NOT NULL,            -- answers
    changes       INTEGER NOT NULL,            -- of these, answers that had changed
    changed_at    REAL,                        -- Unix seconds of the last of them
    importance    REAL    NOT NULL DEFAULT 0,  -- of the page, the last one in importances; 0: none
    lastmod       REAL,                        -- Unix seconds; by its sitemap it changed then, after the last answer
    doubt         INTEGER NOT NULL DEFAULT 0,  -- 1: its validators have lied, see crawler/recognise/conditions.py
    blocks        BLOB    NOT NULL,            -- see crawler/recognise/changes.py
    answers       TEXT    NOT NULL             -- the last eight: = as before, # changed, ? not found, ! failed
) STRICT;

-- What is known of the pages of a host together, where they are fetched again.
CREATE TABLE refresh_hosts (
    host          INTEGER PRIMARY KEY,         -- hosts.id
    doubt         INTEGER NOT NULL DEFAULT 0,  -- of its validators (crawler/recognise/conditions.py)
    dates         INTEGER NOT NULL DEFAULT 0,  -- how far its Last-Modified is believed, see crawler/frontier/schedules.py
    lastmods      INTEGER NOT NULL DEFAULT 0,  -- the same of lastmod in its sitemaps
    blocks        BLOB                         -- those its pages repeat, see store/texts/repeated_blocks.py; NULL: not known
) STRICT;

-- Change rates that are assumed of pages fetched once, by host and folder (crawler/frontier/change_rates.py).
CREATE TABLE group_rates (
    host          INTEGER NOT NULL,            -- hosts.id; -1: all
    folder        TEXT    NOT NULL,            -- first folder of the path, after the media type of other than HTML; '': all
    rate          REAL    NOT NULL,            -- changes per second
    information   REAL    NOT NULL,            -- the shape of its distribution, see opic/refresh.py
    fetched_twice REAL    NOT NULL,            -- pages; one with a date counts for a part
    PRIMARY KEY (host, folder)
) STRICT;

-- What has become of pages that are fetched again.
CREATE TABLE changes (
    id            INTEGER PRIMARY KEY,
    page          INTEGER NOT NULL,            -- pages.id
    at            REAL    NOT NULL,            -- Unix seconds
    what          TEXT    NOT NULL,            -- new changed gone
    added         INTEGER NOT NULL,            -- blocks of its text
    removed       INTEGER NOT NULL
) STRICT;
CREATE INDEX changes_by_time ON changes (at);

-- Importance of pages that are fetched again, noted at a fetch if it is another one by a tenth than when noted before.
CREATE TABLE importances (
    page          INTEGER NOT NULL,            -- pages.id
    at            REAL    NOT NULL,            -- Unix seconds
    importance    REAL    NOT NULL,            -- share of all
    PRIMARY KEY (page, at)
) STRICT, WITHOUT ROWID;

-- Answers that are in the archive.
CREATE TABLE records (
    id            INTEGER PRIMARY KEY,
    page          INTEGER,                     -- pages.id; NULL: a robots.txt, a sitemap, a probe, a page's part
    url           TEXT,                        -- of such; NULL: that of the page
    at            REAL    NOT NULL,            -- Unix seconds: when the request left
    file          TEXT    NOT NULL,            -- its name
    start         INTEGER NOT NULL,            -- of the record, in bytes
    length        INTEGER NOT NULL,
    digest        BLOB    NOT NULL,            -- SHA-1 of the body as it was sent, without transfer coding
    kind          TEXT    NOT NULL,            -- response revisit not-modified resource
    status        INTEGER NOT NULL,            -- HTTP status
    media_type    TEXT    NOT NULL
) STRICT;
CREATE INDEX records_by_digest ON records (digest) WHERE kind = 'response' AND status = 200;
CREATE INDEX records_by_page ON records (page) WHERE page IS NOT NULL;
CREATE INDEX records_by_url ON records (url) WHERE url IS NOT NULL;

-- Files that pages need to look as they do, by --requisites: no pages, and no links lead to them.
CREATE TABLE requisites (
    id            INTEGER PRIMARY KEY,         -- in the order in which they became known
    url           TEXT    NOT NULL UNIQUE,
    page          INTEGER NOT NULL,            -- pages.id of the first page that needs it
    kind          TEXT    NOT NULL,            -- style, frame, file
    level         INTEGER NOT NULL,            -- style sheets, frames and redirects between the page and it
    state         TEXT    NOT NULL,            -- waiting kept failed
    reason        TEXT    NOT NULL,            -- the code that says why it is in this state
    status        INTEGER,                     -- HTTP status of the last answer
    bytes         INTEGER NOT NULL DEFAULT 0,  -- of its body, on the network
    asked_at      REAL                         -- Unix seconds
) STRICT;
CREATE INDEX requisites_waiting ON requisites (id) WHERE state = 'waiting';
CREATE INDEX requisites_by_page ON requisites (page);

-- Facts of HTML pages for an audit, by --audit, as of their last answers (minicrawl/crawler/html/facts.py).
CREATE TABLE page_facts (
    page          INTEGER PRIMARY KEY,         -- pages.id
    description   TEXT,                        -- the first 320 characters
    language      TEXT,                        -- of its html element
    h1s           INTEGER NOT NULL,            -- h1 elements
    without_alt   INTEGER NOT NULL,            -- images without a text in their place
    mixed         TEXT                         -- the first http: URLs that this https page loads, with spaces between
) STRICT;

-- Cookies of hosts, with --cookies: in the clear, so that nobody but the user may read a store that has any.
CREATE TABLE cookies (
    domain       TEXT    NOT NULL,             -- host, or domain with all hosts below it
    path         TEXT    NOT NULL,
    name         TEXT    NOT NULL,
    value        TEXT    NOT NULL,
    host_only    INTEGER NOT NULL,             -- 1: for the host alone
    secure       INTEGER NOT NULL,             -- 1: over https alone
    http_only    INTEGER NOT NULL,
    expires      REAL,                         -- Unix seconds; NULL: without an end
    created      REAL    NOT NULL,             -- Unix seconds: when it was first set
    changed      REAL    NOT NULL,             -- when it was set last
    PRIMARY KEY (domain, path, name)
) STRICT, WITHOUT ROWID;

-- 64-bit digests of what the pages of a host said, the host in the digest.
CREATE TABLE digests (
    digest       INTEGER PRIMARY KEY
) STRICT;

-- Sitemaps that robots.txt files name, or other sitemaps that those name (crawler/sitemaps/queue.py).
CREATE TABLE sitemaps (
    id           INTEGER PRIMARY KEY,
    host         INTEGER NOT NULL,             -- hosts.id: whose robots.txt led here, and whose URLs it may list
    url          TEXT    NOT NULL,
    page         INTEGER NOT NULL,             -- pages.id: whose turn led to that robots.txt
    nesting      INTEGER NOT NULL,             -- redirects and indexes between robots.txt and here
    reason       TEXT    NOT NULL,             -- "due", or the code that says what came of it
    attempts     INTEGER NOT NULL,             -- failures in a row
    status       INTEGER,                      -- HTTP status
    asked_at     REAL,                         -- Unix seconds
    found        INTEGER NOT NULL,             -- URLs in it
    queued       INTEGER NOT NULL,             -- of these, URLs that were in scope and not known yet
    made_known   INTEGER NOT NULL,             -- of these, pages that it made known
    UNIQUE (host, url)
) STRICT;

-- URLs from sitemaps that are not known yet, by the host they are on, in the order they are to become so.
CREATE TABLE sitemap_urls (
    host         INTEGER NOT NULL,             -- hosts.id
    id           INTEGER NOT NULL,
    url          TEXT    NOT NULL,
    sitemap      INTEGER NOT NULL,             -- sitemaps.id
    PRIMARY KEY (host, id)
) STRICT, WITHOUT ROWID;

-- Pages that sitemaps list.
CREATE TABLE sitemap_pages (
    page         INTEGER PRIMARY KEY,          -- pages.id
    sitemap      INTEGER NOT NULL,             -- sitemaps.id of the first that lists it
    made_known   INTEGER NOT NULL DEFAULT 1    -- 1: it made the page known; 0: a link or a seed had
) STRICT;

-- What hosts answered for pages that cannot exist (crawler/recognise/soft404.py).
CREATE TABLE probes (
    folder       TEXT    PRIMARY KEY,          -- in which the pages were asked for
    url          TEXT    NOT NULL,             -- the last of them
    asked_at     REAL    NOT NULL,             -- Unix seconds
    verdict      TEXT    NOT NULL,             -- not-found, open, varied, soft-404, catch-all
    status       INTEGER,                      -- HTTP status of the last answer
    digest       INTEGER,                      -- 64 bits of what all answers said; NULL: they differ
    asked        INTEGER NOT NULL DEFAULT 1,   -- pages that were asked for
    words        BLOB,                         -- hashes of words that all answers share, 4 bytes each; NULL: too many
    varies       INTEGER NOT NULL DEFAULT 0,   -- words of an answer that others lack, at most
    numbers      INTEGER NOT NULL DEFAULT 0,   -- numbers in an answer, at most
    echoes       INTEGER NOT NULL DEFAULT 0,   -- 1: they repeat the URL
    is_there     INTEGER NOT NULL DEFAULT 0,   -- 1: a page that is surely there says the same
    matched      BLOB,                         -- pages.id of pages that say the same, 4 bytes each
    others       BLOB                          -- of pages that do not
) STRICT, WITHOUT ROWID;

-- Pages that were read lately, in this order: they are judged by what hosts will be asked, and hosts asked because of them.
CREATE TABLE recent_pages (
    id           INTEGER PRIMARY KEY,
    page         INTEGER NOT NULL,             -- pages.id
    digest       INTEGER,                      -- 64 bits of what it says
    words        BLOB    NOT NULL,             -- how many numbers it has, and hashes of its words, 4 bytes each
    is_there     INTEGER NOT NULL              -- 1: it is surely there
) STRICT;

-- Where the texts of pages stand in the file beside this one (store/texts/text_file.py).
CREATE TABLE texts (
    page         INTEGER PRIMARY KEY,          -- pages.id
    start        INTEGER NOT NULL,             -- byte of that file; rises with every text that is kept
    size         INTEGER NOT NULL              -- bytes
) STRICT;

-- Texts of pages as of their changes, the last eight of each page: there too.
CREATE TABLE text_versions (
    page         INTEGER NOT NULL,             -- pages.id
    at           REAL    NOT NULL,             -- changes.at; 0: before the first change
    start        INTEGER NOT NULL,             -- as in texts, where the last one may have its place too
    size         INTEGER NOT NULL,
    PRIMARY KEY (page, at)
) STRICT, WITHOUT ROWID;

-- How the crawl has gone on: points of its curves, some hundreds however long it lasts (crawler/loop/measurements.py).
CREATE TABLE course (
    seconds      REAL    PRIMARY KEY,          -- of crawling by then, in all runs, pauses left out
    at           REAL    NOT NULL,             -- Unix seconds
    fetched      INTEGER NOT NULL,             -- answers for pages, in all runs
    bytes        INTEGER NOT NULL,             -- of their bodies
    known        INTEGER NOT NULL,             -- pages
    read         INTEGER NOT NULL,             -- pages
    given_up     INTEGER NOT NULL,             -- pages that failed or are forbidden
    coverage     REAL    NOT NULL              -- share of all importance that the pages read hold, from below
) STRICT;

-- How many pages there are of every state and reason, and which may be the most important: so that to tell it takes no
-- look at all pages. The crawl keeps both at every commit.
CREATE TABLE tallies (
    state        TEXT    NOT NULL,
    reason       TEXT    NOT NULL,
    pages        INTEGER NOT NULL,
    PRIMARY KEY (state, reason)
) STRICT, WITHOUT ROWID;

-- Every page, no alias, whose X (see the view `weighed`) is meta.best_floor or more is here.
CREATE TABLE best (
    page         INTEGER PRIMARY KEY           -- pages.id
) STRICT;

-- All pages, best first, as of the end of the last run; while meta.is_ranked, nothing has changed since.
CREATE TABLE places (
    first        INTEGER PRIMARY KEY,          -- how many pages are before these
    pages        BLOB    NOT NULL              -- pages.id, 4 bytes each, little endian
) STRICT;

-- A crawl in partitions (crawler/sharing/, minicrawl/cluster/). Empty in a store that is a crawl by itself.
--
-- Pages that another partition has (state elsewhere), and what that has been sent of each so far. What a mirror has
-- received in all is its pages.received; what of that was sent, its pages.forwarded.
CREATE TABLE mirrors (
    page         INTEGER PRIMARY KEY,          -- pages.id
    home         INTEGER NOT NULL,             -- number of the partition that has it
    inlinks      INTEGER NOT NULL,
    depth        INTEGER,                      -- NULL: nothing was sent of it, so its home may not know it
    chain_length INTEGER NOT NULL
) STRICT;

-- What has left the accounts of this partition, until the one that it is for has committed it.
CREATE TABLE outbox (
    home         INTEGER NOT NULL,
    number       INTEGER NOT NULL,             -- 1, 2, 3 ... for every home
    received     INTEGER NOT NULL,             -- sum of what is in `records`
    records      BLOB    NOT NULL,             -- see store/partitions/records.py
    PRIMARY KEY (home, number)
) STRICT, WITHOUT ROWID;

-- What has passed between this partition and every other one.
CREATE TABLE neighbours (
    partition    INTEGER PRIMARY KEY,
    sent         INTEGER NOT NULL,             -- number of the last row of `outbox` that was made for it
    taken        INTEGER NOT NULL,             -- number of the last row of its `outbox` that is in the accounts here
    credit_sent  INTEGER NOT NULL DEFAULT 0,   -- sums over all of these rows of what is received
    debit_sent   INTEGER NOT NULL DEFAULT 0,   --   and of what is taken back
    credit_taken INTEGER NOT NULL DEFAULT 0,
    debit_taken  INTEGER NOT NULL DEFAULT 0
) STRICT;

-- The scalars of the book: one row.
CREATE VIEW book AS
SELECT (SELECT value FROM meta WHERE key = 'clock') AS clock,
       (SELECT value FROM meta WHERE key = 'window') AS size,
       (SELECT value FROM meta WHERE key = 'virtual')
           + (SELECT value FROM meta WHERE key = 'never_visited') + 0.0 AS virtual,
       max(1, (SELECT value FROM meta WHERE key = 'births')) AS births,
       (SELECT value FROM meta WHERE key = 'shared_out') AS shared_out,
       max(1e-300, (SELECT value FROM meta WHERE key = 'total')) AS total,
       coalesce((SELECT value FROM meta WHERE key = 'best_floor'), 9223372036854775807) AS floor;

-- Every page with its birth cash.                                                                    (births.py)
--   birth = 2^24, of a page that has gone 0; where walkers jump to sites the level of its site, which an alias lacks,
--     and that of doors by its weight; 1 of a page that became known since births were shared out
CREATE VIEW born AS
SELECT pages.*,
       CASE WHEN state IN ('gone', 'elsewhere') THEN 0
            WHEN shared_out IS NULL THEN 16777216
            WHEN pages.id >= shared_out OR page_level IS NULL THEN state <> 'alias'
            ELSE iif(state = 'alias', 0, page_level) + coalesce(doors.weight, 0) * door_level END AS birth
FROM pages CROSS JOIN book
LEFT JOIN hosts ON hosts.id = pages.host LEFT JOIN sites ON sites.id = hosts.site
LEFT JOIN doors ON doors.page = pages.id;

-- Every page with its importance. The formulas are those of the package minicrawl.opic:
--   X = R + V' * birth / sum(birth), R = cash + forwarded,  importance = X / sum(X),  aliases have none     (book.py)
--   history brought to now:                                                                          (window.py)
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
       inlinks + coalesce((
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
       x,
       state NOT IN ('alias', 'elsewhere') AND x >= least AS is_worthy
FROM (
    SELECT born.id AS number, url, state, reason, depth, inlinks, history, fetch, size, total,
           CASE WHEN state IN ('alias', 'elsewhere') THEN 0.0 ELSE cash + forwarded + virtual / births * birth END AS x,
           floor AS least,
           iif(state = 'elsewhere', 0, cash + birth) AS cash,
           book.clock - born.clock AS elapsed
    FROM born CROSS JOIN book
) LEFT JOIN fetches ON fetches.id = fetch;

-- Every link as it stands on a page: pages.id of the page, and of the one it leads to. A redirect leads to its target. A
-- target is four bytes of a blob, each worth its place among all bytes.
CREATE VIEW link_pairs AS
SELECT source,
       instr(bytes, substr(packed, 4 * key + 1, 1)) - 1
           + (instr(bytes, substr(packed, 4 * key + 2, 1)) - 1) * 256
           + (instr(bytes, substr(packed, 4 * key + 3, 1)) - 1) * 65536
           + (instr(bytes, substr(packed, 4 * key + 4, 1)) - 1) * 16777216 AS target
FROM (
    SELECT source, coalesce(own, targets) AS packed, x'000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F606162636465666768696A6B6C6D6E6F707172737475767778797A7B7C7D7E7F808182838485868788898A8B8C8D8E8F909192939495969798999A9B9C9D9E9FA0A1A2A3A4A5A6A7A8A9AAABACADAEAFB0B1B2B3B4B5B6B7B8B9BABBBCBDBEBFC0C1C2C3C4C5C6C7C8C9CACBCCCDCECFD0D1D2D3D4D5D6D7D8D9DADBDCDDDEDFE0E1E2E3E4E5E6E7E8E9EAEBECEDEEEFF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF' AS bytes FROM links
) CROSS JOIN json_each('[' || replace(hex(zeroblob(length(packed) / 4 - 1)), '00', '0,') || '0]')
WHERE length(packed) > 0;

-- Every page with its importance, best first: those of `best` before all others, so that the first come at once.
CREATE VIEW ranks AS
SELECT * FROM (
    SELECT row_number() OVER (ORDER BY x DESC, id) AS rank, url, importance, history, cash, depth, status, inlinks,
           outlinks, fetched_at, title, state, reason, id
    FROM best CROSS JOIN weighed ON weighed.id = best.page
    WHERE is_worthy
    ORDER BY x DESC, id
)
UNION ALL
SELECT * FROM (
    SELECT row_number() OVER (ORDER BY x DESC, id)
               + (SELECT count(*) FROM best CROSS JOIN weighed ON weighed.id = best.page WHERE is_worthy) AS rank,
           url, importance, history, cash, depth, status, inlinks, outlinks, fetched_at, title, state, reason, id
    FROM weighed
    WHERE NOT (is_worthy AND id IN (SELECT page FROM best))
    ORDER BY x DESC, id
);
