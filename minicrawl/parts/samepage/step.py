"""The judge of URLs in a crawl: what each page said, which URLs wait behind all others, and which stand for others.

A page whose turn comes is read if its prospect is good. Else it is held. When no other page of its host waits, the
judge lets some of those that are held wait again: risen ones, or a sample. What it never calls back is left out: it
stays known and waits, and the next run begins with samples again.
"""

import re
import zlib
from bisect import bisect_left
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Mapping, Sequence, Set
from functools import partial
from hashlib import blake2b
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from minicrawl import log
from minicrawl.crawler.outcomes.outcome import Outcome, directives_of
from minicrawl.crawler.recognise.duplicates import Duplicates, are_alike
from minicrawl.crawler.steps.duplicates import DuplicatePages
from minicrawl.crawler.visits.step import Opening, Step
from minicrawl.crawler.visits.turn import Turn
from minicrawl.model import READ, Fetched, PageRequest, State
from minicrawl.parts.samepage.host_book import HostBook
from minicrawl.parts.samepage.judge import COPY, FILE, GAIN, NOW, NUMBERS, Answer, Group, Judge, Waiting
from minicrawl.parts.samepage.known_lines import KnownLines
from minicrawl.parts.samepage.pairs import VOID, Evidence, plainer
from minicrawl.parts.samepage.plainer_first import PlainerFirst
from minicrawl.parts.samepage.stored import load_judge, load_lines, load_pairs, pair_rows, pattern_rows, seen_rows
from minicrawl.parts.samepage.tables import LinesRow, ListingRow, PairRow, PatternRow, SeenRow
from minicrawl.parts.samepage.words import name_in_words
from minicrawl.reasons import MAX_HOPS, TRANSIENT, has
from minicrawl.store.writer import Writer
from minicrawl.web.fingerprint import SAYS_SOMETHING
from minicrawl.web.http.response_fields import FEED_TYPES, HTML_TYPES, media_type
from minicrawl.web.lines import Lines, listing_of, title_hash, title_parts, unpack
from minicrawl.web.urls.front import is_above, is_home
from minicrawl.web.urls.keys import origin_of, politeness_key, site_of
from minicrawl.web.urls.shapes import shape_of

if TYPE_CHECKING:
    from minicrawl.crawler.known.crawl_state import CrawlState
    from minicrawl.settings import CrawlSettings

_TENTH, _TWENTIETH, _DOZEN, _MUCH = 10, 20, 12, 30
"""Nothing new is less than a tenth of the words of a page, or a twentieth if these are a dozen; _MUCH are something."""
_PICTURE = 4
"""Words that a picture is worth on a page with few of them."""
_FEWEST_NUMBERS, _NUMBERS, _FULL = 12, 1 / 4, 1 / 2
"""Shares of words: of numbers, where these may be what a page says; of those in new lines, where it is a gain as any
other."""
_MOST_COMPARED = 16
_LOOKED_AT = 256
"""Groups of URLs that wait which are compared at a time: a large site has any number."""
_OF_RISEN, _AT_ONCE = 8, 16
"""URLs of a group that has risen which are let wait again at a time, the first by hash; and of all groups."""
_ECHOES = 24
"""Hosts of a site in a row whose first pages say what others say, after which new ones are left out."""
_TWO_SEGMENTS = 4
"""Slashes of a URL with two segments, at least."""
_MOST_READ = 1_000
"""Pages with parameters that are remembered of a host, to stand for others once one is void."""
_MOST_PENDING = 1_000
_MOST_HOSTS, _MOST_LINES = 2_000, 8_000_000
"""In memory: hosts, and lines of all together."""


class Listings:
    """The first page of each host, title and set of lines."""

    def __init__(self, writer: Writer) -> None:
        self._writer, self._new = writer, dict[int, int]()

    def first(self, listing: int) -> int | None:
        page = self._new.get(listing)
        return page if page is not None else self._writer.value("SELECT page FROM listings WHERE listing = ?", listing)

    def add(self, listing: int, page: int) -> None:
        """Note a page, unless another has this listing."""
        if self.first(listing) is None:
            self._new[listing] = page

    def save(self, writer: Writer) -> None:
        writer.add(ListingRow, (ListingRow(*each) for each in self._new.items()), if_new=True)
        self._new.clear()


class Echoes:
    """By site the hosts in a row whose first page said what another host's did: wildcard DNS makes up any."""

    def __init__(self) -> None:
        self._hosts: dict[str, int] = {}

    def note(self, url: str, *, is_echo: bool) -> None:
        """Take in the first page of a host."""
        if is_echo:
            site = site_of(url)
            self._hosts[site] = self._hosts.get(site, 0) + 1
        elif self._hosts:
            self._hosts.pop(site_of(url), None)

    def makes_up(self, url: str) -> bool:
        """True if the last hosts of a site have all said what others said: the next one says it as well."""
        return bool(self._hosts) and self._hosts.get(site_of(url), 0) >= _ECHOES


