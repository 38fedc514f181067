"""A website is a literal; the same literal is a graph.

    {"http://a.test/": ["http://a.test/x", "http://b.test/"], "http://a.test/x": 404, "http://b.test/": "http://a.test/"}

A list: an HTML page with these links. A number: an answer with this status. A string: a redirect to there.
Anything else is a 404.
"""

import random
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar, overload

import httpx
from support.intakes import at_once
from support.skipping import run

from minicrawl.api import acrawl
from minicrawl.crawler.books.invariants import violations
from minicrawl.model import CrawlReport
from minicrawl.sizes import STANDARD_SIZES, Sizes
from minicrawl.store.reader import open_store

Reply = list[str] | int | str
Site = dict[str, Any]  # of replies; two sites of pages alone are to be one by "|"


class Server(httpx.MockTransport):
    """Serves a site, and remembers what was asked for."""

    def __init__(self, site: Mapping[str, Reply], robots: str | int = 404) -> None:
        self.site = dict(site)
        self.robots = robots
        self.asked: list[str] = []
        self.asked_robots: list[str] = []
        super().__init__(self._answer)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        url = str(request.url)
        if request.url.path == "/robots.txt":
            self.asked_robots.append(url)
            return (
                httpx.Response(self.robots) if isinstance(self.robots, int) else httpx.Response(200, text=self.robots)
            )
        self.asked.append(url)
        reply = self.site.get(url, 404)
        if isinstance(reply, int):
            return httpx.Response(reply)
        if isinstance(reply, str):
            return httpx.Response(301, headers={"location": reply})
        return httpx.Response(200, html=html(reply))


Kind = TypeVar("Kind", bound=Server)


def html(links: list[str]) -> str:
    """A page with these links; what starts with '<' stands as it is."""
    return "".join(link if link.startswith("<") else f'<a href="{link}">to</a>' for link in links)


def canonical(url: str) -> str:
    """The element of a page that says it stands for this URL."""
    return f'<link rel="canonical" href="{url}">'


@overload
def crawl(site: Kind, store: Path, seeds: list[str], **settings: Any) -> tuple[CrawlReport, Kind]: ...
@overload
def crawl(site: Mapping[str, Reply], store: Path, seeds: list[str], **settings: Any) -> tuple[CrawlReport, Server]: ...
def crawl(site: Any, store: Path, seeds: list[str], **settings: Any) -> tuple[CrawlReport, Any]:
    """Crawl a site with one request at a time and no delay. Waits for nothing: see `skipping`.

    With a share for pages never read, the others are read again at once.
    """
    server = site if isinstance(site, Server) else Server(site)
    options = {"delay": 0.0, "concurrency": 1} | at_once(settings) | settings
    return run(acrawl(seeds, store, transport=server, **options), grace=0.0), server


def rows(store: Path, query: str, *values: Any) -> list[tuple[Any, ...]]:
    """What a query says of a store, or does to it."""
    with sqlite3.connect(store) as db:
        found = db.execute(query, values).fetchall()
    db.close()
    return found


def faults_in(store: Path, sizes: Sizes = STANDARD_SIZES) -> list[str]:
    """What the audit finds wrong with a store."""
    with open_store(store, sizes) as reader:
        return list(violations(reader))


def random_site(seed: int, pages: int = 60, hosts: int = 4) -> tuple[dict[str, list[str]], list[str]]:
    """A seeded site over several hosts, and its seeds: every page has up to 8 links, some have none."""
    rng = random.Random(seed)
    urls = [f"http://h{rng.randrange(hosts)}.test/{page}" for page in range(pages)]
    site: dict[str, list[str]] = {}
    for url in urls:
        site[url] = [urls[min(int(rng.paretovariate(0.7)) - 1, pages - 1)] for _ in range(rng.randrange(9))]
    return site, urls[-3:]


