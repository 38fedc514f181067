"""Everything a crawl knows about a URL, and the rule that decided on it (`minicrawl why`)."""

from dataclasses import asdict, dataclass
from typing import Any  # Any: JSON

from minicrawl.analysis.usage import PageUsage
from minicrawl.analysis.why_facts import PageJump, PageRefresh, page_jump, page_refresh
from minicrawl.crawler.admission.scope import Scope
from minicrawl.crawler.admission.seeds import names
from minicrawl.crawler.books.stored_forms import banned_hosts, kept_settings
from minicrawl.crawler.frontier.schedules import folder_of
from minicrawl.crawler.hosts.clocks import delay_of
from minicrawl.crawler.hosts.health import Health
from minicrawl.crawler.outcomes.retries import why_not, why_so
from minicrawl.crawler.recognise.duplicates import kind_of
from minicrawl.crawler.requests.request import HOST_BANNED
from minicrawl.crawler.steps import STEPS
from minicrawl.errors import SettingError, counted
from minicrawl.model import State
from minicrawl.reasons import meaning
from minicrawl.settings import CrawlSettings
from minicrawl.store.hosts import HealthRow, HostRow
from minicrawl.store.ranks import RankedPage
from minicrawl.store.reader import Store
from minicrawl.store.requisites import RequisiteRow
from minicrawl.web.fingerprint import alike
from minicrawl.web.robots.preferences import USAGE, Decision, Verdict
from minicrawl.web.robots.rules import restored
from minicrawl.web.urls.keys import origin_of, politeness_key, site_of
from minicrawl.web.urls.normalise import MAX_URL_LENGTH, stripped

_FACTS = ("attempts", "content_type", "bytes", "seconds", "host", "nofollow", "refused")
"""Fields of a known page that the store has as they are."""
_OF_HEALTH = ("state", "kind", "reason", "since", "well_at", "tries", "next_at", "asked_until", "failed_runs")
"""Fields of the health of a host for JSON."""
LINKS_SHOWN = 10
_LINKS_LOOKED_AT, _ALIASES_LOOKED_AT = 50, 20
UNKNOWN = "unknown"
_NEAREST = """
    SELECT url, depth FROM links CROSS JOIN pages ON id = source
    WHERE too_deep IS NOT NULL AND ? IN (SELECT value FROM json_each(too_deep)) ORDER BY source"""
_MADE_KNOWN = "SELECT url FROM sitemaps WHERE id = (SELECT sitemap FROM sitemap_pages WHERE page = ? AND made_known)"
_LISTED = """
    SELECT sitemaps.url FROM sitemap_urls JOIN sitemaps ON sitemaps.id = sitemap
    WHERE sitemap_urls.host = (SELECT id FROM hosts WHERE name = ?) AND sitemap_urls.url = ?"""
_OF_HOST = """
    SELECT coalesce(sum(state IN ('fetched', 'alias')), 0), coalesce(sum(state = 'waiting'), 0)
    FROM pages WHERE host = ?"""
_QUEUE = """
    WITH them AS (SELECT pages.id, pages.host, pages.state, x FROM pages JOIN weighed USING (id))
    SELECT count(*), total(it.x > mine.x), total(it.host = mine.host), total(it.host = mine.host AND it.x > mine.x)
    FROM them AS it, (SELECT host, x FROM them WHERE id = ?) AS mine WHERE it.state = 'waiting'"""


@dataclass(frozen=True)
class RobotsVerdict:
    """The verdict of robots.txt on a URL. rule: the deciding line. expires: end of its validity, Unix seconds."""

    verdict: str
    rule: str | None = None
    status: int | None = None
    crawl_delay: float | None = None
    expires: float | None = None


@dataclass(frozen=True)
class DuplicateOf:
    """The first page with the same content. alike: their similarity; kind: the difference of the URLs."""

    url: str
    is_exact: bool
    distance: int
    alike: float
    kind: str | None