class Named:
    """Pages that name another of their host as canonical, until that was read: it tells whether they stand for it."""

    def __init__(self, opening: Opening) -> None:
        self._urls, self._accounts = opening.state.urls, opening.state.accounts
        self._aliases = opening.aliases
        self._answers: OrderedDict[int, list[tuple[int, Answer]]] = OrderedDict()

    def is_named(self, page: int) -> bool:
        """True if a page that was read stands for this one by a hint."""
        return any(self._accounts.book.alias[alias] for alias in self._aliases.hinted(page))

    def may_be_read(self, url: str, judge: Judge) -> bool:
        """True if a URL that is named was read, or will be."""
        (page,) = self._urls.find([url])
        if page is not None and (self._accounts.had_turn[page] or self.is_named(page)):
            return True
        return judge.prospect(url) >= NOW

    def unread(self, turn: Turn) -> int | None:
        """The page that another one names, if it was not read."""
        if turn.outcome.reason != "canonical" or turn.outcome.alias is None:
            return None
        (page,) = self._urls.find([turn.outcome.alias])
        return None if page is None or self._accounts.had_turn[page] else page

    def note(self, target: int, page: int, answer: Answer) -> None:
        """Keep what a page says itself until the one that it names was read."""
        self._answers.setdefault(target, []).append((page, answer))
        while len(self._answers) > _MOST_PENDING:
            self._answers.popitem(last=False)

    def take(self, target: int) -> list[Answer]:
        """What the pages say that name one which was read: that they stand for it, or what they say themselves."""
        is_alias = self._accounts.book.alias
        answers = self._answers.pop(target, ())
        return [answer._replace(kind="canonical") if is_alias[page] else answer for page, answer in answers]


