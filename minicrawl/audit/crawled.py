"""The pages and links of a store, or of a folder of partitions, as the rules of an audit read them."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.analysis.page_links import Web, by_target, sites
from minicrawl.audit.findings import MOST_EXAMPLES, Fault, Finding, Need, Rule
from minicrawl.crawler.fingerprint import SAYS_SOMETHING
from minicrawl.crawler.outcomes.outcome import is_transient
from minicrawl.model import READ, State
from minicrawl.opic.arrays import Flags, Pages
from minicrawl.store.audit_columns import AuditColumns
from minicrawl.store.reader import Store

_HTML = ("text/html", "application/xhtml+xml")


_REFUSALS = frozenset({"http-401", "http-402", "http-403", "http-405", "http-406", "http-407", "http-451", "http-999"})
"""What sites answer to programs they do not know: on another site no sign that a page is not there."""


_PASSING = frozenset({"host-dead", "robots-unreachable", "undecodable", "bad-url", "too-large"})
"""Failures that may be over soon, or are those of a robot; so are transient ones."""


class Judged(NamedTuple):
    """The part of the web that an audit is about: the sites of the seeds.

    pages: HTML pages that were judged; hosts: of these. waiting: pages not asked for yet; failed: pages without an
    answer that could be read. first, last: times of the answers, in Unix seconds, NaN without any. coverage: as
    `status` tells it. robots: pages that robots.txt forbids; traps: links
    left out as those of traps; left_out: links left out for any reason, such as the scope.
    """

    pages: int = 0
    hosts: int = 0
    waiting: int = 0
    failed: int = 0
    first: float = math.nan
    last: float = math.nan
    coverage: float = 0.0
    robots: int = 0
    traps: int = 0
    left_out: int = 0


class Crawled:
    """One commit of a store as columns by page number, shape (size,), read when a rule first asks.

    Rules judge pages of the sites of the seeds (`is_ours`); links from these may lead anywhere.
    """

    def __init__(self, store: Store) -> None:
        """store: in a snapshot."""
        self.store = store
        self.size = store.size()
        self._urls: dict[int, str] = {}

    @cached_property
    def columns(self) -> AuditColumns:
        return self.store.audit_table.columns()

    @cached_property
    def importance(self) -> npt.NDArray[np.float64]:
        return self.store.ranks.importance()

    @cached_property
    def has_facts(self) -> Flags:
        """HTML pages of ours with facts, that stand for themselves."""
        found: Flags = self.is_page & (self.columns.status == 200) & self.columns.has_facts
        return found

    @cached_property
    def stake(self) -> npt.NDArray[np.float64]:
        """Importance of each page; of an alias, which has none, the importance that flows into it."""
        inflow = self.columns.received / max(float(self.store.meta("total") or 0.0), 1.0)
        return np.where(self.are(State.ALIAS), inflow, self.importance)

    @cached_property
    def web(self) -> Web:
        """The ends of redirects, and the pages that are not there."""
        return Web(self.store)

    # Kinds of pages.

    def are(self, *states: str) -> Flags:
        """True for each page in one of the states."""
        found: Flags = np.isin(self.columns.state, states)
        return found

    def are_for(self, *reasons: str) -> Flags:
        """True for each page with one of the reason codes."""
        found: Flags = np.isin(self.columns.reason, reasons)
        return found

    def having(self, column: npt.NDArray[np.object_], holds: Callable[[str], bool]) -> Flags:
        """True for each page whose word in the column satisfies `holds`, which is asked once a word."""
        words, of_page = np.unique(column, return_inverse=True)
        found: Flags = np.array([holds(word) for word in words], dtype=np.bool_)[of_page]
        return found

    @cached_property
    def sites(self) -> Pages:
        """The site of every page, as a number."""
        return sites(self.store, self.columns.host)

    @cached_property
    def is_ours(self) -> Flags:
        """Pages of the sites that have a seed, or the end of a seed's redirects."""
        seeds = np.flatnonzero(self.columns.is_seed)
        found: Flags = np.isin(self.sites, self.sites[np.concatenate([seeds, self.web.end[seeds]])])
        return found

    @cached_property
    def is_html(self) -> Flags:
        """Pages that were read and are HTML, aliases with a text of their own included."""
        is_html = self.having(self.columns.content_type, lambda kind: kind.lower().startswith(_HTML))
        return self.are(State.FETCHED, State.ALIAS) & is_html & (self.columns.status < 300)

    @cached_property
    def is_page(self) -> Flags:
        """HTML pages of ours that were read and stand for themselves: no redirects, copies or dead pages."""
        return self.is_html & self.is_ours & self.are(State.FETCHED)

    @cached_property
    def is_indexed(self) -> Flags:
        """Pages as above that search engines may show."""
        return self.is_page & ~self.is_noindex

    @cached_property
    def is_copy(self) -> Flags:
        """Indexed pages that say something and have the bytes of one that comes before, by number."""
        payload = np.where(self.is_indexed & (self.columns.payload & SAYS_SOMETHING != 0), self.columns.payload, 0)
        _, first, group = np.unique(payload, return_index=True, return_inverse=True)
        is_copy: Flags = (payload != 0) & (first[group] != np.arange(self.size))
        return is_copy

    @cached_property
    def is_listed(self) -> Flags:
        """Pages of ours that a sitemap lists."""
        listed = np.zeros(self.size, dtype=np.bool_)
        listed[[page for page, _ in self.store.audit_table.sitemap_pages()]] = True
        return listed & self.is_ours

    @cached_property
    def is_noindex(self) -> Flags:
        return self.having(self.columns.robots, lambda robots: "noindex" in robots)

    @cached_property
    def is_nofollow(self) -> Flags:
        return self.having(self.columns.robots, lambda robots: "nofollow" in robots)

    @cached_property
    def _is_passing(self) -> Flags:
        return self.having(self.columns.reason, lambda reason: is_transient(reason) or reason in _PASSING)

    @cached_property
    def is_unreachable(self) -> Flags:
        """Pages without an answer that tells whether they are there."""
        refused = self.having(self.columns.reason, _REFUSALS.__contains__) & ~self.is_ours
        return self.web.is_broken & (self._is_passing | refused)

    @cached_property
    def is_dead(self) -> Flags:
        """Pages that are not there, soft 404s and loops of redirects aside."""
        others = self.are_for("soft-404", "redirect-loop", "redirect-chain")
        return self.web.is_broken & ~self.is_unreachable & ~others

    @cached_property
    def leads_nowhere(self) -> Flags:
        """Pages that are not there, soft 404s, and redirects to either."""
        found: Flags = (self.is_dead | self.are_for("soft-404"))[self.web.end]
        return found

    @cached_property
    def is_important(self) -> Flags:
        """Pages with more importance than the average of those known."""
        found: Flags = self.stake > self.stake.sum() / max(self.size, 1)
        return found

    @cached_property
    def waiting(self) -> int:
        """Number of pages of ours that were not requested yet."""
        return int((self.are(State.WAITING) & self.is_ours).sum())

    @cached_property
    def judged(self) -> Judged:
        """The numbers of what is audited."""
        times = self.columns.fetched_at[self.is_ours & ~np.isnan(self.columns.fetched_at)]
        return Judged(
            pages=int(self.is_page.sum()),
            hosts=len(np.unique(self.columns.host[self.is_page])),
            waiting=self.waiting,
            failed=int((self.is_ours & self.are(State.ERROR, State.GONE)).sum()),
            first=float(times.min(initial=math.inf)) if len(times) else math.nan,
            last=float(times.max(initial=-math.inf)) if len(times) else math.nan,
            coverage=float(self.store.meta_json("run").get("coverage", 0.0)),
            robots=int((self.is_ours & self.are(State.DISALLOWED)).sum()),
            traps=sum(row.dropped for row in self.store.patterns.trap_patterns()),
            left_out=int(self.store.meta("links_left_out") or 0),
        )

    def looked_at(self, targets: Iterable[str]) -> dict[str, bool | None]:
        """For URLs, and names of hosts: True if the crawl has read them, or a page of the host, or found that they are
        not there; False if it has not; None where it does not know the URL."""
        wanted = set(targets)
        is_seen = self.are(*READ) | (self.are(State.ERROR, State.GONE) & ~self._is_passing)
        hosts = {name: number for number, name in self.store.hosts.names().items()}
        read_hosts = set(self.columns.host[self.are(*READ)].tolist())
        known, found = self.find(url for url in wanted if "://" in url), dict[str, bool | None]()
        for target in wanted:
            if target in known:
                found[target] = bool(is_seen[known[target]])
            else:
                found[target] = hosts[target] in read_hosts if target in hosts else None
        return found

    # Texts.

    def urls(self, pages: Iterable[int]) -> dict[int, str]:
        """URLs of some pages by number, each once in memory."""
        wanted = list(pages)
        self._urls.update(self.store.page_table.urls_of([page for page in wanted if page not in self._urls]))
        return {page: self._urls[page] for page in wanted}

    def find(self, urls: Iterable[str]) -> dict[str, int]:
        """Page numbers of the URLs that are known."""
        return self.store.page_table.find(list(dict.fromkeys(urls)))

    @cached_property
    def hreflangs(self) -> Mapping[int, str]:
        """The versions of a page in other languages, LANGUAGE=URL with spaces between."""
        return dict(self.store.audit_table.texts("hreflang"))

    @cached_property
    def naming(self) -> Mapping[str, Sequence[int]]:
        """The canonical URLs that pages of ours name, each with those pages; their own left out."""
        found = defaultdict[str, list[int]](list)
        for page, url in self.web.canonicals.items():
            if self.is_html[page] and self.is_ours[page]:
                found[url].append(page)
        return found

    @cached_property
    def named(self) -> Mapping[str, int]:
        """Page numbers of the canonicals and versions in other languages that pages name, where they are known."""
        versions = (part.partition("=")[2] for text in self.hreflangs.values() for part in text.split(" "))
        return self.find(dict.fromkeys((*self.web.canonicals.values(), *versions)))

    # Links.

    @cached_property
    def links(self) -> tuple[Pages, Pages]:
        """Source and target of every link from a page of ours to another, once a pair."""
        return self.web.links(is_source=self.is_ours)

    def linked(self, is_target: Flags, *, seeds: bool = False) -> Iterator[tuple[int, Pages]]:
        """The pages of a kind that pages of ours link to, each with the numbers of those; with `seeds` also those
        that are seeds and nothing links to."""
        found = by_target(*self.links, is_target)
        if seeds:
            known = dict(found)
            others = np.flatnonzero(is_target & self.columns.is_seed).tolist()
            found = iter(({page: np.zeros(0, dtype=np.int64) for page in others} | known).items())
        return found

    def faults(self, is_at_fault: Flags, detail: Callable[[int], str] = lambda _: "") -> Iterator[Fault]:
        """A fault for each page."""
        return (Fault(page, detail(page)) for page in np.flatnonzero(is_at_fault).tolist())

    def lacks(self, need: Need) -> str | None:
        """Why a rule with this need cannot be checked, in a clause; None if it can."""
        if need == Need.FACTS and not self.columns.has_facts.any():
            return self._unkept()
        if need == Need.FINISHED and self.waiting:
            return f"{self.waiting:,} pages still wait; it needs {need}"
        return None

    def _unkept(self) -> str:
        """Why there are no facts of pages. Pages that were read are not read again for them."""
        if not self.are(*READ).any():
            return "no page was read"
        if self.store.settings.get("audit") and not self.is_page.any():
            return "no page of HTML was read"
        remedy = "'minicrawl crawl SEEDS --profile audit --store NEW' does, in a new store"
        return f"the crawl has kept no facts of pages; {remedy}"


def found_by(rule: Rule, crawled: Crawled) -> list[Finding]:
    """The findings of a rule, each with the most important of its sources."""
    faults: list[tuple[Fault, list[int]]] = []
    pages: set[int] = set()
    for fault in rule.check(crawled):
        sources = np.asarray(fault.sources, dtype=np.int64)
        order = np.argsort(-crawled.stake[sources], kind="stable") if len(sources) else sources
        best = sources[order[:MOST_EXAMPLES]].tolist()
        faults.append((fault, best))
        pages.update(best)
        if not isinstance(fault.target, str):
            pages.add(fault.target)
    urls = crawled.urls(sorted(pages))
    found = []
    for fault, best in faults:
        target, importance = fault.target, fault.importance
        if not isinstance(target, str):
            importance = crawled.stake[target] if importance is None else importance
            target = urls[target]
        examples = tuple(urls[page] for page in best)
        found.append(Finding(rule.name, target, float(importance or 0.0), len(fault.sources), examples, fault.detail))
    return found