@dataclass(frozen=True)
class KnownPage:
    """The store's data on a page.

    leads_to: target of its redirect, if that was refused. found_on: the first page that linked to it; None for a seed
    or a sitemap's URL. health: of its host, None if that was never in doubt; host_read, host_waiting: numbers of pages
    of a host that is or was ill, else 0. delay: seconds between two requests to the host. linked_from, links_to: some
    of the links.
    nofollow, refused: links not counted, by the page's directives or by scope and budgets. probe: the nonexistent page
    whose answer identified the host's soft 404s. queue: position among waiting pages, None once nothing is left to
    fetch. refresh: None if no page is fetched again. jump: None if walkers jump to all pages uniformly. coverage: of
    the crawl.
    """

    ranked: RankedPage
    leads_to: str | None
    known_pages: int
    coverage: float
    coverage_about: float
    coverage_shown: float
    found_on: str | None
    attempts: int
    content_type: str | None
    bytes: int | None
    seconds: float | None
    host: HostRow
    health: HealthRow | None
    host_read: int
    host_waiting: int
    delay: float
    linked_from: tuple[str, ...]
    links_to: tuple[str, ...]
    nofollow: int
    refused: int
    alternate_of: str | None
    duplicate_of: DuplicateOf | None
    probe: str | None
    queue: dict[str, int] | None
    refresh: PageRefresh | None
    jump: PageJump | None

    @property
    def has_ill_host(self) -> bool:
        return self.health is not None and self.health.is_ill

    @property
    def waits_for_host(self) -> bool:
        """True if it waits until its host is well."""
        return self.has_ill_host and self.ranked.state == State.WAITING

    def as_json(self) -> dict[str, Any]:
        """The page as one flat object, with the fields of its rank."""
        values = asdict(self)
        for name in ("ranked", "nofollow", "refused", "delay", "health", "host_read", "host_waiting"):
            del values[name]
        values["host"] = {
            "name": self.host.name,
            "crawl_delay": self.host.crawl_delay,
            "next_at": max(self.host.next_fetch, self.host.rests_until),
            "delay": self.delay,
            "seconds": self.host.seconds,
            "health": None,
        }
        if self.health is not None:
            health = {name: getattr(self.health, name) for name in _OF_HEALTH}
            health |= {"meaning": meaning(self.health.reason), "read": self.host_read, "waiting": self.host_waiting}
            values["host"]["health"] = health
        if self.jump is not None:
            values["jump"]["site"] = self.jump.site and self.jump.site._asdict()
        not_counted = {"nofollow": self.nofollow, "out of scope or in a trap": self.refused}
        return {**self.ranked._asdict(), **values, "not_counted": not_counted}


@dataclass(frozen=True)
class Explanation:
    """The state of a URL and its reasons.

    url: the known spelling; asked: the user's, normalised. reason: the code; meaning: that in words; rule: the deciding
    option, pattern or line, if any. sitemap: the first that lists it. page: None for a URL that is not in the store.
    usage: see minicrawl.web.robots.preferences.
    notes: lines of optional capabilities about the page. partition: the partition with the URL, in a folder. requisite:
    a file with the URL, and the first page that needs it (--requisites).
    """

    asked: str
    url: str
    state: str
    reason: str
    meaning: str | None
    rule: str | None
    sitemap: str | None
    robots: RobotsVerdict
    usage: dict[str, Decision]
    page: KnownPage | None = None
    notes: tuple[str, ...] = ()
    partition: int | None = None
    requisite: tuple[RequisiteRow, str] | None = None

    def as_json(self) -> dict[str, Any]:
        """The explanation as one flat object, with the fields of the page."""
        values = asdict(self)
        del values["page"]
        values["usage"] = {use: _as_json(decision) for use, decision in self.usage.items()}
        if not self.notes:
            del values["notes"]
        if self.partition is None:
            del values["partition"]
        del values["requisite"]
        if self.requisite is not None:
            row, needed_by = self.requisite
            file = {name: getattr(row, name) for name in ("kind", "state", "reason")}
            file |= {"meaning": meaning(row.reason), "needed_by": needed_by}
            values["requisite"] = file | {name: getattr(row, name) for name in ("level", "status", "bytes", "asked_at")}
        return values if self.page is None else self.page.as_json() | values


def _as_json(decision: Decision) -> dict[str, str | None]:
    """A decision on a use: the statement as written, where it stands (robots.txt, header or meta), and its file."""
    verdict, by = decision
    said, where, file = (None, None, None) if by is None else (by.said, by.place, by.url)
    return {"verdict": verdict.word, "said": said, "where": where, "file": file}


def meant_by(text: str) -> list[str]:
    """The URLs that a user may mean, with or without a scheme, the likeliest first. Raises SettingError."""
    meant = names(text)
    if not meant:
        raise SettingError(f"{text!r} is not an http or https URL")
    return meant