def wide_site(seed: int, pages: int = 200, hosts: int = 5) -> tuple[dict[str, list[str]], list[str]]:
    """A seeded site of which every page is reached, and most are known long before they are read; and its seed."""
    rng = random.Random(seed)
    words = ["".join(rng.choices("abcdefghijklmnop", k=8)) for _ in range(pages)]  # numbers may be taken for a trap
    urls = [f"http://h{page % hosts}.test/{word}" for page, word in enumerate(words)]
    site = {url: [urls[min(int(rng.paretovariate(0.7)), pages) - 1] for _ in range(4)] for url in urls}
    for page in range(1, pages):
        site[urls[(page - 1) // 4]].append(urls[page])
    return site, urls[:1]


def web_of_sites(seed: int, redirects: float = 0.0) -> tuple[Site, list[str]]:
    """Ten sites of one to fifteen pages that link to one another, and two seeds; a share of the pages redirects."""
    draw = random.Random(seed)
    sizes = [draw.randrange(1, 16) for _ in range(10)]
    urls = [
        f"http://s{site}.test/{f'p{page}' if page else ''}" for site, size in enumerate(sizes) for page in range(size)
    ]
    web: Site = {url: draw.sample(urls, draw.randrange(5)) for url in urls}
    web |= {url: draw.choice(urls) for url in urls[1:] if draw.random() < redirects}
    return web, urls[:2]


# Tables of older versions where they differ from those of the version after.
# Until version 13 walkers of their own, who started at the seeds, told the coverage.
_TWELFTH = """
    DROP TABLE host_blocks;
    ALTER TABLE pages ADD COLUMN walkers INTEGER NOT NULL DEFAULT 7;
    ALTER TABLE pages ADD COLUMN steps INTEGER NOT NULL DEFAULT 9;
    ALTER TABLE outbox ADD COLUMN walkers INTEGER NOT NULL DEFAULT 7;
    ALTER TABLE neighbours DROP COLUMN credit_sent;
    ALTER TABLE neighbours DROP COLUMN debit_sent;
    ALTER TABLE neighbours DROP COLUMN credit_taken;
    ALTER TABLE neighbours DROP COLUMN debit_taken;
    INSERT INTO meta VALUES ('coverage_waiting', 281474976710656);
"""
# Until version 12 birth cash counted as received, and no sites were kept.
_ELEVENTH = """
    DROP VIEW ranks;
    DROP VIEW weighed;
    DROP VIEW born;
    DROP VIEW books;
    CREATE VIEW ranks AS SELECT * FROM pages;
    CREATE VIEW weighed AS SELECT * FROM pages;
    CREATE VIEW books AS SELECT * FROM meta;
    UPDATE pages SET received = received + 16777216 WHERE state NOT IN ('gone', 'elsewhere');
    ALTER TABLE hosts DROP COLUMN site;
    DROP TABLE sites;
    DROP TABLE doors;
    DROP TABLE voices;
"""
# What version 11 brought is taken away: views are made anew by every upgrade.
_TENTH = """
    DROP INDEX pages_failed;
    DROP TABLE page_blocks;
    DROP TABLE touched;
    DELETE FROM meta WHERE key IN ('unvisited_level', 'discovery_lever', 'touched');
"""
# What version 10 brought is taken away.
_NINTH = """
    ALTER TABLE fetches DROP COLUMN canonical;
    ALTER TABLE fetches DROP COLUMN robots;
    ALTER TABLE fetches DROP COLUMN hreflang;
    DROP TABLE course;
    DROP TABLE mirrors;
    DROP TABLE outbox;
    DROP TABLE neighbours;
"""
# What version 9 brought is taken away.
_EIGHTH = """
    DROP VIEW link_pairs;
    DROP TABLE importances;
    DROP TABLE texts;
    ALTER TABLE refresh DROP COLUMN importance;
    ALTER TABLE refresh DROP COLUMN lastmod;
    ALTER TABLE refresh_hosts DROP COLUMN dates;
    ALTER TABLE refresh_hosts DROP COLUMN lastmods;
    DROP TABLE anticipated;
    DROP TABLE anticipated_hosts;
    DROP VIEW ranks;
    DROP VIEW weighed;
    DROP TABLE expected;
    DROP TABLE expected_sites;
    DELETE FROM meta WHERE key = 'expected';
    CREATE VIEW ranks AS SELECT * FROM pages;
    DROP TABLE archive_files;
    DROP TABLE records;
    DROP TABLE cookies;
"""
_SEVENTH = """
    ALTER TABLE links DROP COLUMN places;
    ALTER TABLE links DROP COLUMN own_places;
    DROP TABLE refresh;
    DROP TABLE refresh_hosts;
    DROP TABLE changes;
"""
_FIFTH = """
    DROP VIEW ranks;
    DROP VIEW books;
    ALTER TABLE pages RENAME COLUMN visited TO is_read;
    ALTER TABLE pages RENAME COLUMN standing TO cash;
    ALTER TABLE pages RENAME COLUMN chain_length TO hops;
    ALTER TABLE hosts RENAME COLUMN next_fetch TO next_at;
    ALTER TABLE refused RENAME COLUMN too_deep TO beyond;
    ALTER TABLE patterns RENAME COLUMN admitted TO known;
    ALTER TABLE patterns RENAME COLUMN parsed TO read;
    ALTER TABLE sitemaps RENAME COLUMN nesting TO level;
    ALTER TABLE sitemaps RENAME COLUMN made_known TO taken;
    ALTER TABLE patterns DROP COLUMN counting;
    ALTER TABLE fetches DROP COLUMN sketch;
    ALTER TABLE fetches ADD COLUMN simhash INTEGER;
    ALTER TABLE probes DROP COLUMN asked;
    ALTER TABLE probes DROP COLUMN words;
    ALTER TABLE probes DROP COLUMN varies;
    ALTER TABLE probes DROP COLUMN numbers;
    ALTER TABLE probes DROP COLUMN echoes;
    ALTER TABLE probes DROP COLUMN is_there;
    ALTER TABLE probes DROP COLUMN matched;
    ALTER TABLE probes DROP COLUMN others;
    ALTER TABLE probes ADD COLUMN payload INTEGER;
    ALTER TABLE probes ADD COLUMN simhash INTEGER;
    ALTER TABLE probes ADD COLUMN title TEXT;
    ALTER TABLE pages DROP COLUMN steps;
    DELETE FROM meta WHERE key = 'links_left_out';
    INSERT INTO meta VALUES ('coverage_stepped', 281474976710656);
    ALTER TABLE hosts DROP COLUMN rests_until;
    CREATE VIEW ranks AS SELECT * FROM pages;
    DROP INDEX fetches_duplicates;
    DELETE FROM meta
        WHERE key IN ('ledger_never_visited', 'ledger_births', 'ledger_total', 'best_floor', 'is_ranked');
"""
_FOURTH = """
    DROP VIEW ranks;
    CREATE TABLE older (
        id INTEGER PRIMARY KEY, hash INTEGER NOT NULL, url TEXT NOT NULL, host INTEGER NOT NULL, found_on INTEGER,
        state TEXT NOT NULL, reason TEXT NOT NULL, is_read INTEGER NOT NULL DEFAULT 0, depth INTEGER NOT NULL,
        inlinks INTEGER NOT NULL DEFAULT 0, cash INTEGER NOT NULL, history REAL NOT NULL DEFAULT 0,
        clock REAL NOT NULL DEFAULT 0, measures TEXT, received INTEGER NOT NULL, forwarded INTEGER NOT NULL DEFAULT 0,
        birth INTEGER NOT NULL, walkers REAL NOT NULL DEFAULT 0, attempts INTEGER NOT NULL DEFAULT 0, status INTEGER,
        fetched_at REAL, seconds REAL, bytes INTEGER, content_type TEXT, title TEXT, hops INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    INSERT INTO older
        SELECT pages.id, 7, url, host, found_on, state, reason, is_read, depth, inlinks, cash, history, clock, measures,
            received, forwarded, (state <> 'gone') << 24, walkers / 281474976710656.0, attempts,
            status, fetched_at, seconds, bytes, content_type, title, hops
        FROM pages LEFT JOIN fetches ON fetches.id = fetch;
    CREATE TABLE fingerprints (
        page INTEGER PRIMARY KEY, digest INTEGER NOT NULL, payload INTEGER NOT NULL, simhash INTEGER, leader INTEGER,
        distance INTEGER
    ) STRICT;
    INSERT INTO fingerprints
        SELECT page, digest, payload, simhash, leader, distance FROM fetches WHERE payload IS NOT NULL;
    DROP TABLE pages;
    ALTER TABLE older RENAME TO pages;
    CREATE INDEX pages_hash ON pages (hash);
    CREATE INDEX pages_seeds ON pages (id) WHERE found_on IS NULL;
    UPDATE meta SET value = value / 281474976710656.0 WHERE key IN ('coverage_waiting', 'coverage_stepped');
    DROP TABLE url_hashes;
    DROP TABLE fetches;
    CREATE VIEW ranks AS SELECT * FROM pages;
"""
_THIRD = """
    DROP INDEX pages_seeds;
    ALTER TABLE hosts RENAME TO newer;
    CREATE TABLE hosts (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        crawl_delay REAL NOT NULL DEFAULT 0, -- seconds
        next_at REAL NOT NULL DEFAULT 0      -- the last column has a comment
    ) STRICT;
    INSERT INTO hosts SELECT id, name, crawl_delay, next_at FROM newer;
    DROP TABLE newer;
"""
_SINCE = {
    2: ["rankings"],
    3: ["patterns", "digests"],
    4: ["refused", "sitemaps", "sitemap_urls", "sitemap_pages", "fingerprints", "probes"],
    6: ["tallies", "best", "places", "domains", "linkers", "alternates", "parameters", "recent_pages"],
    15: ["spam_signs", "judgements"],  # the first stores of version 14 were made without judgements
    17: ["challenges", "tdmrep", "page_preferences"],
}


def of_version(version: int, store: Path) -> None:
    """Make a store one that was written by an older program, whose schema had this version: 1 to 5, 7 to 12, 14, 16."""
    with sqlite3.connect(store) as db:
        if version < 13:
            db.executescript(_TWELFTH)
        if version < 12:
            db.executescript(_ELEVENTH)
        if version < 11:
            db.executescript(_TENTH)
        if version < 10:
            db.executescript(_NINTH)
        if version < 9:
            db.executescript(_EIGHTH)
        if version < 8:
            db.executescript(_SEVENTH)
        if version < 6:
            db.executescript(_FIFTH)
        if version < 5:
            db.executescript(_FOURTH)
        if version < 4:
            db.executescript(_THIRD)
        db.execute("UPDATE meta SET value = json_remove(value, '$.jump') WHERE key = 'settings'")
        db.execute("DELETE FROM meta WHERE key = 'jump'")
        for table in (table for since, tables in _SINCE.items() if since > version for table in tables):
            db.execute(f"DROP TABLE {table}")
        db.execute(f"PRAGMA user_version = {version}")
    db.close()
