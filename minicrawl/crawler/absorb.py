"""The parts of a crawl that take in what comes back, put together; and the commit, which writes what they have.

What is absorbed is committed in batches: every batch is one transaction, and the page numbers, both books and the clock
in it belong together.
"""

import json
from collections.abc import Iterator, Sequence, Set
from pathlib import Path

from minicrawl.crawler.admission.admission import Admission, Owns
from minicrawl.crawler.admission.focus import SeenTypes
from minicrawl.crawler.admission.scope import HostPages
from minicrawl.crawler.admission.seeds import in_plain_http
from minicrawl.crawler.admission.traps.traps import Traps
from minicrawl.crawler.archiving.records import ArchivedRecords
from minicrawl.crawler.archiving.top_share import TopShare
from minicrawl.crawler.books.anticipated_cash import NotAnticipated
from minicrawl.crawler.http.saved_cookies import KeptCookies
from minicrawl.crawler.known.discovery import Discovery
from minicrawl.crawler.known.expecting import Expecting
from minicrawl.crawler.known.known_sites import KnownSites
from minicrawl.crawler.known.known_web import KnownWeb
from minicrawl.crawler.known.loading import load_traps
from minicrawl.crawler.known.saving import AccountSaver, BlockSaver, Saver, save_ranking
from minicrawl.crawler.known.settling import Settling
from minicrawl.crawler.known.tally import Tally
from minicrawl.crawler.recognise.canonicals import Canonicals
from minicrawl.crawler.recognise.duplicates import Duplicates
from minicrawl.crawler.recognise.sessions import Sessions
from minicrawl.crawler.recognise.soft404 import Soft404s
from minicrawl.crawler.requests.outage_watch import Liveness
from minicrawl.crawler.requests.request import HostTurns
from minicrawl.crawler.requests.robots import RobotsFiles
from minicrawl.crawler.requests.sitemap import Sitemaps
from minicrawl.crawler.sharing.mirrors import Mirrors
from minicrawl.crawler.sharing.outbox import Outbox
from minicrawl.crawler.sharing.share import Share
from minicrawl.crawler.sitemaps.queue import SitemapQueue
from minicrawl.crawler.urls.normalise import by_host
from minicrawl.crawler.visits.aliases import Aliases
from minicrawl.crawler.visits.alternates import Alternates
from minicrawl.crawler.visits.due_probes import Probes
from minicrawl.crawler.visits.hook_failures import HookFailures
from minicrawl.crawler.visits.lookalikes import Lookalikes, Recognisers, of_no_alias
from minicrawl.crawler.visits.max_depth import DeepLinks
from minicrawl.crawler.visits.merging import Merging
from minicrawl.crawler.visits.outlinks import Outlinks
from minicrawl.crawler.visits.refreshing import Refreshing
from minicrawl.crawler.visits.scheme_guesses import SchemeGuesses
from minicrawl.crawler.visits.soft_errors import SoftErrors
from minicrawl.crawler.visits.visit import Visits
from minicrawl.extract.gathering import columns_of
from minicrawl.extract.item_file import ItemFile
from minicrawl.opic import Strategy, Window
from minicrawl.opic.arrays import FloatArray, Pages
from minicrawl.settings import CrawlSettings, parse_host_limit
from minicrawl.store.rows import Fingerprint, MetaValue
from minicrawl.store.texts.writing import TextWriter
from minicrawl.store.writer import Writer
from minicrawl.system import give_memory_back
from minicrawl.timing import STANDARD, Timing