class SamePage(Step):
    """Judges URLs, and finds out which stand for others."""

    def __init__(self, opening: Opening, ask: Sequence[str]) -> None:
        """ask: regular expressions; URLs that match are read at their turn."""
        state = opening.state
        self._state, self._writer = state, state.writer
        self._urls, self._pages = state.urls, state.pages
        self._accounts, self._frontier = state.accounts, state.frontier
        self._admission = state.admission
        self._fingerprints = opening.step(DuplicatePages).fingerprints
        self._begins_anew = self._writer.is_exhausted  # else the last run goes on
        self._begun: set[str] = set()
        self._audits = opening.settings.audit
        self._heeds_robots = not opening.settings.ignore_robots
        self._learns_pairs = not opening.settings.keep_parameters
        self.ask(ask)
        self._books: OrderedDict[str, HostBook] = OrderedDict()
        self._changed: set[str] = set()
        hosts = self._writer.rows("SELECT DISTINCT host FROM pairs WHERE is_void") if self._learns_pairs else ()
        self._void = {host: load_pairs(self._writer, host) for (host,) in hosts}
        self._held: defaultdict[int, dict[Group, list[int]]] = defaultdict(dict)
        """By host and group pages that wait, each behind the hash of its URL, in order."""
        self._waiting: defaultdict[int, Counter[str]] = defaultdict(Counter)
        """Their number by host and pattern."""
        self._spent: dict[int, tuple[int, int]] = {}
        """By host its gains, and the pages that waited, when there was nothing to read among these."""
        self._called: set[int] = set()
        self._echoes = Echoes()
        self._found: tuple[int, str | None, str] = (-1, None, "")
        """The page recognised last, what it repeats, and the URL of the page that said it first."""
        self._listings = Listings(self._writer)
        self._plainer_first = PlainerFirst(state)
        self._named = Named(opening)
        self._pending: OrderedDict[int, list[tuple[int, str]]] = OrderedDict()
        self.wanted: dict[str, str] = {}
        self._experiments: dict[str, tuple[str, Turn]] = {}
        state.discovery.also_note_urls(self._note_url)
        self._hold_doubted()

    def ask(self, patterns: Sequence[str]) -> None:
        """Read all URLs that match one of these regular expressions at their turn."""
        self._asked = re.compile("|".join(f"(?:{pattern})" for pattern in patterns)) if patterns else None

    # URLs.

    def plain(self, urls: Sequence[str]) -> Sequence[str]:
        if not self._void:
            return urls
        plain = list(map(self._plain, urls))
        return urls if plain == list(urls) else plain

    def _plain(self, url: str) -> str:
        pairs = self._void.get(politeness_key(url)) if self._void else None
        return url if pairs is None else pairs.plain(url, lambda other: self._urls.find([other]) != [None])

    def _note_url(self, host: str, url: str) -> None:
        if url.count("/") < _TWO_SEGMENTS and "?" not in url:  # as front pages of other hosts: it teaches nothing
            return
        book = self._book(host)
        book.judge.note_url(url)
        if "?" in url:
            book.pairs.note_known(url)

    def request(self, page: int, asked: PageRequest) -> PageRequest:
        book = self._books.get(self._name_of(page))  # only looked at, as a commit may be under way
        needs_lines = not self._accounts.depth[page] or book is None or book.judge.needs_lines(asked.url)
        return asked._replace(lines=True) if needs_lines else asked

    def refusal(self, page: int, url: str) -> str | None:
        return VOID if self._accounts.depth[page] and self._plain(url) != url else None

    def lets_wait(self, page: int, url: str) -> bool:
        if self._accounts.had_turn[page] or not self._accounts.depth[page]:
            return False
        if page in self._frontier.pages.first:  # the user wants it, held or not
            held = self._held.get(self._host_of(page), {})
            self._let_go(self._host_of(page), [each for each in _entries(held) if each[1] & _PAGE == page])
            return False
        if page in self._called or (self._asked is not None and self._asked.search(url)) or self._plain(url) != url:
            self._called.discard(page)
            return False
        name = self._name_of(page)
        judge = self._book(name).judge
        reads_now = self._is_checked(url, judge) or judge.reads_now(url, lambda: self._source_of(page, judge))
        reads_now = reads_now or self._named.is_named(page)
        if reads_now and not (judge.is_new and self._echoes.makes_up(url)):
            return self._plainer_first.lets_wait(page, url, lambda other: judge.prospect(other) >= NOW)
        self._hold(page, name, judge, url)
        return True

    def _hold(self, page: int, name: str, judge: Judge, url: str) -> None:
        host, keys = self._host_of(page), judge.keys(url)
        entries = self._held[host].setdefault((keys.pattern, keys.fine[0]), [])
        entry = _by_hash(url) << 32 | page
        at = bisect_left(entries, entry)
        if entries[at : at + 1] == [entry]:  # its verdict was taken back more than once
            return
        entries.insert(at, entry)
        self._waiting[host][keys.pattern] += 1
        judge.changed.add(keys.pattern)
        self._changed.add(name)

    def _source_of(self, page: int, judge: Judge) -> str | None:
        """The URL of the page that made a page known; but for gates none that stands for another, which leads there."""
        source = self._pages.found_on(page)
        url = None if source is None else self._urls.url(source)
        return url if url is None or not self._accounts.book.alias[source] or judge.is_gate(url) else None

    def _is_checked(self, url: str, judge: Judge) -> bool:
        """True if a URL is asked for only to learn whether it is there; and for any page by its path in an audit."""
        return self._admission.scope.only_checks(url) or (self._audits and not judge.is_view(url))

    def on_idle(self, host: int, now: float) -> None:
        held = self._held.get(host)
        if self._plainer_first.on_idle(host, now) or not held:
            return
        name = self._frontier.hosts[host].name
        judge = self._book(name).judge
        if judge.is_new and self._echoes.makes_up(f"http://{name}/"):
            return
        known = judge.gains, self._waiting[host].total()
        if self._spent.get(host) == known:  # nothing can have risen
            return
        order = list(held)
        for start in range(0, len(order), _LOOKED_AT):
            groups = order[start : start + _LOOKED_AT]
            urls = [self._urls.url(held[group][0] & _PAGE) for group in groups]
            numbers = [self._waiting[host][pattern] for pattern, _ in groups]
            chosen, have_risen = judge.choose(map(Waiting, groups, urls, numbers))
            for group in groups:  # they are looked at behind all others from now on
                held[group] = held.pop(group)
            if chosen:
                most = _OF_RISEN if have_risen else 1
                entries = ((group, entry) for group in chosen for entry in held[group][:most])
                self._call(host, list(islice(entries, _AT_ONCE)), now)
                return
        self._spent[host] = known

    def _call_those(self, host: int, are_meant: Callable[[str], bool], now: float) -> None:
        """Let those of the pages wait for their turn that are held on a host, and whose URLs are meant."""
        entries = _entries(self._held.get(host, {}))
        self._call(host, [each for each in entries if are_meant(self._urls.url(each[1] & _PAGE))], now)

    def _call(self, host: int, chosen: Sequence[tuple[Group, int]], now: float) -> None:
        """Let some of the pages that are held wait for their turn."""
        self._let_go(host, chosen)
        pages = [entry & _PAGE for _, entry in chosen]
        self._frontier.bring_back(pages, now)
        for page in pages:
            if self._accounts.had_turn[page]:  # it was a name of another page
                self._frontier.put_first(page, now)
            else:
                self._called.add(page)

    def _let_go(self, host: int, chosen: Sequence[tuple[Group, int]]) -> None:
        """Hold some pages no more."""
        held, name = self._held[host], self._frontier.hosts[host].name
        judge = self._book(name).judge
        for group, entry in chosen:
            self._changed.add(name)
            held[group].remove(entry)
            if not held[group]:
                del held[group]
            self._waiting[host][group[0]] -= 1
            judge.changed.add(group[0])

    def on_settings(self, settings: "CrawlSettings", changed: Set[str], now: float) -> None:
        if "ask" not in changed:
            return
        self.ask(vars(settings)["ask"])
        if self._asked is not None:
            for host in list(self._held):
                self._call_those(host, lambda url: self._asked is not None and bool(self._asked.search(url)), now)

    # Answers.

    def recognise(self, turn: Turn) -> bool:
        outcome, url = turn.outcome, turn.fetched.url
        if outcome.reason == VOID:
            turn.outcome = Outcome(State.ALIAS, VOID, alias=self._plain(url), is_redirect=True)
            return True
        if outcome.alias is not None:
            plain = self._plain(outcome.alias)
            if plain != outcome.alias and plain != self._plain(url):
                outcome = turn.outcome = replace(outcome, alias=plain)
            name, is_own = self._name_of(turn.page), politeness_key(plain) == politeness_key(url)
            if outcome.reason == "canonical" and is_own and not self._named.may_be_read(plain, self._book(name).judge):
                outcome = replace(outcome, state=State.FETCHED, reason="canonical-unread", alias=None)
                turn.outcome = outcome
        if outcome.alias is None and outcome.state is State.FETCHED and turn.fetched.payload is not None:
            kind, leader = self._first_with(turn)
            self._found = turn.page, kind, self._urls.url(leader) if leader is not None else ""
            if leader is not None and "?" in url:  # two paths may well say the same
                turn.outcome = Outcome(State.ALIAS, "same-page", alias=self._urls.url(leader), follows=outcome.follows)
        return False

    def on_links(self, turn: Turn) -> None:
        """Learn from the first answer for a page."""
        if self._accounts.had_turn[turn.page] and self._pages.last_turn(turn.page).reason != VOID:
            return
        name = self._name_of(turn.page)
        book = self._book(name)
        if "?" in turn.fetched.url:
            book.pairs.note_known(turn.fetched.url, -1)
        unread = self._named.unread(turn)
        _, repeats, leader = self._found if self._found[0] == turn.page else (-1, None, "")
        kind = _kind(turn, book, repeats, heeds_robots=self._heeds_robots, is_told=unread is None)
        if kind is None or self._admission.scope.only_checks(turn.fetched.url):
            return
        lines = None if turn.fetched.lines is None else unpack(turn.fetched.lines)
        title = turn.parsed.title or ""
        hashed = title_hash(title)
        near = partial(_titles_near, self._state, turn, book.judge)
        is_full = bool(title) and book.has_new_title(turn.fetched.url, title, hashed, near)
        if book.judge.is_new and kind not in ("error", "redirect"):
            others = () if turn.fetched.payload is None else self._fingerprints.first(turn.fetched.payload)
            is_echo = any(self._host_of(page) != self._host_of(turn.page) for page in others)
            self._echoes.note(turn.fetched.url, is_echo=is_echo)
        if not is_full and kind not in ("error", "redirect"):
            book.judge.note_known_title(turn.fetched.url)
        kind, is_full = _by_lines(turn, book, kind, lines, is_full=is_full)
        if kind == "same" and book.is_first_copy(turn.fetched, turn.outcome.alias or leader):
            kind = COPY
        offered = self._state.discovery.offered
        targets, led_to = turn.targets, list[int]()
        if (kind in ("redirect", "canonical") or unread is not None) and turn.outcome.alias is not None:
            led_to = [page for page in self._urls.find([turn.outcome.alias]) if page is not None]
            targets = [*targets, *led_to]
        new = (self._urls.url(target) for target in targets if target >= offered)
        of = turn.outcome.alias
        if kind == FILE:
            of = _page_of_file(self._state, turn.fetched.url, book.judge) or of
        is_open = kind == "redirect" and not all(self._accounts.had_turn[page] for page in led_to)
        is_ahead = is_open and of is not None and book.judge.leads_to_like(turn.fetched.url, of)
        if is_ahead:
            self._plainer_first.read_soon(led_to)
        is_led_to = turn.page in self._frontier.pages.first  # of a chain of redirects the first is not counted
        answer = Answer(turn.fetched.url, kind, list(new), is_full, of, is_ahead and not is_led_to)
        if unread is not None:
            self._named.note(unread, turn.page, answer)
            return
        book.judge.learn(answer)
        _open_gates(self._state, turn.page, kind, book)
        self._changed.add(name)
        if kind not in ("error", "redirect"):
            self._add_text(turn, book, lines, [hashed] if title and kind != "noindex" else [])

    def on_turn(self, turn: Turn) -> None:
        """Learn what changes nothing, by all pages that were read of one that differ in their spelling alone."""
        self._plainer_first.on_turn(turn.page, turn.now)
        for answer in self._named.take(turn.page):
            self._book(politeness_key(answer.url)).judge.learn(answer)
            self._changed.add(politeness_key(answer.url))
        if not self._learns_pairs or turn.outcome.state not in READ or turn.outcome.reason == VOID:
            return
        page, url = turn.page, turn.fetched.url
        names = plainer(url)
        known = self._urls.find(list(names.values())) if names else []
        for name, other in zip(names, known, strict=True):
            if other is None or other == page:
                continue
            if self._accounts.had_turn[other] or _stands_for(self._state, page) == other:
                self._note_pair(page, name, other, turn.now)
            else:
                self._pending.setdefault(other, []).append((page, name))
                if len(self._pending) > _MOST_PENDING:
                    self._pending.popitem(last=False)
        for other, name in self._pending.pop(page, ()):
            self._note_pair(other, name, page, turn.now)
        if "?" in url and turn.fetched.payload is not None:
            self._experiment(turn)

    def _note_pair(self, page: int, name: str, plain: int, now: float) -> None:
        """Take in that two pages were read, of which one is the other spelled more simply."""
        if self._pages.last_turn(page).reason == "canonical":
            return  # pages of a list name the first one, wrongly
        if self._accounts.had_turn[plain] and self._pages.last_turn(plain).reason.startswith("redirect"):
            return  # the plainer one is no better name
        one, other = _stands_for(self._state, page), _stands_for(self._state, plain)
        if one == other or self._pages.was_there(plain):
            is_titled_alike = self._pages.title(one) == self._pages.title(other)  # a path alone stands for no other
            by_text = not name.startswith("?")  # pictures from a host by lot are the same ones
            agrees = one == other or (is_titled_alike and _are_same(self._fingerprints, one, other, by_text=by_text))
            is_near = agrees and _differ(self._fingerprints, page, plain)
            self._note(Evidence(self._urls.url(page), name, self._urls.url(other), agrees, is_near=is_near), now)

    def _note(self, found: Evidence, now: float) -> None:
        host = politeness_key(found.url)
        book = self._book(host)
        self._changed.add(host)
        for name in book.pairs.note(found):
            self._turn(host, book, name, now)

    def _turn(self, host: str, book: HostBook, name: str, now: float) -> None:
        """Act on a new verdict on a name."""
        if name in book.pairs.void and name[:1] == "?":
            book.judge.forget_parameter(name[1:])
        if book.pairs.void:
            self._void[host] = book.pairs
        else:
            self._void.pop(host, None)
        verdict = "changes nothing" if name in book.pairs.void else "makes a difference after all"
        log.event("parameter-judged", host=host, parameter=name_in_words(name), verdict=verdict)
        self._offer_again(self._outdated(host, book, name), host, book.judge, now)
        self._call_those(self._state.hosts.host(host).id, lambda url: self._plain(url) != url, now)

    def _outdated(self, host: str, book: HostBook, name: str) -> list[int]:
        """Pages that were read and now stand for others, or stood for others and are pages again."""
        if name in book.pairs.void:
            outdated = [page for page in book.read if self._plain(self._urls.url(page)) != self._urls.url(page)]
            book.read = sorted({*book.read} - {*outdated})
            return outdated
        known = self._state.hosts.host(host).id
        aliases = self._writer.rows(_NAMES, (known, VOID))  # others are known by one, and wait
        new = [page for page, turn in self._pages.turns.items() if turn.reason == VOID and self._host_of(page) == known]
        return sorted({page for (page,) in aliases} | set(new))

    def _offer_again(self, pages: Sequence[int], name: str, judge: Judge, now: float) -> None:
        """Let pages become names of others now; and hold those that were, and may mostly say the same."""
        for page in pages:
            url = self._urls.url(page)
            if self._plain(url) != url:
                self._frontier.put_first(page, now)
            else:
                self._hold(page, name, judge, url)

    def _hold_doubted(self) -> None:
        """Hold what stands for other pages by a verdict that was taken back, and was not read since."""
        for host, page in self._writer.rows(_DOUBTED, (VOID,)):
            url = self._urls.url(page)
            if self._plain(url) == url:
                self._hold(page, host, self._book(host).judge, url)

    # Experiments.

    def _experiment(self, turn: Turn) -> None:
        """Want a page without one of its parameters, if that may tell whether it matters."""
        url, origin = turn.fetched.url, origin_of(turn.fetched.url)
        name = self._name_of(turn.page)
        book = self._book(name)
        if len(book.read) < _MOST_READ:
            book.read.append(turn.page)
        if origin in self.wanted:
            return
        is_worth_it = book.judge.prospect(url) >= NOW
        repeats = turn.outcome.state is State.ALIAS
        found = book.pairs.experiment(url, repeats=repeats, is_worth_it=is_worth_it)
        if found is not None and self._urls.find([found[1]]) == [None]:
            self.wanted[origin] = found[1]
            self._experiments[found[1]] = found[0], turn
            self._changed.add(name)

    def on_probe(self, fetched: Fetched, title: str | None, now: float) -> None:
        name, turn = self._experiments.pop(fetched.url)
        if fetched.status is None or has(f"http-{fetched.status}", TRANSIENT):
            return  # an overloaded server says nothing of the parameter
        agrees = _is_same(turn.fetched, fetched) and title == turn.parsed.title
        self._note(Evidence(turn.fetched.url, name, fetched.url, agrees, is_linked=False), now)

    # What a page says.

    def _first_with(self, turn: Turn) -> tuple[str | None, int | None]:
        """What a page repeats, and the page of its host that said it first."""
        fetched, title, host = turn.fetched, turn.parsed.title, self._host_of(turn.page)
        assert fetched.payload is not None
        book = self._book(self._name_of(turn.page))
        is_view = book.judge.is_view(fetched.url)
        if fetched.payload & SAYS_SOMETHING and (is_view or fetched.sketch is not None):
            for page in self._fingerprints.first(fetched.payload)[:_MOST_COMPARED]:
                row = self._fingerprints.row(page)
                is_same = row is not None and row.payload == fetched.payload
                if is_same and self._may_lead(page, turn.page, host) and self._pages.title(page) == title:
                    return "same", page
        if not is_view:
            return None, None
        listing = _listing(fetched, title)
        first = None if listing is None else self._listings.first(listing)
        if first is not None and self._may_lead(first, turn.page, host) and self._pages.was_there(first):
            return "same-list", first
        lines = unpack(fetched.lines or b"")
        if fetched.sketch is not None and len(lines.hashes) and book.lines.has(lines.hashes).all():
            for other in self._urls.find(list(plainer(fetched.url).values())):
                row = None if other is None else self._fingerprints.row(other)
                if other is None or row is None or not are_alike(row.sketch, fetched.sketch):
                    continue
                if self._may_lead(other, turn.page, host) and self._pages.title(other) == title:
                    return "near", other
        return None, None

    def _may_lead(self, page: int, of: int, host: int) -> bool:
        return page != of and self._host_of(page) == host and not self._accounts.book.alias[page]

    def _add_text(self, turn: Turn, book: HostBook, lines: Lines | None, names: list[int]) -> None:
        """Note the lines of a page, and that it is the first with this set of lines. names: the hash of its title, if
        that is to be known."""
        if lines is None:
            book.lines.add([name for name in names if not book.lines.knows(name)])
            return
        names = names and [*names, *title_parts(turn.parsed.title or "")]
        hashes = np.union1d(lines.hashes, np.array(names, dtype=np.uint32))
        if len(lines.pictures):
            hashes = np.union1d(hashes, lines.pictures)
        if _has_numbers(lines):
            hashes = np.union1d(hashes, lines.numbered)
        book.lines.add(hashes[~book.lines.has(hashes)].tolist())
        listing = _listing(turn.fetched, turn.parsed.title)
        if listing is not None and turn.outcome.state is State.FETCHED:
            self._listings.add(listing, turn.page)

    # Books.

    def _host_of(self, page: int) -> int:
        return int(self._frontier.pages.host_of[page])

    def _name_of(self, page: int) -> str:
        return self._frontier.host(page).name

    def _book(self, host: str) -> HostBook:
        book = self._books.get(host)
        if book is None:
            store = self._writer
            pairs = self._void.get(host) or load_pairs(store, host)
            judge = load_judge(store, host)
            if judge.counts and host not in self._begun:
                self._begun.add(host)
                judge.begin(is_anew=self._begins_anew)
            book = self._books[host] = HostBook(judge, pairs, load_lines(store, host))
        self._books.move_to_end(host)
        return book

    def save(self, writer: Writer) -> None:
        for host in sorted(self._changed):
            book = self._books[host]
            waiting = self._waiting[self._state.hosts.host(host).id]
            writer.put(PatternRow, pattern_rows(host, book.judge, waiting))
            writer.put(SeenRow, seen_rows(host, book.judge))
            writer.put(PairRow, pair_rows(host, book.pairs))
            if new := book.lines.take_new():
                writer.add(LinesRow, [LinesRow(host, book.lines.pieces, new)])
            book.judge.changed.clear()
            book.judge.changed_words.clear()
            book.pairs.changed.clear()
        self._listings.save(writer)
        self._changed.clear()
        lines = sum(len(book.lines) for book in self._books.values())
        while len(self._books) > _MOST_HOSTS or (lines > _MOST_LINES and len(self._books) > 1):
            lines -= len(self._books.popitem(last=False)[1].lines)


