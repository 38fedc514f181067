"""The tables that rules of an audit ask, beside those of the store: temporary ones of one connection.

audited       every page, with what an audit knows of it; end_...: of the page at the end of its redirects
linked        links from judged pages to missing pages, redirect, are forbidden or not to be shown, or lead
              from https to http: `source`, and the columns of `audited` of the target
reached       the same, and seeds to which no such link leads, with the source NULL
canonicals    pages with the URL of another page that they name as their canonical, `named`, and its number, `target`
copies        canonicals that judged pages name: `source`, `named`, and the columns of `audited` of that page
missing_parts links to parts that pages do not have: `source`, `target`, and the `name` of the part
in_languages  pages with the language of a `version`, the URL of it, `named`, and its number, `target`
versions      those that judged pages name, other than themselves: `source`, `version`, `named`, and the page's columns

Pages are judged if they are of the sites of the seeds; links from these may lead anywhere.
"""

import json
import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.analysis.page_links import Web, make_missing_parts, numbered_sites
from minicrawl.opic.arrays import Pages
from minicrawl.reasons import LASTS, NEXT_RUN, OF_ROBOTS, REFUSES, TRANSIENT, codes, has
from minicrawl.store.hosts import ILL
from minicrawl.store.links import from_bytes as pages_of
from minicrawl.store.reader import Store
from minicrawl.web.fingerprint import SAYS_SOMETHING
from minicrawl.web.language_tags import is_language_tag
from minicrawl.web.urls.keys import site_of

_REFUSALS = codes(REFUSES)

# is_html: read as HTML, copies included; is_page: judged HTML that stands for itself, no redirect, copy or dead page;
# is_indexed: such a page that search engines may show. importance: of one that has none, an alias or dead page, what
# flows into it. is_unreachable: no answer tells whether it is there; is_dead: it is not there, soft 404s and loops of
# redirects aside. is_of_ill_host: the server was ill, so nothing is known of the page.
_MARKED = f"""
AS WITH known AS MATERIALIZED (
    SELECT pages.id, pages.host, site_at(pages.id) AS site, pages.state, pages.reason, pages.depth, pages.inlinks,
           pages.found_on IS NULL AS is_seed, pages.url GLOB 'https:*' AS is_https,
           iif(importance_at(pages.id) = 0, (pages.cash + pages.forwarded) / (SELECT total FROM book),
               importance_at(pages.id)) AS importance,
           coalesce(fetches.status, 0) AS status, coalesce(fetches.bytes, 0) AS bytes, fetches.seconds,
           fetches.fetched_at, coalesce(fetches.payload, 0) AS payload, fetches.leader,
           fetches.distance IS NOT NULL AS is_near, title, hreflang, facts, ours_at(pages.id) AS is_ours,
           redirects_at(pages.id) AS redirects, end_at(pages.id) AS end, is_broken_at(pages.id) AS is_broken,
           is_redirect_at(pages.id) AS is_redirect, links_at(pages.id) AS outlinks,
           links_to_itself_at(pages.id) AS links_to_itself, coalesce(nofollow + refused, 0) AS left_out,
           coalesce(robots GLOB '*noindex*', 0) AS is_noindex, coalesce(robots GLOB '*nofollow*', 0) AS is_nofollow,
           pages.state IN ('fetched', 'alias') AND coalesce(fetches.status, 0) < 300
               AND (lower(content_type) GLOB 'text/html*'
                    OR lower(content_type) GLOB 'application/xhtml+xml*') IS TRUE AS is_html
    FROM pages LEFT JOIN fetches ON fetches.id = fetch LEFT JOIN links ON links.source = pages.id
),
judged AS MATERIALIZED (
    SELECT *,
           is_ours AND is_html AND state = 'fetched' AS is_page,
           is_ours AND is_html AND state = 'fetched' AND NOT is_noindex AS is_indexed,
           is_ours AND id IN (SELECT page FROM sitemap_pages) AS is_listed,
           reason = 'makes-host-ill' OR state = 'waiting' AND host IN (
               SELECT host FROM health WHERE state IN {ILL}) AS is_of_ill_host,
           iif(is_broken, passes(reason) OR NOT is_ours AND reason IN {_REFUSALS}, 0) AS is_unreachable
    FROM known
)
SELECT *,
       is_broken AND NOT is_unreachable
           AND reason NOT IN ('soft-404', 'redirect-loop', 'redirect-chain') AS is_dead,
       is_indexed AND payload & {SAYS_SOMETHING} AND id > min(id) OVER (PARTITION BY is_indexed, payload) AS is_copy
FROM judged
"""
_VIEWS = {
    "audited": """
        SELECT marked.*, (SELECT url FROM pages WHERE pages.id = marked.id) AS url,
               json_extract(marked.facts, '$.description') AS description,
               json_extract(marked.facts, '$.language') AS language,
               (SELECT name FROM hosts WHERE hosts.id = marked.host) AS host_name,
               last.state AS end_state, last.reason AS end_reason, last.is_broken AS end_is_broken,
               last.is_unreachable AS end_is_unreachable, (last.is_dead OR last.reason = 'soft-404') AS leads_nowhere,
               (SELECT url FROM pages WHERE pages.id = last.id) AS end_url
        FROM marked LEFT JOIN marked AS last ON last.id = marked.end""",
    "linked": "SELECT source, audited.* FROM links_found CROSS JOIN audited ON audited.id = target",
    "reached": """
        SELECT * FROM linked UNION ALL
        SELECT NULL, * FROM audited WHERE is_seed AND id NOT IN (SELECT target FROM links_found)""",
    "copies": """
        SELECT page AS source, named, audited.*
        FROM canonicals JOIN marked ON marked.id = page AND marked.is_html AND marked.is_ours
        LEFT JOIN audited ON audited.id = target""",
    "versions": """
        SELECT page AS source, version, named, audited.*
        FROM in_languages JOIN marked ON marked.id = page AND marked.is_page
        JOIN audited ON audited.id = target WHERE target <> page""",
}


