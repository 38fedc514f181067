"""Fingerprints of pages that were read, the decision whether to believe a canonical, and names of one page.

Pages that are soft 404s are errors from then on, and pages again should they turn out to be none.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Self

import numpy as np
from msgspec.structs import replace

from minicrawl.crawler.books.accounts import Accounts
from minicrawl.crawler.outcomes.outcome import Outcome
from minicrawl.crawler.recognise.duplicates import Canonicals, Claim, Duplicates, are_alike, differs, differs_much
from minicrawl.crawler.recognise.soft404 import Judged, Soft404s, comparable, says_not_found
from minicrawl.crawler.visits.step import Opening, Step
from minicrawl.crawler.visits.turn import Turn
from minicrawl.model import Fetched, State
from minicrawl.opic.coverage import PageKind
from minicrawl.store.links import NOWHERE, placed
from minicrawl.store.recognised import Fingerprint, RecentPage
from minicrawl.store.tables import Columns
from minicrawl.store.writer import Writer
from minicrawl.web.fingerprint import SAYS_SOMETHING
from minicrawl.web.urls.front import folder_and_name, is_front_page
from minicrawl.web.urls.keys import origin_of
from minicrawl.web.urls.spellings import differ_by_spelling, other_names

MOST_CLAIMS = 256
"""Pages checked that named one as canonical before: any number may, also with the same content."""
_FEWEST_REPEATS, _MOST_ASKED, _MOST_LEADERS, _MOST_HOSTS = 3, 3, 64, 1_000


class DuplicatePages(Step):
    """Keeps `fingerprints` of pages, and refutes wrong canonicals."""

    def __init__(self, opening: Opening) -> None:
        state = opening.state
        self._accounts, self._pages, self._urls = state.accounts, state.pages, state.urls
        self._aliases, self._admission = opening.aliases, state.admission
        stored, accounts = state.writer.recognised, state.accounts

        def kept(page: int) -> Fingerprint | None:
            """The fingerprint of a page in the store; pages that were never visited have none, as most have."""
            return stored.fingerprint(page) if accounts.had_turn[page] else None

        fingerprints = of_no_alias(stored.fingerprints(), accounts)
        self.fingerprints = Duplicates(
            fingerprints, kept, stored.said_first, is_alias=lambda page: bool(accounts.book.alias[page])
        )
        self._refuted = json.loads(str(state.writer.meta("refuted_canonicals") or "[]"))  # as in the store
        self._canonicals = Canonicals(self._refuted)
        self._frontier, self._waiting = state.frontier, state.frontier.pages
        self._is_round = state.terms.only is not None
        self._repeats = dict[int, dict[int, list[int]]]()  # by host and leader, of this run
        self._asked_again: dict[int, tuple[Fingerprint, list[int]]] = {}  # with their leader, and who repeated it

    def recognise(self, turn: Turn) -> bool:
        if turn.outcome.reason != "canonical" or self._is_believed(turn):
            return False
        turn.outcome = replace(turn.outcome, state=State.FETCHED, reason="canonical-differs", alias=None)
        return True

    def on_links(self, turn: Turn) -> None:
        """Note the fingerprint of a page, if it has content."""
        page, outcome, fetched, fingerprints = turn.page, turn.outcome, turn.fetched, self.fingerprints
        before, repeats = self._asked_again.get(page, (None, []))
        if before is not None and fetched.sketch is not None and not are_alike(before.sketch, fetched.sketch):
            self._ask({before.page, *repeats} - {page}, turn.now)  # it says something else, be it not for a clock
            repeats.clear()
        has_content = outcome.state in (State.FETCHED, State.ALIAS) and not outcome.is_redirect
        if not has_content or fetched.digest is None or fetched.payload is None:
            if self._accounts.had_turn[page]:
                fingerprints.forget(page)
        elif outcome.state is State.ALIAS and outcome.reason != "duplicate":
            fingerprints.keep(page, fetched.digest, fetched.payload, fetched.sketch)
            if outcome.reason == "same-page" and outcome.alias is not None:
                self._note_repeat(self._urls.find([outcome.alias])[0], page)
        else:
            is_judged = fetched.payload & SAYS_SOMETHING
            likeness = fingerprints.likeness(page, fetched.payload, fetched.sketch) if is_judged else None
            fingerprints.add(page, fetched.digest, fetched.payload, fetched.sketch, likeness)
            if likeness is not None and likeness[1] is None:
                self._note_repeat(likeness[0], page)

    def _note_repeat(self, leader: int | None, page: int) -> None:
        host = self._waiting.host_of.item(page)
        if leader is None or self._waiting.host_of[leader] != host or len(self._repeats) > _MOST_HOSTS:
            return
        leaders = self._repeats.setdefault(host, {})
        if leader in leaders or len(leaders) < _MOST_LEADERS:
            leaders.setdefault(leader, []).append(page)

    def on_idle(self, host: int, now: float) -> None:
        """An application may fail with status 200: ask again for the first and the last page of several that said the
        same, unless most of the host says it."""
        leaders = {} if self._is_round else self._repeats.get(host, {})
        for leader in sorted(leaders, key=lambda leader: -len(leaders[leader]))[:_MOST_ASKED]:
            pages, row = leaders[leader], self.fingerprints.row(leader)
            if len(pages) < _FEWEST_REPEATS or leader in self._asked_again or row is None:
                continue
            if 2 * len(pages) < np.count_nonzero(self._waiting.host_of[: self._accounts.size] == host):
                self._asked_again |= dict.fromkeys((leader, pages[-1]), (row, pages))
                self._ask({leader, pages[-1]}, now)

    def _ask(self, pages: Iterable[int], now: float) -> None:
        for page in pages:
            self._pages.read_otherwise.add(page)  # a difference is none of the page's own
            self._frontier.put_first(page, now)

    def on_turn(self, turn: Turn) -> None:
        """Let pages that named this one as canonical, and turn out to differ much, stand for themselves; and note the
        fingerprints of all pages that do so again."""
        there = self.fingerprints.row(turn.page) if self._aliases.hinted(turn.page) else None
        if there is not None:
            canonical, claims = turn.fetched.url, self._claims(turn.page)
            refuting = [content.page for url, content in claims if differs_much(url, content, canonical, there)]
            self._aliases.void_hints(turn.page, refuting, "differs")
        for page in self._aliases.take_reinstated():
            self.fingerprints.stand_alone(page)

    def save(self, writer: Writer) -> None:
        writer.save_fingerprints(self.fingerprints.take_rows())
        if self.fingerprints.is_mostly_stale:
            self.fingerprints.load(of_no_alias(writer.recognised.fingerprints(), self._accounts))
        if (refuted := list(self._canonicals.refuted)) != self._refuted:
            writer.save_meta({"refuted_canonicals": json.dumps(refuted)})
            self._refuted = refuted

    def _is_believed(self, turn: Turn) -> bool:
        """True if a page that names another as canonical stands for it."""
        canonical = turn.outcome.alias or ""
        (target,) = self._urls.find([canonical])
        there = self.fingerprints.row(target) if target is not None else None
        url, content = turn.fetched.url, _fingerprint(turn)
        if canonical not in self._canonicals.refuted:
            claims = [] if content is None else [(url, content)]
            if target is not None and canonical not in self._canonicals.different:
                claims = [*self._claims(target), *claims]
            refuting = self._canonicals.add_claims(canonical, claims, there)
            if target is not None and refuting:
                self._aliases.void_hints(target, refuting, "differs")
        if content is not None and there is not None and differs_much(url, content, canonical, there):
            return False
        return canonical not in self._canonicals.refuted or not differs(url, content, canonical, there)

    def _claims(self, target: int) -> Iterator[Claim]:
        """Some pages that stand for `target`, which they name as canonical, if their fingerprints are known."""
        for page in self._aliases.hinted(target)[:MOST_CLAIMS]:
            row = self.fingerprints.row(page)
            if row is not None and self._pages.last_turn(page).reason == "canonical":
                yield self._urls.url(page), row


def _fingerprint(turn: Turn) -> Fingerprint | None:
    fetched = turn.fetched
    if fetched.digest is None or fetched.payload is None:
        return None
    return Fingerprint(turn.page, fetched.digest, fetched.payload, fetched.sketch, None, None)


def of_no_alias(blocks: Iterable[Columns], accounts: Accounts) -> Iterator[Columns]:
    """The same fingerprints, with aliases excluded from the indexes."""
    for block in blocks:
        yield block | {"leads": block["leads"] * ~accounts.book.alias[block["page"]]}


MOST_COMPARED = 16
"""Pages with the payload of a page whose URLs are compared with its own, the first ones."""


class FrontPages(Step):
    """Makes names of a page that have the same payload aliases of the one read first.

    The front page of a folder is a file in it as well: `/a/` is `/a/index.html`, or `/a/start.html`. A site with http
    and https, or with and without www, has each page twice or four times; so does one that ignores the spelling of a
    URL, or a parameter. Files that say little have only the usual names of front pages.
    """

    def __init__(self, opening: Opening) -> None:
        self._accounts, self._urls = opening.state.accounts, opening.state.urls
        self._fingerprints = opening.step(DuplicatePages).fingerprints
        self._merges_views = opening.settings.traps and not opening.settings.keep_parameters
        self._admission = opening.state.admission

    def recognise(self, turn: Turn) -> bool:
        outcome, payload = turn.outcome, turn.fetched.payload
        if outcome.is_redirect or payload is None or not (outcome.state is State.FETCHED or self._is_outside(turn)):
            return False
        first = self._fingerprints.first(payload)
        if not first:  # as mostly: no name is looked up then
            return False
        url = turn.fetched.url
        for page in self._others(url, first, says_much=turn.fetched.sketch is not None):
            if page == turn.page or self._accounts.book.alias[page]:
                continue
            row = self._fingerprints.row(page)
            if row is not None and row.payload == payload:
                alias = self._urls.url(page)
                is_file = _name(alias) == _name(url) or alias.removesuffix("/") == url.removesuffix("/")
                is_file = is_file or (not is_front_page(url) and differ_by_spelling(alias, url))
                reason = "same-page" if is_file or _has_fewer_parameters(alias, url) else "front-page"
                turn.outcome = Outcome(State.ALIAS, reason, alias=alias, follows=outcome.follows)
                return True
        return False

    def _is_outside(self, turn: Turn) -> bool:
        """True if a page names a canonical that the scope refuses: so it stands for itself."""
        if turn.outcome.reason != "canonical" or turn.outcome.alias is None:
            return False
        return self._admission.scope.refuses(turn.outcome.alias, int(self._accounts.depth[turn.page])) is not None

    def _others(self, url: str, first: Sequence[int], *, says_much: bool) -> Iterator[int]:
        """Pages that may be the one at a URL. first: those that were the first with its payload."""
        others = other_names(url)
        if not says_much and not is_front_page(url):
            others = [other for other in others if _name(other) == _name(url)]
        elif says_much and "?" not in url:
            others.append(url.removesuffix("/") if url.endswith("/") else f"{url}/")
        yield from (page for page in self._urls.find(others) if page is not None)
        if not says_much:
            return
        known = [(page, self._urls.url(page)) for page in first[:MOST_COMPARED]]
        yield from (page for page, other in known if differ_by_spelling(other, url))
        if "?" in url and self._merges_views:
            yield from (page for page, other in known if _has_fewer_parameters(other, url))
        if is_front_page(url):  # of any file in its folder
            folder = folder_and_name(url)[0]
            yield from (page for page, other in known if folder_and_name(other)[0] == folder)


def _has_fewer_parameters(url: str, other: str) -> bool:
    """True if one URL is another without some of its parameters."""
    (stem, *some), (path, *all_of_it) = (re.split("[?&]", each) for each in (url, other))
    return stem == path and {*some} < {*filter(None, all_of_it)}


def _name(url: str) -> str:
    return folder_and_name(url)[1]


class SoftErrors(Step):
    """Makes pages read before errors, or pages again, as the evidence grows."""

    probes_last = True

    def __init__(self, opening: Opening) -> None:
        state, stored = opening.state, opening.state.writer.recognised
        secret = bytes.fromhex(str(state.writer.meta("hash_key")))
        lately = state.writer.records(RecentPage, "recent_pages ORDER BY id")
        pages = zip(lately, map(state.urls.url, (row.page for row in lately)), strict=True)
        self._accounts, self._admission, self._pages = state.accounts, state.admission, state.pages
        self._urls = state.urls
        self._soft404s = Soft404s(stored.probes(), secret, pages, state.linker)
        self.wanted = self._soft404s.wanted
        self._aliases = opening.aliases
        self._fingerprints = opening.step(DuplicatePages).fingerprints
        self._is_settled = False

    @classmethod
    def of(cls, opening: Opening) -> Self | None:
        return cls(opening) if opening.settings.traps else None

    def on_probe(self, fetched: Fetched, title: str | None, now: float) -> None:
        self._restate(self._soft404s.note_answer(fetched, now))

    def recognise(self, turn: Turn) -> bool:
        page, outcome, fetched, parsed = turn.page, turn.outcome, turn.fetched, turn.parsed
        if not outcome.is_redirect and (outcome.state is not State.FETCHED or fetched.digest is None):
            return False
        if fetched.unrendered:  # an empty page is no sign that there is none
            return False
        if self._admission.scope.only_checks(fetched.url):
            return False
        answer, is_seed, title = comparable(fetched), bool(self._accounts.depth[page] == 0), parsed.title or ""
        if answer is None or (is_seed and answer is not fetched):
            return False
        heading = "" if parsed.facts is None else f"{title} {parsed.facts.h1 or ''}"
        judged = self._soft404s.read(page, answer, is_there=is_seed, title=title, heading=heading)
        self._restate(judged, but=page)
        if not self._soft404s.is_soft_404(page, fetched.url) or self._is_page_of_its_own(page, title):
            return False
        turn.outcome = Outcome(State.ERROR, "soft-404")
        return True

    def on_links(self, turn: Turn) -> None:
        """Give back the targets of missing pages' redirects to which a page links as to any other."""
        if turn.outcome.state is State.FETCHED and turn.targets:
            found = self._soft404s.may_be_targets(turn.targets, origin_of(turn.fetched.url))
            targets = [page for page in sorted(found) if self._soft404s.is_target(page, self._urls.url(page))]
            self._restate(([], [page for page in targets if not says_not_found(self._pages.title(page) or "")]))

    def on_settled(self) -> None:
        self._is_settled = True

    def save(self, writer: Writer) -> None:
        self._soft404s.save(writer, is_last=self._is_settled)

    def _restate(self, judged: Judged, but: int = -1) -> None:
        """but: the page whose turn it is."""
        lost, regained = judged
        for page in lost:
            if page == but:
                continue
            state = self._pages.last_state(page)
            is_taken = state == State.FETCHED or (state == State.ALIAS and self._own(page) is None)
            if is_taken and not self._is_page_of_its_own(page, self._pages.title(page) or ""):
                self._take_for_error(page)
        for page in regained:
            is_error = page != but and self._pages.last_state(page) == State.ERROR
            if is_error and self._pages.last_turn(page).reason == "soft-404" and self._own(page) is not None:
                self._aliases.give_links_back(page, "ok")
                self._pages.failures["soft-404"] -= 1

    def _is_page_of_its_own(self, page: int, title: str) -> bool:
        """True for a page to which missing ones are redirected if pages link to it as well, and its title does not say
        that it is one for these."""
        url = self._urls.url(page)
        if says_not_found(title) or not self._soft404s.is_target(page, url):
            return False
        had_turn, is_alias, found_on = self._accounts.had_turn, self._accounts.book.alias, self._pages.found_on(page)
        linkers = {page if found_on is None else found_on, *self._soft404s.read_lately(url)} - {page}
        read = (linker for linker in linkers if had_turn[linker] and not is_alias[linker])
        return any(page in self._pages.outlinks(linker) for linker in read)

    def _own(self, page: int) -> bytes | None:
        """The links of a page itself if others, or none, count in their place; None: it is or was a redirect."""
        return self._pages.links_row(page).own

    def _take_for_error(self, page: int) -> None:
        row = self._pages.links_row(page)
        self._accounts.relink(page, NOWHERE, placed(row.targets), PageKind.NOTHING)
        if self._pages.last_state(page) == State.ALIAS:
            row = row._replace(targets=b"")
        else:
            row = row._replace(targets=b"", own=row.targets)
        self._pages.relink(row)
        self._pages.restate(page, State.ERROR, "soft-404")
        self._fingerprints.forget(page)
        self._pages.failures["soft-404"] += 1
        self._aliases.void_hints_to(page)