def _differ(fingerprints: Duplicates, page: int, other: int) -> bool:
    """True if two pages have texts that differ."""
    row, there = fingerprints.row(page), fingerprints.row(other)
    return row is not None and there is not None and row.payload != there.payload


def _are_same(fingerprints: Duplicates, page: int, other: int, *, by_text: bool) -> bool:
    """True if two pages show the same. by_text: or have one text."""
    row, there = fingerprints.row(page), fingerprints.row(other)
    if row is None or there is None:
        return False
    return row.payload == there.payload or (by_text and row.sketch is not None and row.sketch == there.sketch)


def _titles_near(state: "CrawlState", turn: Turn, judge: Judge) -> str:
    """The titles of the page with the first link to one, and of the page above a view by its path; not of views."""
    above = state.urls.find(_above(judge, turn.fetched.url))
    near = (page for page in (state.pages.found_on(turn.page), *above) if page is not None)
    pages = (page for page in near if not judge.is_view(state.urls.url(page)))
    return " ".join(answer.title or "" for answer in map(state.pages.last_answer, pages) if answer is not None)


def _above(judge: Judge, url: str) -> list[str]:
    """The URLs that the page above a view by its path may have: /wiki/rose/ and /wiki/rose of /wiki/rose/raw."""
    tail, _ = judge.tail(shape_of(url))
    folder = url.removesuffix(tail)
    return [folder, folder.rstrip("/")] if tail else []