_FOUND = """
    SELECT id FROM marked
    WHERE is_broken OR is_redirect OR redirects OR is_page AND is_noindex
       OR state = 'disallowed' AND reason = 'robots'"""
_SEEN = """
    SELECT id FROM marked
    WHERE state IN ('fetched', 'alias') OR state IN ('error', 'gone') AND NOT passes(reason)"""
_SEEN_HOSTS = """
    SELECT name, max(state IN ('fetched', 'alias')) FROM hosts LEFT JOIN marked ON host = hosts.id GROUP BY name"""
_JUDGED = """
    SELECT coalesce(sum(is_page), 0), count(DISTINCT iif(is_page, host, NULL)),
           coalesce(sum(is_ours AND state = 'waiting'), 0), coalesce(sum(is_ours AND state IN ('error', 'gone')), 0),
           min(iif(is_ours, fetched_at, NULL)), max(iif(is_ours, fetched_at, NULL)),
           coalesce(sum(is_ours AND state = 'disallowed'), 0)
    FROM marked"""


class Judged(NamedTuple):
    """The part of the web that an audit is about: the sites of the seeds.

    pages: HTML pages that were judged; hosts: of these. waiting: pages not requested yet; failed: pages without an
    answer that could be read. first, last: times of the answers, in Unix seconds, NaN without any. coverage and
    the like: as `status` tells them. robots: pages that robots.txt forbids; traps: links left out as those of
    traps; left_out: links left out for any reason, such as the scope.
    """

    pages: int = 0
    hosts: int = 0
    waiting: int = 0
    failed: int = 0
    first: float = math.nan
    last: float = math.nan
    coverage: float = 0.0
    coverage_about: float = 0.0
    coverage_shown: float = 0.0
    robots: int = 0
    traps: int = 0
    left_out: int = 0


def _passes(reason: str) -> bool:
    """True for a failure that says nothing against the page: it may be over by now, or is one of robots alone."""
    return has(reason, TRANSIENT | OF_ROBOTS) or (has(reason, NEXT_RUN) and not has(reason, LASTS))