class Absorber:
    """Who takes in what: `visits` the answers for pages, `robots` and `sitemaps` theirs, `probes` the answers for pages
    that cannot exist; `turns` how hosts were answered, `liveness` whom to ask whether anybody answers.

    `savers`: what a commit writes, in this order; whoever has something to keep joins them.
    """

    def __init__(  # noqa: PLR0913 - what a crawl is opened with
        self,
        writer: Writer,
        settings: CrawlSettings,
        strategy: Strategy,
        window: Window,
        now: float,
        *,
        locates: bool = False,
        owns: Owns | None = None,
        share: Share | None = None,
        only: Pages | None = None,
        timing: Timing = STANDARD,
    ) -> None:
        """locates: whether the address of a host must be known before it is asked. owns: whether a URL is to be crawled
        here; None: every one is. share: of the web, where this is one of several partitions, in place of `owns`. only:
        read pages that have one turn more, and no other page has one."""
        web = self._web = KnownWeb.of(
            writer, settings, strategy, window, now, locates=locates, timing=timing, only=only
        )
        accounts, frontier, hosts, pages, urls = web.accounts, web.frontier, web.hosts, web.pages, web.urls
        self.writer = writer
        self.accounts, self.frontier, self.hosts, self.urls, self.pages = accounts, frontier, hosts, urls, pages
        self.batch = web.batch
        self.tally = Tally.of(writer)
        self.due, self.sites, self.refreshing = web.due, web.sites, None
        if web.due is not None:
            self.refreshing = Refreshing(writer, web.due, frontier, settings.refresh_max)
        self.texts = TextWriter(writer) if settings.keeps_text or writer.texts.size else None
        self.items = _items(writer, settings)
        self.hook_failures = HookFailures(writer, stops=settings.strict_hooks)
        limits = by_host(parse_host_limit("host_pages", rule) for rule in settings.host_pages)
        self._host_pages = HostPages(limits, writer.page_table.answered_on(limits))
        self._top_share = None if settings.archive_top is None else TopShare(accounts.ledger, settings.archive_top)
        self.archived = ArchivedRecords(writer, settings.archive) if settings.archive is not None else None
        self.cookies = _cookies(writer, settings, share)
        self.settling = Settling(accounts, web.batch, writer, web.sites)
        self.expecting = Expecting(accounts, writer)
        traps = load_traps(writer, accounts, frontier, web.sites) if settings.traps else None
        self.outbox, self.mirrors = self._neighbours(share)
        admission = self.admission = _admission(writer, settings, strategy, traps, owns, share)
        discovery = self.discovery = Discovery(urls, accounts, frontier, hosts, web.batch, admission, self.mirrors)
        self._tell_sites(web.sites)
        self._locates = locates
        self._in_http: list[str] = []  # of seeds whose scheme was guessed
        self.guesses = SchemeGuesses(urls, discovery)
        self.deep_links = DeepLinks(accounts, pages, urls, admission, discovery, self.tally)
        aliases = Aliases(writer.link_table.hinted(), accounts, pages, urls, admission, discovery, self.deep_links)
        by = self._recognisers(settings, aliases)
        self.lookalikes = Lookalikes(by, accounts, pages, urls, aliases)
        self.probes = Probes(by.soft404s, by.soft_errors, by.sessions)
        self.turns = turns = HostTurns(frontier, hosts, admission, timing)
        self.robots = RobotsFiles(
            writer, web.past, hosts, web.batch, turns, user_agent=settings.user_agent, timing=timing
        )
        self.sitemaps = self._sitemaps(by.sessions, timing, is_on=settings.sitemaps)
        self.liveness = Liveness(accounts, frontier, pages, urls, turns, asks_robots=not settings.ignore_robots)
        self.visits = self._visits(by, aliases, timing)
        self.savers = self._savers(by)
        self._blocks = BlockSaver(accounts, frontier.pages)

    def _tell_sites(self, sites: KnownSites | None) -> None:
        """Let those be told of new pages, and of what pages hold, to whom that matters where walkers jump to sites."""
        waiting, discovery = self.frontier.pages, self.discovery
        if sites is not None:
            discovery.note_page = sites.note_page
            self.accounts.note_moved = lambda pages: waiting.note_moved(pages[pages < discovery.offered])

    def order(self, settings: CrawlSettings) -> None:
        """Let pages never read be in the order that settings ask for."""
        self.frontier.order_by(self.accounts.ledger if settings.reads_by_worth else None)

    def _neighbours(self, share: Share | None) -> tuple[Outbox | None, Mirrors | None]:
        """What goes to other partitions, if there are any."""
        if share is None:
            return None, None
        self.accounts.has_neighbours = True
        outbox = Outbox(self.writer)
        voices = None if self.sites is None else self.sites.shared
        return outbox, Mirrors(share, self.accounts, self.urls.url, outbox, self.writer, voices)

    def _recognisers(self, settings: CrawlSettings, aliases: Aliases) -> Recognisers:
        """What pages are recognised by, as the store has it."""
        accounts, pages, urls, admission = self.accounts, self.pages, self.urls, self.admission
        stored = self.writer.recognised

        def kept(page: int) -> Fingerprint | None:
            """The fingerprint that the store has of a page; pages that were never visited have none, as most have."""
            return stored.fingerprint(page) if accounts.book.visited[page] else None

        fingerprints = of_no_alias(stored.fingerprints(), accounts)
        duplicates = Duplicates(fingerprints, kept, is_alias=lambda page: bool(accounts.ledger.alias[page]))
        merging = soft404s = soft_errors = None
        if settings.merge_duplicates:
            merging = Merging(
                stored.fingerprints(), accounts, pages, urls, self.frontier, admission, duplicates, aliases
            )
        if settings.probe:
            secret = bytes.fromhex(str(self.writer.meta("hash_key")))
            soft404s = Soft404s(stored.probes(), secret, stored.recent_pages())
            soft_errors = SoftErrors(soft404s, accounts, pages, aliases, duplicates, self.tally)
        canonicals = Canonicals(json.loads(str(self.writer.meta("refuted_canonicals") or "[]")))
        learns_sessions = settings.probe and settings.traps and not settings.keep_parameters
        sessions = Sessions(stored.parameters(), learns=learns_sessions)
        return Recognisers(duplicates, merging, canonicals, soft404s, soft_errors, sessions, admission.traps)

    def _sitemaps(self, sessions: Sessions, timing: Timing, *, is_on: bool) -> Sitemaps:
        return Sitemaps(
            SitemapQueue(self.writer),
            self.accounts,
            self.frontier,
            self.hosts,
            self.urls,
            self.admission,
            self.discovery,
            self.turns,
            sessions.plain,
            is_on=is_on,
            timing=timing,
            note_lastmods=None if self.refreshing is None else self.refreshing.note_lastmods,
        )

    def _visits(self, by: Recognisers, aliases: Aliases, timing: Timing) -> Visits:
        accounts, frontier, urls = self.accounts, self.frontier, self.urls
        admission, discovery, sessions = self.admission, self.discovery, by.sessions
        return Visits(
            accounts=accounts,
            frontier=frontier,
            pages=self.pages,
            urls=urls,
            discovery=discovery,
            settling=self.settling,
            tally=self.tally,
            turns=self.turns,
            traps=by.traps,
            host_pages=self._host_pages,
            sessions=sessions,
            sitemaps=self.sitemaps,
            guesses=self.guesses,
            deep_links=self.deep_links,
            aliases=aliases,
            lookalikes=self.lookalikes,
            outlinks=Outlinks(accounts, frontier, urls, admission, discovery, self.lookalikes, sessions),
            alternates=Alternates(
                self.writer.recognised.alternates(), accounts, frontier, admission, discovery, sessions.plain
            ),
            refreshing=self.refreshing,
            texts=self.texts,
            items=self.items,
            hook_failures=self.hook_failures,
            archived=self.archived,
            top_share=self._top_share,
            timing=timing,
        )

    def _savers(self, by: Recognisers) -> list[Saver]:
        parts: tuple[Saver | None, ...] = (
            AccountSaver(self.accounts, self.batch, self._web.budget, self.mirrors),
            self.outbox,
            self.batch,
            by.traps,
            self.hosts,
            self.sites,
            self.tally,
            self.sitemaps,
            self.lookalikes,
            by.soft404s,
            by.sessions,
            self.visits.alternates,
            self.refreshing,
            self.texts,
            self.expecting,
            self.items,
            self.hook_failures,
            self.frontier.pages.anticipated or NotAnticipated(),
            self.archived,
            self.cookies,
        )
        return [part for part in parts if part is not None]

    def start(self, seeds: Sequence[str], now: float, guessed: Set[str] = frozenset()) -> None:
        """`starting`, to the end."""
        for _ in self.starting(seeds, now, guessed):
            pass

    def starting(self, seeds: Sequence[str], now: float, guessed: Set[str] = frozenset()) -> Iterator[None]:
        """Set the scope by all seeds this store ever had, and make the seeds known, those that are new, step by step.

        After every step what is known so far may be committed. Nothing may be asked for before the last one.
        guessed: seeds of which it is not certain that https is their scheme.
        """
        in_http = self._in_http = list(map(in_plain_http, guessed))
        self.admission.begin([*self.writer.page_table.seeds(), *seeds, *in_http])
        self.admission.protect(in_http)
        yield from self.discovery.know_seeds(seeds, now, self.writer.sizes.seeds)
        self.guesses.begin(guessed)
        self.follow_further(now)
        if self.sites is not None:
            self.sites.begin()
            self.frontier.reorder()
        if self.accounts.size >= self.writer.sizes.arrays:
            give_memory_back()  # all that was read is arrays by now: a fifth of what there is of ten million pages

    def seeds(self) -> list[str]:
        """All seeds by which the scope is set."""
        uncommitted = [page.url for page in self.batch.new if page.found_on is None]
        return [*self.writer.page_table.seeds(), *uncommitted, *self._in_http]

    def add_seeds(self, seeds: Sequence[str], now: float, guessed: Set[str] = frozenset()) -> None:
        """Make more seeds known while the crawl runs. guessed: as in `starting`, which is over."""
        in_http = list(map(in_plain_http, guessed))
        self._in_http += in_http
        self.admission.widen([*seeds, *in_http])
        self.admission.protect(in_http)
        for _ in self.discovery.know_seeds(seeds, now, self.writer.sizes.seeds):
            pass
        if self.sites is not None:
            self.sites.note_seeds()
        self.guesses.begin(guessed)

    def adjust_hosts(self, settings: CrawlSettings, now: float) -> None:
        """Let hosts and addresses be asked as often, and as many times at once, as other settings say."""
        ip_delay = settings.delay_per_address if self._locates else 0.0
        self.frontier.adjust(settings.per_host, ip_delay, now)
        self.turns.set_least_delay(settings.delay, now)

    def follow_further(self, now: float) -> None:
        """Follow the links that only a smaller --max-depth has kept out."""
        self.deep_links.follow_further([*self.writer.link_table.too_deep(), *self.batch.refused.values()], now)

    def share_births_out(self, trust: FloatArray) -> None:
        """Share births out by the trust of sites, as `KnownSites.links` has these, and make virtual visits."""
        assert self.sites is not None, "walkers jump to sites"
        self.sites.share_out(trust)
        self._settle_births()

    @property
    def is_coverage_old(self) -> bool:
        """Whether a crawl that ends by its coverage has grown since that was worked out; a commit does so again."""
        return self.sites is not None and self.accounts.coverage.ends_crawl and self.sites.is_due

    def keep_ranking(self) -> None:
        """Share births out anew and make virtual visits, if the crawl has grown enough, everything being committed."""
        if self.sites is not None and self.sites.is_due:
            self.sites.work_out()
            self._settle_births()
        elif self.settling.is_due:
            self.settle()

    def _settle_births(self) -> None:
        self.settling.note_births()
        self.settle()

    def settle(self) -> int:
        """Make virtual visits, after which pages wait as they bring it; how many."""
        visits = self.settling.settle()
        self.frontier.reorder()
        return visits

    @property
    def turns_in_batch(self) -> int:
        """How many pages had their turn since the last commit."""
        return self.batch.turns_taken

    def commit(self, meta: dict[str, MetaValue], *, ranks: bool = False) -> None:
        """Write everything since the last commit, all or nothing. ranks: and the place of every page."""
        with self.writer.transaction():
            for part in self.savers:
                part.save(self.writer)
            if ranks:
                save_ranking(self.writer, self.accounts)
            self.writer.save_meta(meta)
            self._blocks.save(self.writer)
        self.urls.committed()
        if self.outbox is not None:
            self.outbox.committed()
        if ranks:
            self._blocks.finish(self.writer)


def _admission(  # noqa: PLR0913 - what admission is told
    writer: Writer,
    settings: CrawlSettings,
    strategy: Strategy,
    traps: Traps | None,
    owns: Owns | None,
    share: Share | None,
) -> Admission:
    types = SeenTypes.of(settings.focus_type, writer.page_table.types()) if settings.focus_type else None
    if share is None:
        return Admission(settings, strategy, traps, owns, types=types)
    return Admission(settings, strategy, traps, lambda url: share.home_of(url) == share.here, mirrors=True, types=types)


def _cookies(writer: Writer, settings: CrawlSettings, share: Share | None) -> KeptCookies | None:
    if not settings.takes_cookies:
        return None
    if share is None:
        return KeptCookies(writer, settings.cookie_file)
    return KeptCookies(writer, settings.cookie_file, lambda host: share.home_of(f"http://{host}/") == share.here)


def _items(writer: Writer, settings: CrawlSettings) -> ItemFile | None:
    if not settings.items:
        return None
    columns = columns_of(settings.extract, settings.extract_rule, is_structured=settings.extract_structured)
    return ItemFile(writer, Path(settings.items), columns)