def _page_of_file(state: "CrawlState", url: str, judge: Judge) -> str | None:
    """The URL of a page that a file may be another format of: without a parameter; or above a view by its path, if most
    of its links lead out of its folder, as those of an index do not."""
    for other in plainer(url).values():
        if state.urls.find([other]) != [None]:
            return other
    for other in _above(judge, url):
        (page,) = state.urls.find([other])
        if page is None or not state.accounts.had_turn[page] or state.accounts.book.alias[page]:
            continue
        links = list(map(state.urls.url, state.pages.outlinks(page).tolist()))
        if 2 * sum(is_above(other, link) for link in links) < len(links):
            return other
    return None


def _open_gates(state: "CrawlState", page: int, kind: str, book: HostBook) -> None:
    """Take in that a page says something, if gates of its host alone have led to it."""
    may_be_open = kind == GAIN and book.judge.counts["*"].kinds["gate"] > 0
    way, is_alias, host_of = list[int](), state.accounts.book.alias, state.frontier.pages.host_of
    source = state.pages.found_on(page) if may_be_open else None
    while source is not None and host_of[source] == host_of[page] and len(way) < MAX_HOPS:
        if not (is_alias[source] or book.judge.is_gate(state.urls.url(source))):
            break
        way.append(source)
        source = state.pages.found_on(source)
    if not book.opened.issuperset(way):
        book.opened.update(way)
        book.judge.open_gates([state.urls.url(each) for each in way])