class Crawled:
    """One commit of a store as an audit reads it. stake: importance at stake with each page, shape (size,); is_page:
    True for those that are judged, likewise."""

    def __init__(self, store: Store) -> None:
        """Make the tables. store: in a snapshot. Raises StoreError."""
        self.store = store
        web = Web(store)
        _, site = numbered_sites(store, store.page_table.hosts(), site_of)
        seeds = self._pages("SELECT id FROM pages WHERE found_on IS NULL")
        is_ours = np.isin(site, site[np.concatenate([seeds, web.end[seeds]])])
        source, target = web.links(is_source=is_ours)
        columns: Mapping[str, npt.NDArray[np.generic]] = {
            "site_at": site,
            "ours_at": is_ours,
            "importance_at": store.ranks.importance(),
            "end_at": web.end,
            "redirects_at": web.redirects(),
            "is_broken_at": web.is_broken,
            "is_redirect_at": web.is_redirect,
            "links_at": np.bincount(source, minlength=web.size),
            "links_to_itself_at": np.bincount(target[source == target], minlength=web.size),
        }
        for name, column in columns.items():
            store.define(name, column.item)
        store.define("passes", _passes)
        store.define("pages_in", lambda packed: json.dumps(pages_of(packed).tolist()))
        store.define("site_of", site_of)
        store.define("is_language_tag", is_language_tag)
        store.make("TABLE", "marked", _MARKED.strip(), index="id")
        self.stake = np.array([stake for (stake,) in store.each("SELECT importance FROM marked ORDER BY id")])
        self.is_page = np.zeros(web.size, dtype=np.bool_)
        self.is_page[self._pages("SELECT id FROM marked WHERE is_page")] = True
        self._make_named(web.canonicals)
        make_missing_parts(store, web)
        is_found, is_https = np.zeros((2, web.size), dtype=np.bool_)
        is_found[self._pages(_FOUND)] = True
        is_https[self._pages("SELECT id FROM marked WHERE is_https")] = True
        found = is_found[target] | (is_https[source] & ~is_https[target])
        pairs = zip(source[found].tolist(), target[found].tolist(), strict=True)
        store.make("TABLE", "links_found", "(source, target)", pairs, index="target")
        for name, query in _VIEWS.items():
            store.make("VIEW", name, f"AS {query}")

    def _pages(self, query: str) -> Pages:
        return np.array([page for (page,) in self.store.each(query)], dtype=np.int64)

    def _make_named(self, canonicals: Mapping[int, str]) -> None:
        """Make the tables of canonicals, and of versions in other languages."""
        versions = [
            (page, language, url)
            for page, text in self.store.each("SELECT id, hreflang FROM marked WHERE hreflang IS NOT NULL")
            for language, _, url in (part.partition("=") for part in text.split(" "))
        ]
        known = self.store.page_table.find([*{*canonicals.values(), *(url for _, _, url in versions)}])
        named = ((page, url, known.get(url)) for page, url in canonicals.items())
        self.store.make("TABLE", "canonicals", "(page, named, target)", named, index="page")
        in_languages = ((*version, known.get(version[-1])) for version in versions)
        self.store.make("TABLE", "in_languages", "(page, version, named, target)", in_languages, index="page")

    def judged(self) -> Judged:
        """The numbers of what is audited."""
        ((*pages, first, last, robots),) = self.store.each(_JUDGED)
        times = (math.nan if at is None else at for at in (first, last))
        traps = sum(row.urls for row in self.store.recognised.refused())
        left_out = int(self.store.meta("links_left_out") or 0)
        return Judged._make((*pages, *times, *self.store.coverage().figures().values(), robots, traps, left_out))

    def judged_pages(self) -> dict[str, int]:
        """The number of judged pages of each host that has some."""
        query = "SELECT name, count(*) FROM marked JOIN hosts ON hosts.id = host WHERE is_page GROUP BY name"
        return dict(self.store.each(query))

    def looked_at(self, targets: Iterable[str]) -> dict[str, bool | None]:
        """For URLs, and names of hosts: True if the crawl has read them, or a page of the host, or found that they are
        not there; False if it has not; None if it does not know the URL."""
        wanted = set(targets)
        seen, hosts = set(self._pages(_SEEN).tolist()), dict(self.store.each(_SEEN_HOSTS))
        known = self.store.page_table.find([url for url in wanted if "://" in url])
        found = {name: bool(hosts[name]) for name in wanted & hosts.keys()}
        return dict.fromkeys(wanted) | found | {url: page in seen for url, page in known.items()}
