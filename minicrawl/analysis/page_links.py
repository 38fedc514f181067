"""Links with their pages: broken or redirected links, links to other sites, and links to one page.

A link is a pair of pages: repeated links between two pages count once. It is broken if it leads, through redirects, to
a page that does not exist, or to a part that its page does not have, or if it is not a URL. Links that the crawl left
out (nofollow, out of scope) are not kept.
"""

import heapq
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.analysis.explain import meant_by
from minicrawl.errors import SettingError
from minicrawl.model import Place, State
from minicrawl.opic.arrays import Flags, Pages
from minicrawl.reasons import NO_PAGE, has
from minicrawl.store.links import placed
from minicrawl.store.reader import Store
from minicrawl.web.html.facts import name_hash
from minicrawl.web.urls.keys import site_of

_LONGEST_CHAIN = 16
_AT_ONCE = 500
NO_URL, NO_PART = "no-url", "anchor-missing"
"""Reasons of a link that is none, and of one to a part that its page does not have."""
_NO_END = ("redirect-loop", "redirect-chain", "redirect-nowhere", "redirect-dead")


class Asked(NamedTuple):
    """A filter of links; all conditions set must hold. to: the target, as a user names it; where: an expression on the
    page with the link."""

    broken: bool = False
    redirected: bool = False
    external: bool = False
    to: str | None = None
    where: str | None = None


class PageLink(NamedTuple):
    """A link from one page to another.

    anchor: the text of the link, "" for a picture; None if the text of its page is not kept. status, reason: outcome
    of the target, at the end of its redirects; status None without an answer. leads_to: that end; None if the target
    does not redirect. importance: of the source. title: likewise. place: "text", "list" or "navigation", see
    minicrawl.model.Place; None if the store does not tell, as the places of all links of its page are alike. chain:
    the pages after the target, up to the end; codes: the statuses on the way there, of the target and the pages before
    the end. times: links with words to the target on the page; None if that is
    not known. pages: those in the list with a link to the target.
    """

    source: str
    target: str
    anchor: str | None
    status: int | None
    reason: str
    leads_to: str | None
    importance: float
    title: str | None = None
    place: str | None = None
    chain: tuple[str, ...] = ()
    codes: tuple[int | None, ...] = ()
    times: int | None = None
    pages: int = 1


@dataclass(frozen=True, eq=False)
class PageLinks:
    """Links, those of the most important pages first.

    source, target, importance: a value per link, shape (links,). web: tells where redirects of the targets lead.
    malformed: links to parts that are not there, and links that are not URLs.
    """

    store: Store
    web: "Web"
    source: Pages
    target: Pages
    importance: npt.NDArray[np.float64]
    malformed: Sequence[PageLink] = ()

    def __len__(self) -> int:
        return len(self.source) + len(self.malformed)

    def rows(self, n: int | None = None) -> Iterator[PageLink]:
        """The first n links, or all."""
        return islice(heapq.merge(self._of_urls(n), self.malformed, key=lambda link: -link.importance), n)

    def _of_urls(self, n: int | None) -> Iterator[PageLink]:
        targets, counts = np.unique(self.target, return_counts=True)
        most = min(len(self.source), len(self) if n is None else n)
        for first in range(0, most, _AT_ONCE):
            some = slice(first, min(first + _AT_ONCE, most))
            source, target, importance = (each[some].tolist() for each in (self.source, self.target, self.importance))
            chains = {page: self.web.chain(page) for page in set(target)}
            answers = self.store.page_table.answers({*source, *chain.from_iterable(chains.values())})
            pages = counts[np.searchsorted(targets, target)].tolist()
            before = -1
            for one, other, worth, number in zip(source, target, importance, pages, strict=True):
                if one != before:  # links of a page stand together
                    before, words, places = one, self._words(one, answers[one].url), self._places(one)
                linked, *others = (answers[page].url for page in chains[other])
                of_link, last = None if words is None else words.get(linked, ()), answers[chains[other][-1]]
                yield PageLink(
                    source=answers[one].url,
                    target=linked,
                    anchor=None if of_link is None else of_link[0] if of_link else "",
                    status=last.status,
                    reason=last.reason,
                    leads_to=others[-1] if others else None,
                    importance=worth,
                    title=answers[one].title,
                    place=places.get(other),
                    chain=tuple(others),
                    codes=tuple(answers[page].status for page in chains[other][:-1]),
                    times=len(of_link) if of_link else None,
                    pages=number,
                )

    def by_target(self, n: int | None = None) -> Iterator[list[PageLink]]:
        """The links to each of the first n targets, or to all, in the order of their most important pages."""
        found: dict[str, list[PageLink]] = {}
        for link in self.rows():
            found.setdefault(link.target, []).append(link)
        return islice(found.values(), n)

    def codes(self) -> Counter[tuple[int | None, str]]:
        """Number of links by (status, reason) of their ends."""
        ends, counts = np.unique(self.web.end[self.target], return_counts=True)
        codes = Counter[tuple[int | None, str]]((link.status, link.reason) for link in self.malformed)
        for first in range(0, len(ends), _AT_ONCE):
            answers = self.store.page_table.answers(ends[first : first + _AT_ONCE].tolist())
            for page, count in zip(ends[first : first + _AT_ONCE].tolist(), counts[first:], strict=False):
                codes[answers[page].status, answers[page].reason] += int(count)
        return +codes

    def _words(self, page: int, url: str) -> Mapping[str, Sequence[str]] | None:
        """The texts of the links to each URL; None if the page's text is not kept."""
        kept = self.store.texts.text(page, url) if self.store.texts.size else None
        if kept is None:
            return None
        words: dict[str, list[str]] = {}
        for anchor in kept.anchors():
            words.setdefault(anchor.url, []).append(" ".join(anchor.text.split()))
        return words

    def _places(self, page: int) -> Mapping[int, str]:
        """The place of each link of a page; empty if all are alike, as the store does not tell them then."""
        row = self.store.link_table.row(page)
        targets, places = placed(b"" if row is None else row.targets if row.own is None else row.own)
        if places is None:
            return {}
        return {page: Place(place).name.lower() for page, place in zip(targets.tolist(), places.tolist(), strict=True)}