def _stands_for(state: "CrawlState", page: int) -> int:
    """The page that a page stands for at last: itself if it is not an alias."""
    book = state.accounts.book
    for _ in range(MAX_HOPS):
        if not book.alias[page] or book.gone[page]:
            break
        page = int(state.pages.outlinks(page)[0])
    return page


def _kind(turn: Turn, book: HostBook, repeats: str | None, *, heeds_robots: bool, is_told: bool) -> str | None:
    """What a page said, but for what needs its lines; None if nothing can be learned from the answer. repeats: what it
    repeats, as a kind. is_told: a page that it names as canonical was read."""
    outcome, fetched = turn.outcome, turn.fetched
    if fetched.status is None or outcome.state in (None, State.DISALLOWED):
        return None
    if outcome.state in (State.ERROR, State.GONE):
        return None if has(outcome.reason, TRANSIENT) else "error"
    if outcome.is_redirect or outcome.reason == "meta-refresh":
        return "redirect"
    said, is_view = directives_of(fetched, turn.parsed), book.judge.is_view(fetched.url)
    if heeds_robots and book.judge.keeps_out(said.index, said.follow, is_view=is_view, is_home=is_home(fetched.url)):
        return "noindex"
    if outcome.reason == "canonical" and is_told:
        return "canonical"
    content = media_type(fetched.content_type)
    is_file = content not in HTML_TYPES and fetched.digest is None and fetched.record is None
    itself = "nothing" if content in FEED_TYPES else FILE if is_file else GAIN
    is_same = outcome.state is State.ALIAS and is_told
    return itself if _is_own_form(turn) else repeats or ("same" if is_same else itself)