def explain(store: Store, text: str) -> Explanation:
    """Explain the URL that a user means by a text. Raises SettingError, StoreError."""
    meant = meant_by(text)
    with store.snapshot():
        return _Explainer(store).explanation(meant)


def _some_links_to(store: Store, page: int) -> list[int]:
    """Some of the pages that link to a page or to an alias of it."""
    ends = [page, *store.link_table.aliases_of(page)[:_ALIASES_LOOKED_AT]]
    found: dict[int, None] = {}
    for end in ends:
        if len(found) < _LINKS_LOOKED_AT:
            found |= dict.fromkeys(store.link_table.some_sources(end, _LINKS_LOOKED_AT))
    return [source for source in found if source not in ends[1:]][:_LINKS_LOOKED_AT]


def _queue(store: Store, page: int) -> dict[str, int]:
    """Counts of pages that wait like this one, in all and on its host, and of those with more cash."""
    return dict(zip(("all", "before", "on_host", "before_on_host"), map(int, store.row(_QUEUE, page)), strict=True))


class _Explainer:
    """A store as of one commit, and the settings of its last run."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._settings: CrawlSettings = kept_settings(store)
        self._scope = Scope(self._settings, store.page_table.roots())
        self._usage = PageUsage(store)

    def explanation(self, meant: list[str]) -> Explanation:
        """meant: see `meant_by`."""
        asked_as = self._spellings(meant)
        found = self._store.page_table.find(list(asked_as))
        known = [url for url in asked_as if url in found]
        if known:
            # Of an https and an http page, the one that did not fail is meant; of two that did, the one tried last.
            failed = [self._store.page_table.turn(found[url]).state == State.ERROR for url in known]
            url = known[-1 if all(failed) else failed.index(False)]
            return self._known(asked_as[url], url, found[url])
        url = next(url for url in reversed(asked_as) if asked_as[url] == meant[0])
        return self._unknown(asked_as[url], url)

    def _spellings(self, meant: list[str]) -> dict[str, str]:
        """URLs that the user may mean, by their spelling in the store."""
        asked_as = {url: url for url in meant}
        if self._settings.keep_parameters:
            return asked_as
        return asked_as | {self._plain(stripped(url)): url for url in reversed(meant)}

    def _plain(self, url: str) -> str:
        """The URL as steps of a crawl know it."""
        for step in STEPS:
            url = step.known_as(self._store, url)
        return url

    def _unknown(self, asked: str, url: str) -> Explanation:
        """Explain a URL that is not in the store: out of scope, refused, too far, or no link to it was found."""
        store = self._store
        reason, rule = why_not(url, self._scope, store.rows(_NEAREST, [url]))
        refused = self._refused(url)
        if refused is not None and reason == "no-link":
            reason, rule = refused
        listed_by = store.value(_LISTED, politeness_key(url), url)
        if listed_by is not None and reason == "no-link":
            reason = "sitemap"
            rule = "no page read so far links to it, but a sitemap lists it, so it will become known"
        elif reason == "no-link" and (left_out := int(store.meta("links_nofollow") or 0)):
            rule = f"{rule}; {counted(left_out, 'link')} that pages mark as nofollow may lead there"
        facts = reason, meaning(reason), rule, listed_by, self._robots(url), self._usage.decisions(url)
        return Explanation(asked, url, UNKNOWN, *facts, requisite=self._requisite(asked) or self._requisite(url))

    def _requisite(self, url: str) -> tuple[RequisiteRow, str] | None:
        row = self._store.requisites.of(url)
        return None if row is None else (row, self._store.page_table.url(row.page))

    def _known(self, asked: str, url: str, page: int) -> Explanation:
        ranked, links, robots = self._store.ranks.page(page), self._store.link_table.row(page), self._robots(url)
        leads_to = links.leads_to if links else None
        known = self._page(ranked, page, leads_to)
        is_banned = ranked.state == State.WAITING and politeness_key(url) in banned_hosts(self._store)
        reason = HOST_BANNED if is_banned else ranked.reason
        usage = self._usage.decisions(url, page)
        site_line = self._refusing(usage) if ranked.reason == USAGE else robots.rule
        return Explanation(
            asked=asked,
            url=url,
            state=ranked.state,
            reason=reason,
            meaning=meaning(reason, ranked.state),
            rule=why_so(ranked.reason, ranked.depth, leads_to, self._scope, site_line),
            sitemap=self._store.value(_MADE_KNOWN, page),
            robots=robots,
            usage=usage,
            page=known,
            notes=tuple(line for step in STEPS for line in step.explain(self._store, page)),
            requisite=self._requisite(url),
        )

    def _refusing(self, usage: dict[str, Decision]) -> str | None:
        """The lines of a site's files that forbid the uses that the crawl respects."""
        found = (usage[use] for use in self._usage.respected)
        forbidding = (by for verdict, by in found if verdict is Verdict.DISALLOWED and by is not None)
        return ", ".join(dict.fromkeys(f"{by.said!r} of {by.url}" for by in forbidding)) or None

    def _page(self, ranked: RankedPage, page: int, leads_to: str | None) -> KnownPage:
        store, facts = self._store, self._store.page_table.facts(page)
        sources, coverage = _some_links_to(store, page), store.coverage()
        folder = folder_of(ranked.url, facts["content_type"])
        host, health = facts["host"], store.hosts.health_of(facts["host"].id)
        read, waiting = store.row(_OF_HOST, host.id) if health is not None and health.since else (0, 0)
        return KnownPage(
            ranked=ranked,
            leads_to=leads_to,
            known_pages=store.size(),
            **coverage.figures(),
            found_on=None if facts["found_on"] is None else store.page_table.url(facts["found_on"]),
            health=health,
            host_read=read,
            host_waiting=waiting,
            delay=self._delay(host, health),
            linked_from=tuple(map(store.page_table.url, sources[:LINKS_SHOWN])),
            links_to=tuple(map(store.page_table.url, store.link_table.outlinks(page)[:LINKS_SHOWN].tolist())),
            alternate_of=store.page_table.named_by(page),
            duplicate_of=self._duplicate_of(ranked.url, page),
            probe=self._probe(ranked.url) if ranked.reason == "soft-404" else None,
            queue=_queue(store, page) if ranked.state == State.WAITING and not store.is_exhausted else None,
            refresh=page_refresh(store, page, (host.id, folder)),
            jump=page_jump(store, page, ranked, sources),
            **{name: facts[name] for name in _FACTS},
        )

    def _delay(self, host: HostRow, health: HealthRow | None) -> float:
        delay, own = self._settings.delay, None if health is None else Health(own_delay=health.own_delay)
        return delay_of(max(delay, host.crawl_delay) if delay else 0.0, host.seconds, own)

    def _refused(self, url: str) -> tuple[str, str] | None:
        """The reason for which links to an unknown URL are left out, and what it is about; None if there is none."""
        if len(url) > MAX_URL_LENGTH:
            return "too-long", f"it has {len(url):,} bytes"
        host, site = politeness_key(url), site_of(url)
        is_known = bool(self._store.row("SELECT 1 FROM hosts WHERE name = ?", host))
        for row in self._store.recognised.refused():
            if row.rule != "too-long" and (row.name == site or (row.name == f"*.{site}" and not is_known)):
                return row.rule, row.name
        return None

    def _duplicate_of(self, url: str, page: int) -> DuplicateOf | None:
        row = self._store.recognised.fingerprint(page)
        if row is None or row.leader is None:
            return None
        leader, is_exact, distance = self._store.page_table.url(row.leader), row.distance is None, row.distance or 0
        kind = None if is_exact else kind_of(url, leader)
        return DuplicateOf(leader, is_exact, distance, round(alike(distance), 3), kind)

    def _probe(self, url: str) -> str | None:
        """URL of the nonexistent page whose answer identified the host's soft 404s."""
        found = (probe for probe in self._store.recognised.probes() if probe.verdict == "soft-404")
        probes = [probe for probe in found if origin_of(probe.url) == origin_of(url)]
        of_folder = (probe.url for probe in probes if url.startswith(probe.folder))
        return next(of_folder, probes[0].url if probes else None)

    def _robots(self, url: str) -> RobotsVerdict:
        row = self._store.hosts.robots(origin_of(url))
        if row is None:
            return RobotsVerdict("not asked yet")
        robots, user_agent = restored(*row), self._settings.user_agent
        refusal = robots.refusal(user_agent, url)
        line = robots.rules.deciding_line(user_agent, url) if robots.rules else None
        return RobotsVerdict(
            verdict="allowed" if refusal is None else refusal[1],
            rule=line and f"{line!r} of {row.origin}/robots.txt",
            status=row.status,
            crawl_delay=robots.rules.crawl_delay(user_agent) if robots.rules else None,
            expires=row.expires,
        )