def page_links(store: Store, asked: Asked) -> PageLinks:
    """The links that match the filter. Call it, and use the result, in a snapshot.

    Raises SettingError for an unknown target page, and StoreError.
    """
    web = Web(store)
    is_target = np.ones(web.size, dtype=np.bool_)
    if asked.broken:
        is_target &= web.is_broken[web.end]
    if asked.redirected:
        is_target &= web.is_redirect
    if asked.to is not None:
        page = _known(store, asked.to)
        is_target &= np.isin(np.arange(web.size), [page, *store.link_table.aliases_of(page)])
    source, target = web.links(None if asked.where is None else store.questions.where(asked.where), is_target)
    if asked.external:
        _, site = numbered_sites(store, store.page_table.hosts(), site_of)
        is_external = site[source] != site[target]
        source, target = source[is_external], target[is_external]
    pages, of_link = np.unique(source, return_inverse=True)
    importance = store.ranks.importance_of(pages.tolist())[of_link]
    order = np.lexsort((source, -importance))  # which keeps the links of a page in their order
    malformed = [*_to_no_part(store, web), *_malformed(store)] if asked == Asked(broken=True) else []
    malformed.sort(key=lambda link: -link.importance)
    return PageLinks(store, web, source[order], target[order], importance[order], malformed)


def _malformed(store: Store) -> Iterator[PageLink]:
    """Links that are not URLs."""
    query = """
        SELECT url, json_each.value, importance, title
        FROM links JOIN weighed ON weighed.id = source, json_each(malformed)
        WHERE malformed IS NOT NULL ORDER BY source, key"""
    for url, text, worth, title in store.each(query):
        yield PageLink(url, text, None, None, NO_URL, None, worth, title)


def _to_no_part(store: Store, web: "Web") -> Iterator[PageLink]:
    make_missing_parts(store, web)
    query = """
        SELECT one.url, other.url || '#' || name, one.importance, title, count(*) OVER (PARTITION BY target, name)
        FROM missing_parts JOIN weighed AS one ON one.id = source JOIN pages AS other ON other.id = target
        ORDER BY source"""
    for url, target, worth, title, pages in store.each(query):
        yield PageLink(url, target, None, None, NO_PART, None, worth, title, pages=pages)


def make_missing_parts(store: Store, web: "Web") -> None:
    """Make the temporary table `missing_parts` of links to parts that pages do not have: source, target, name. target:
    the page at the end of redirects, which take the name along. Only pages count whose parts are known (--audit)."""

    def links() -> Iterator[tuple[int, int, str]]:
        query = """
            SELECT pages.id, facts FROM pages JOIN fetches ON fetches.id = fetch
            WHERE facts GLOB '*"to_parts": [[][[]*'"""
        pages = store.each(query)
        while rows := list(islice(pages, _AT_ONCE)):
            asked = {page: json.loads(facts)["to_parts"] for page, facts in rows}
            known = store.page_table.find(list({url for some in asked.values() for url, _ in some}))
            for page, some in asked.items():
                yield from ((page, int(web.end[known[url]]), name) for url, name in some if url in known)

    @lru_cache(1)
    def parts_in(parts: str) -> frozenset[str]:
        return frozenset(parts[at : at + 8] for at in range(0, len(parts), 8))

    store.make("TABLE", "links_to_parts", "(source, target, name)", links(), index="target")
    query = """
        SELECT source, target, name, json_extract(facts, '$.parts') FROM links_to_parts
        JOIN pages ON pages.id = target JOIN fetches ON fetches.id = fetch
        WHERE status = 200 AND json_extract(facts, '$.parts') IS NOT NULL ORDER BY target"""
    missing = sorted({row[:3] for row in store.each(query) if name_hash(row[2]) not in parts_in(row[3])})
    store.make("TABLE", "missing_parts", "(source, target, name)", missing)