def _by_lines(turn: Turn, book: HostBook, kind: str, lines: Lines | None, *, is_full: bool) -> tuple[str, bool]:
    """What a page said, by its lines as well; and whether it is full by them."""
    has_lines = lines is not None and len(lines.hashes) > 0 and not book.lines.is_full
    if kind == GAIN and lines is not None and has_lines and not is_full:
        share = _news(book.lines, lines)
        if not share and _has_numbers(lines) and book.is_unlike_last(turn.fetched):
            share = float(_has_new_numbers(book.lines, lines))  # a table of other numbers
        kind = GAIN if share or _is_own_form(turn) else "nothing"
        is_full = share >= _FULL
        url, title = turn.fetched.url, turn.parsed.title or ""
        if kind == "nothing" and not book.judge.is_view(url) and book.has_other_numbers(url, title, lines):
            kind = NUMBERS
    return kind, is_full


def _is_own_form(turn: Turn) -> bool:
    """True if a page is a form that is filled in, with a path of its own: what it holds is none of its text."""
    return turn.parsed.is_filled_in and "?" not in turn.fetched.url


def _news(known: KnownLines, lines: Lines) -> float:
    """The share of the words of a page that stand in lines that no page of its host had, digits apart; 0 if these are
    next to none. A new picture is worth a few of these words."""
    words, new = int(lines.words.sum()), int(lines.words[~known.has(lines.hashes)].sum())
    new = max(new, _PICTURE * int((~known.has(lines.pictures)).sum()))
    return new / words if new >= _MUCH or new * (_TWENTIETH if new >= _DOZEN else _TENTH) >= words else 0.0


