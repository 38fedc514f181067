"""Experiments in a crawl with --render auto: how each page is requested, and what its scripts have shown."""

from collections import Counter, defaultdict
from collections.abc import Set
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from minicrawl import log
from minicrawl.model import PageRequest, PageScripts
from minicrawl.parts.render import PLAIN, RENDERED, SHELL, AddedRow, ScriptedRow, Shells
from minicrawl.parts.render.verdicts import (
    HOSTS,
    SAMPLED,
    SAMPLED_FROM,
    SUSPECTS,
    ClassRow,
    Gain,
    asked,
    pattern_of,
    sampled,
)
from minicrawl.store.recognised import blob_of, numbers_of
from minicrawl.web.urls.keys import politeness_key, site_of

if TYPE_CHECKING:
    from minicrawl.crawler.visits.step import Opening
    from minicrawl.crawler.visits.turn import Turn
    from minicrawl.store.writer import Writer

_SHARE = 20
"""Of the time of a run, samples of hosts without a seed take one part in so many."""
_MOST_WORDS, _MOST_HOSTS = 50_000, 1_000
"""Runs of words that are known of a host; and hosts of which they are in memory."""
_MOST_PAGES = 20_000
"""Pages with scripts, read without them, with which others are compared."""


class Added(Struct):
    """Runs of words that scripts have added to pages of a host. pieces: rows of the store."""

    runs: set[int]
    pieces: int
    new: set[int]

    def own(self, runs: Set[int]) -> int:
        """The number of runs that were not known, and are from now on."""
        fresh = runs - self.runs
        if len(self.runs) < _MOST_WORDS:
            self.runs |= fresh
            self.new |= fresh
        return len(fresh)