def make_anchors(store: Store) -> None:
    """Make the temporary view `anchor` of links with words: source, target, words, before, after. Ask it in a snapshot.
    SQLite alone does not unpack texts, so the store cannot have it."""

    def anchors_of(page: int) -> str:
        kept = store.texts.text(page, store.page_table.url(page))
        return json.dumps([anchor._asdict() for anchor in kept.anchors()] if kept else [])

    query = """
        SELECT url AS source, json_extract(value, '$.url') AS target, json_extract(value, '$.text') AS words,
               json_extract(value, '$.before') AS before, json_extract(value, '$.after') AS after
        FROM texts CROSS JOIN pages ON pages.id = page CROSS JOIN json_each(anchors_of(page))"""
    store.define("anchors_of", anchors_of)
    store.make("VIEW", "anchor", f"AS {query}")


class Web:
    """Broken and redirecting pages, and the ends of redirects.

    is_bare: a redirect by HTTP, which has no links of its own. is_redirect: the same, a meta refresh, or a redirect
    that leads nowhere. next: the page that each page redirects to, itself without any; end: at the end of all its
    redirects.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self.size = store.size()
        self.next = np.arange(self.size)
        self.is_broken, self.is_redirect, self.is_bare = (np.zeros(self.size, dtype=np.bool_) for _ in range(3))
        query = """
            SELECT id, state, reason, stands_for FROM pages WHERE state IN ('error', 'gone')
               OR state = 'alias' AND (reason GLOB 'redirect-*' OR reason = 'meta-refresh')"""
        for page, state, reason, target in store.each(query):
            if state == State.ALIAS:
                self.is_redirect[page] = True
                self.is_bare[page] = reason.startswith("redirect-")
                self.next[page] = page if target is None else target
            else:
                is_refused = reason.startswith("redirect-") and reason not in _NO_END
                self.is_redirect[page] = reason.startswith("redirect-")
                self.is_broken[page] = not is_refused and not has(reason, NO_PAGE)
        self.end = self.next
        for _ in range(_LONGEST_CHAIN):
            self.end = self.end[self.end]

    def redirects(self) -> Pages:
        """Number of redirects from each page to its end, shape (size,)."""
        count, at = np.zeros(self.size, dtype=np.int64), np.arange(self.size)
        for _ in range(_LONGEST_CHAIN):
            count += self.next[at] != at
            at = self.next[at]
        return count

    def chain(self, page: int) -> Sequence[int]:
        """A page, and those that it redirects to, one after another, up to its end."""
        found, end = [page], int(self.end[page])
        while found[-1] != end and len(found) < _LONGEST_CHAIN:
            found.append(int(self.next[found[-1]]))
        return found if found[-1] == end else [*found, end]

    def links(self, is_source: Flags | None = None, is_target: Flags | None = None) -> tuple[Pages, Pages]:
        """Sources and targets of the links that stand on pages of one kind and lead to pages of another; None: any. A
        canonical is not a link."""
        stands = ~self.is_bare if is_source is None else ~self.is_bare & is_source
        sources, targets = [np.zeros(0, dtype=np.int32)], [np.zeros(0, dtype=np.int32)]
        for block in self._store.link_table.blocks(on_pages=True):
            source = block.link_sources().astype(np.int32)
            chosen = stands[source] if is_target is None else stands[source] & is_target[block.targets]
            sources.append(source[chosen])
            targets.append(block.targets[chosen])
        source, target = np.concatenate(sources), np.concatenate(targets)
        is_link = self._canonicals[source] != target
        return source[is_link], target[is_link]

    @cached_property
    def canonicals(self) -> Mapping[int, str]:
        """The URL that a page names as its canonical, where it names another page."""
        query = "SELECT pages.id, canonical FROM pages JOIN fetches ON fetches.id = fetch WHERE canonical > ''"
        return dict(self._store.each(query))

    @cached_property
    def _canonicals(self) -> Pages:
        """The page that each page names as its canonical, -1 without one."""
        known = self._store.page_table.find(list(dict.fromkeys(self.canonicals.values())))
        found = np.full(self.size, -1)
        for page, url in self.canonicals.items():
            found[page] = known.get(url, -1)
        return found


def numbered_sites(
    store: Store, hosts: npt.NDArray[np.int64], site_of_host: Callable[[str], str]
) -> tuple[list[str], npt.NDArray[np.int64]]:
    """Names of the sites of pages, and the number of each page's site. hosts: hosts.id of each page."""
    names = {host.id: site_of_host(host.name) for host in store.hosts.all()}
    numbers: dict[str, int] = {}
    used, host = np.unique(hosts, return_inverse=True)
    number = [numbers.setdefault(names.get(id_, f"host {id_}"), len(numbers)) for id_ in used.tolist()]
    return list(numbers), np.array(number, dtype=np.int64)[host]


def _known(store: Store, text: str) -> int:
    """The page that a user means by a text."""
    meant = meant_by(text)
    found = store.page_table.find(meant)
    for url in meant:
        if url in found:
            return found[url]
    raise SettingError(f"{meant[0]} is not known to this crawl; 'minicrawl why {meant[0]}' says more")