def _has_numbers(lines: Lines) -> bool:
    """True if much of a page is numbers."""
    return lines.numbers >= _FEWEST_NUMBERS and lines.numbers >= _NUMBERS * lines.all_words


def _has_new_numbers(known: KnownLines, lines: Lines) -> bool:
    """True unless a third of the runs of lines with numbers are those of other pages, as in a list in another order."""
    runs = lines.numbered
    return len(runs) == 0 or 3 * int(known.has(runs).sum()) < len(runs)


def _is_same(one: Fetched, other: Fetched) -> bool:
    """True if two answers say the same, but for the order of lines, or for a few words."""
    if other.payload is None:
        return False
    if one.payload == other.payload or are_alike(one.sketch, other.sketch):
        return True
    if not (one.lines and other.lines):
        return False
    return listing_of(one.lines) == listing_of(other.lines)


def _listing(fetched: Fetched, title: str | None) -> int | None:
    """A number for the host, the title and the lines of a page in any order; None if it has none."""
    listing = listing_of(fetched.lines) if fetched.lines else 0
    if not listing:
        return None
    named = f"{politeness_key(fetched.url)} {title or ''} {listing}".encode()
    return int.from_bytes(blake2b(named, digest_size=8).digest(), signed=True)


def _entries(held: Mapping[Group, Sequence[int]]) -> list[tuple[Group, int]]:
    """Groups and entries of the pages that are held on a host."""
    return [(group, entry) for group, entries in held.items() for entry in entries]


def _by_hash(url: str) -> int:
    return zlib.crc32(url.encode())


_PAGE = 0xFFFF_FFFF
_NAMES = "SELECT id FROM pages WHERE host = ? AND reason = ? AND stands_for IS NOT NULL"
_DOUBTED = """
    SELECT hosts.name, pages.id FROM pages JOIN hosts ON hosts.id = pages.host
    WHERE stands_for IS NOT NULL AND pages.reason = ?
    AND hosts.name IN (SELECT host FROM pairs WHERE NOT is_void AND agree AND differ)
    ORDER BY stands_for, pages.id
"""
"""Pages that stand for plainer ones on hosts where some names agreed and make a difference all the same."""