class Experiments(Shells):
    """Has pages rendered that tell about others, and those of classes that need it."""

    def __init__(self, opening: "Opening") -> None:
        super().__init__(opening)
        state = self._state = opening.state
        self._writer, self._pages, self._frontier = state.writer, state.pages, state.frontier
        self._now = opening.now
        self._spent = 0.0
        """Seconds for samples of hosts without a seed."""
        self._classes = defaultdict[str, dict[str, ClassRow]](dict)
        self._routed = set[str]()
        """Hosts with routes that show pages, also of earlier runs and in other processes."""
        self._hosts = defaultdict[int, dict[str, bool]](dict)
        """By a number for scripts the hosts on which pages with these were rendered, and whether any had a gain."""
        self._spared = frozenset[int]()
        for row in self._writer.records(ClassRow, "rendered"):
            self._take(row)
            self._judge_files(row)
        self._small = defaultdict[int, dict[str, int]](dict)
        """By host a page of each class of which none was rendered."""
        self._wanted = set[int]()
        self._same = dict[tuple[int, int], int]()
        """By host and payload a page that was read without its scripts."""
        self._doubted = defaultdict[tuple[str, str], set[int]](set)
        """By host and pattern pages that have shown the same without their scripts, as many as are tried."""
        self._doubts = defaultdict[int, set[int]](set)
        """By host those of these that are to wait again."""
        self._added = dict[str, Added]()
        self._changed = set[tuple[str, str]]()
        self._urls = defaultdict[str, Counter[str]](Counter)
        """URLs of hosts by class, up to those that matter."""
        for url in self._writer.page_table.urls():
            self._note_url(politeness_key(url), url)
        state.discovery.also_note_urls(self._note_url)

    def _note_url(self, host: str, url: str) -> None:
        known, pattern = self._urls[host], pattern_of(url)
        if known[pattern] < SAMPLED_FROM:
            known[pattern] += 1

    def _judge_files(self, row: ClassRow) -> None:
        """Spare pages with the scripts of a page that was rendered, if none on enough hosts had a gain."""
        hosts = self._hosts[row.files]
        hosts[row.host] = hosts.get(row.host, False) or row.gains > 0
        is_barren = len(hosts) >= HOSTS and not any(hosts.values())
        if is_barren != (row.files in self._spared):
            self._spared ^= {row.files}

    @cached_property
    def _seed_hosts(self) -> frozenset[int]:
        """Asked for once the seeds are known."""
        accounts = self._state.accounts
        is_seed = accounts.depth[: accounts.size] == 0
        return frozenset(self._frontier.pages.host_of[: accounts.size][is_seed].tolist())

    @cached_property
    def _seed_sites(self) -> frozenset[str]:
        return frozenset(site_of(f"http://{self._frontier.hosts[host].name}/") for host in self._seed_hosts)

    def _has_seed(self, page: int) -> bool:
        return int(self._frontier.pages.host_of[page]) in self._seed_hosts

    def request(self, page: int, asked_for: PageRequest) -> PageRequest:
        host, pattern = self._frontier.host(page).name, pattern_of(asked_for.url)
        has_time = self._has_seed(page) or self._spent * _SHARE <= self._now - self._state.opened_at
        spared = self._spared if has_time else None
        known = SAMPLED_FROM if page in self._wanted else self._urls[host][pattern]
        render = asked(self._classes.get(host, {}), pattern, known, spared)
        row = self._classes.get(host, {}).get(pattern)
        is_doubted = page in self._doubted.get((host, pattern), ()) and (row is None or row.tries_suspects)
        if is_doubted or "#" in asked_for.url:  # without its scripts a route is another page
            render = render._replace(shells=True, others=True, spared=frozenset())
        return asked_for._replace(render=render._replace(routes=host in self._routed))

    def on_idle(self, host: int, now: float) -> None:
        """Try pages that were the same; and sample small classes, too, on a host with a seed that has few, and one of
        which nothing was rendered on another host of its site."""
        for page in self._doubts.pop(host, ()):
            self._bring_back(page, now)
        small = self._small.pop(host, {})
        classes = self._classes[self._frontier.hosts[host].name] if small else {}
        pages = [page for pattern, page in small.items() if pattern not in classes]
        most = SAMPLED - sampled(classes) if host in self._seed_hosts else 1 - len(classes)
        for page in pages[: max(most, 0)]:
            self._wanted.add(page)
            self._bring_back(page, now)

    def _bring_back(self, page: int, now: float) -> None:
        """Let a page wait again that was read without its scripts, unless the run has a list of pages."""
        if self._state.terms.only is not None:
            return
        self._pages.read_otherwise.add(page)
        self._frontier.put_first(page, now)

    def on_links(self, turn: "Turn") -> None:
        self._now = max(self._now, turn.now)
        self._wanted.discard(turn.page)
        scripts = turn.parsed.scripts
        if scripts is None:
            return
        url = turn.fetched.url
        host, pattern = politeness_key(url), pattern_of(url)
        row = self._classes[host].get(pattern) or ClassRow(host, pattern)
        if scripts.seconds is not None:
            self._learn(turn, scripts, row)
        elif row.rendered:
            self._note(row._replace(unseen=row.unseen + 1))

    def _learn(self, turn: "Turn", scripts: PageScripts, row: ClassRow) -> None:
        """Take in what a page shows that was rendered."""
        is_sample = not (scripts.was_shell or row.needs_browser)
        if is_sample and not self._has_seed(turn.page):
            self._spent += scripts.seconds or 0.0
        if turn.fetched.unrendered == "render-crashed" or turn.parsed.refresh is not None:
            return  # it says nothing of the page
        offered, urls, links = self._state.discovery.offered, self._state.urls, set(scripts.links)
        new = sum(target >= offered and urls.url(target) in links for target in turn.targets)
        own = self._of(row.host).own(set(numbers_of(scripts.runs)))
        gain = Gain(turn.fetched.url, own, scripts.words, new, any("#" in link for link in links))
        if not gain.counts and self._was_rendered(turn.page):
            return  # its own words are known from itself
        after = row.after(gain, scripts.files, is_sample=is_sample, scrolled=scripts.scrolled)
        if scripts.posts and not (gain.counts and {*turn.targets} - {turn.page}):
            after = after._replace(posts=after.posts + 1)
        self._note(after)
        self._judge_files(after)
        if not row.needs_browser and gain.counts:
            self._read_anew(turn, row)

    def _note(self, row: ClassRow) -> None:
        self._take(row)
        self._changed.add((row.host, row.pattern))

    def _take(self, row: ClassRow) -> None:
        self._classes[row.host][row.pattern] = row
        if "#" in row.pattern and row.needs_browser:
            self._routed.add(row.host)

    def _read_anew(self, turn: "Turn", row: ClassRow) -> None:
        """Let pages of a class that were read without scripts wait again."""
        log.event("class-rendered", host=row.host, pattern=row.pattern, url=turn.fetched.url)
        query = "SELECT page, url FROM scripted JOIN pages ON id = page WHERE reading != ? AND host = ?"
        stored = dict(self._writer.rows(query, (RENDERED, self._state.hosts.host(row.host).id)))
        urls = stored | {page: self._state.urls.url(page) for page in self._new}
        for page, url in urls.items():
            is_meant = politeness_key(url) == row.host and pattern_of(url) == row.pattern
            now = self._new.get(page)
            if is_meant and page not in self._gone | {turn.page} and (now is None or now.reading != RENDERED):
                self._bring_back(page, turn.now)

    def _of(self, host: str) -> Added:
        if host not in self._added:
            rows = self._writer.records(AddedRow, "added WHERE host = ? ORDER BY number", host)
            self._added[host] = Added(set(numbers_of(b"".join(row.hashes for row in rows))), len(rows), set())
        return self._added[host]

    def _was_rendered(self, page: int) -> bool:
        if page not in self._known:
            return False
        row = self._new.get(page) or self._writer.record(ScriptedRow, "scripted WHERE page = ?", page)
        return row is not None and row.reading == RENDERED

    def on_turn(self, turn: "Turn") -> None:
        self.note(turn, None if turn.parsed.scripts is None else self._reading(turn, turn.parsed.scripts))

    def _reading(self, turn: "Turn", scripts: PageScripts) -> str:
        if scripts.seconds is not None:
            return RENDERED
        host, pattern = politeness_key(turn.fetched.url), pattern_of(turn.fetched.url)
        row = self._classes[host].get(pattern)
        # Only once: it may not be rendered even then.
        is_new = row is None and turn.page not in self._known and scripts.files not in self._spared
        if is_new and (self._has_seed(turn.page) or self._is_dead_end(turn)):
            self._small[int(self._frontier.pages.host_of[turn.page])].setdefault(pattern, turn.page)
        if row is None or row.tries_suspects:
            self._doubt(turn)
        return SHELL if scripts.was_shell and not (row is not None and row.is_plain) else PLAIN

    def _is_dead_end(self, turn: "Turn") -> bool:
        """True for a page that leads nowhere on the site of a seed: its scripts may write the links, also where the
        seed redirects to another host."""
        return not {*turn.targets} - {turn.page} and site_of(turn.fetched.url) in self._seed_sites

    def _doubt(self, turn: "Turn") -> None:
        """Have pages rendered, once, that show the same without their scripts as another one of their host."""
        payload = turn.fetched.payload
        if payload is None:
            return
        host = int(self._frontier.pages.host_of[turn.page])
        first = self._same.setdefault((host, payload), turn.page)
        for page in {first, turn.page} if first != turn.page else ():
            url = self._state.urls.url(page)
            doubted = self._doubted[politeness_key(url), pattern_of(url)]
            if page not in doubted and len(doubted) < SUSPECTS:
                doubted.add(page)
                self._doubts[host].add(page)
        if len(self._same) > _MOST_PAGES:
            del self._same[next(iter(self._same))]

    def save(self, writer: "Writer") -> None:
        super().save(writer)
        writer.put(ClassRow, [self._classes[host][pattern] for host, pattern in sorted(self._changed)])
        self._changed.clear()
        for host, added in self._added.items():
            if added.new:
                writer.add(AddedRow, [AddedRow(host, added.pieces, blob_of(added.new))])
                added.pieces += 1
                added.new.clear()
        if len(self._added) > _MOST_HOSTS:
            self._added.clear()
