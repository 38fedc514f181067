"""Which page said it first: leaders, marks, and pages that call others canonical."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.command_line import answer, run
from support.prose import prose
from support.sites import EVERYTHING, HOME, Server, Site, canonical, crawl, faults_in, rows, states

from minicrawl.crawler.recognise.duplicates import (
    ALIKE,
    ALIKE_SO_FAR,
    DIFFERENT,
    Canonicals,
    Duplicates,
    Likeness,
    kind_of,
)
from minicrawl.store.reader import open_store
from minicrawl.store.recognised import Fingerprint
from minicrawl.store.tables import Columns
from minicrawl.web.fingerprint import BITS, distance

A, B, C = (f"http://a.test/{name}" for name in "abc")
MIRROR = "http://mirror.test/a"
MARKS = """SELECT url, (SELECT url FROM pages WHERE id = leader), distance
    FROM fetches JOIN pages ON pages.id = page WHERE payload IS NOT NULL"""


class Slow:
    """The same by looking at every page that came before."""

    def __init__(self) -> None:
        self.rows: list[Fingerprint] = []

    def add(self, page: int, payload: int, sketch: bytes | None) -> Likeness | None:
        found = self._copied(payload) or (self._resembled(sketch) if sketch is not None else None)
        self.rows.append(Fingerprint(page, 0, payload, sketch, *(found or (None, None))))
        return found

    def _copied(self, payload: int) -> Likeness | None:
        row = next((row for row in self.rows if row.payload == payload), None)
        if row is None:
            return None
        return (row.page, None) if row.leader is None else (row.leader, row.distance)

    def _resembled(self, sketch: bytes) -> Likeness | None:
        so_far: list[tuple[int, int, bytes]] = []
        for row in self.rows:
            if row.leader is None and row.sketch is not None and alike_in_a_band(row.sketch, sketch):
                so_far.append((distance(row.sketch[:24], sketch[:24]), row.page, row.sketch))
        near = [(distance(other, sketch), page) for bits, page, other in sorted(so_far)[:8] if bits <= ALIKE_SO_FAR]
        return (min(near)[1], min(near)[0]) if near and min(near)[0] <= ALIKE else None


def alike_in_a_band(one: bytes, other: bytes) -> bool:
    return any(one[start : start + 2] == other[start : start + 2] for start in (0, 8, 16))


def flipped(sketch: int, bits: list[int]) -> bytes:
    for bit in bits:
        sketch ^= 1 << bit
    return sketch.to_bytes(BITS // 8)


@st.composite
def pages(draw: st.DrawFn) -> list[tuple[int, bytes | None]]:
    """(payload, sketch) of some pages, most sketches some bits from one of three."""
    centres = [draw(st.integers(0, 2**BITS - 1)) for _ in range(3)]
    near = st.builds(flipped, st.sampled_from(centres), st.lists(st.integers(0, BITS - 1), max_size=20))
    far = st.binary(min_size=BITS // 8, max_size=BITS // 8)
    payloads = st.one_of(
        st.integers(0, 5), st.integers(0, 5).map(lambda low: low + (1 << 40)), st.integers(-(2**63), 2**63 - 1)
    )
    return draw(st.lists(st.tuples(payloads, st.one_of(st.none(), near, near, far)), max_size=60))


def columns(rows: list[Fingerprint]) -> list[Columns]:
    """The rows as a store gives them."""
    if not rows:
        return []
    told = [(row.page, row.payload, row.leader is None and bool(row.sketch)) for row in rows]
    page, payload, leads = np.array(told, dtype=np.int64).T
    sketches = np.frombuffer(b"".join(row.sketch or bytes(BITS // 8) for row in rows), np.uint64)
    return [{"page": page, "payload": payload, "sketch": sketches.reshape(len(rows), -1), "leads": leads}]


def said(kept: dict[int, Fingerprint]) -> Callable[[int], list[int]]:
    """The pages of some rows by what they say."""
    return lambda payload: [row.page for row in kept.values() if row.payload == payload]


@given(pages(), st.integers(0, 60))
def test_marks_are_those_of_comparing_all_pairs_also_across_a_restart(
    read: list[tuple[int, bytes | None]], restart: int
) -> None:
    kept: dict[int, Fingerprint] = {}
    found, slow = Duplicates([], kept.get, said(kept)), Slow()
    for page, (payload, sketch) in enumerate(read):
        if page == restart:
            kept.update((number, row) for number, row in found.take_rows().items() if row is not None)
            blocks = [*columns(list(kept.values())[:3]), *columns(list(kept.values())[3:])]
            found = Duplicates(blocks, kept.get, said(kept))
        likeness = found.likeness(page, payload, sketch)
        found.add(page, 0, payload, sketch, likeness)
        assert likeness == slow.add(page, payload, sketch)


def test_what_pages_said_before_does_not_add_up() -> None:
    """Pages that change whenever they are read; what is found stays what the rows say."""
    rng = random.Random(1)
    kept: dict[int, Fingerprint] = {}
    found, most, times = Duplicates([], kept.get, said(kept), few=10), 0, 0
    for _ in range(100):
        for page in range(20):
            payload, sketch = rng.getrandbits(63), rng.randbytes(BITS // 8)
            found.add(page, 0, payload, sketch, found.likeness(page, payload, sketch))
        kept.update((page, row) for page, row in found.take_rows().items() if row is not None)
        most = max(most, len(found))
        if found.is_mostly_stale:
            found.load(columns(list(kept.values())))
            times += 1
    assert most <= 3 * 20
    assert times <= 100
    for row in kept.values():
        assert found.likeness(20, row.payload, None) == (row.page, None)
        assert found.likeness(20, 0, row.sketch) == (row.page, 0)


ONE, OTHER = bytes(BITS // 8), b"\xff" * (BITS // 8)


def test_page_read_again_is_not_its_own_duplicate_and_what_it_said_is_forgotten() -> None:
    found = Duplicates([], lambda page: None, lambda payload: ())
    found.add(0, 0, 10, ONE, None)
    assert found.likeness(0, 10, ONE) is None
    found.add(0, 0, 11, OTHER, None)
    assert found.likeness(1, 10, ONE) is None
    assert found.likeness(1, 11, ONE) == (0, None)
    found.forget(0)
    assert found.likeness(1, 11, OTHER) is None


def site() -> Site:
    """A page, a copy on the same host and a mirror on another, and one that differs in a word."""
    long = prose(1, 3_000)
    near = long.replace("<body>", "<body><i>Friday, 20 November 2026</i>")
    other = prose(2, 3_000, "Another")
    return {
        HOME: [A, B, C, MIRROR, HOME + "other"],
        A: [long],
        B: [long],
        C: [near, "<a href=/d>more</a>"],
        MIRROR: [long],
        HOME + "other": [other],
        HOME + "d": [],
    }


def marks(store: Path) -> dict[str, tuple[str | None, int | None]]:
    return {url: (leader, bits) for url, leader, bits in rows(store, MARKS)}


def test_first_page_of_a_cluster_is_the_leader_on_whatever_host(store: Path) -> None:
    crawl(site(), store, [HOME], strategy="breadth-first")
    found = marks(store)
    leader, bits = found.pop(C)
    assert leader == A
    assert bits is not None
    assert bits <= ALIKE
    alone = dict.fromkeys((HOME, A, HOME + "other"), (None, None))
    assert found == alone | {B: (A, None), MIRROR: (A, None)}
    assert rows(store, "SELECT DISTINCT state, reason FROM pages") == [("fetched", "ok")]
    assert faults_in(store) == []


def test_crawl_in_pieces_marks_what_the_crawl_in_one_marks(tmp_path: Path) -> None:
    whole, pieces = tmp_path / "whole.db", tmp_path / "pieces.db"
    crawl(site(), whole, [HOME], strategy="breadth-first")
    for number in (1, 1, 2, 10):
        crawl(site(), pieces, [HOME], strategy="breadth-first", pages=number)
    query = (
        "SELECT page, digest, payload, sketch, leader, distance FROM fetches WHERE payload IS NOT NULL ORDER BY page"
    )
    assert rows(pieces, query) == rows(whole, query)


def test_why_and_status_tell(store: Path) -> None:
    crawl(site(), store, [HOME], strategy="breadth-first")
    assert f"  duplicate   exact duplicate of {A}\n" in run("why", B, "--store", store).stdout
    assert f"% alike, of one folder) of {A}\n" in run("why", C, "--store", store).stdout
    assert "duplicates 2 exact, 1 near\n" in run("status", "--store", store).stdout
    assert answer("status", "--store", store)["duplicates"] == {"exact": 2, "near": 1}
    told = answer("why", MIRROR, "--store", store)
    assert told["duplicate_of"] == {"url": A, "is_exact": True, "distance": 0, "alike": 1.0, "kind": None}
    assert "duplicate" not in run("why", HOME + "other", "--store", store).stdout


KINDS = [
    ("http://a.test/3.11/lib/x.html", "http://a.test/3.12/lib/x.html", None),
    ("http://a.test/items/print.html", "http://a.test/items/chair.html", "print"),
    ("http://a.test/print/x", "http://a.test/x", "print"),
    ("http://a.test/x?print=1", "http://a.test/x", "print"),
    ("http://m.a.test/x", "http://www.a.test/x", "print"),
    ("http://mirror.test/a/x", "http://a.test/a/x", "mirror"),
    ("http://a.test/items/lamp.html", "http://a.test/items/chair.html", "template"),
    ("http://a.test/items/lamp", "http://b.test/other/chair", None),
    ("http://a.test/items/lamp", "http://a.test/things/chair", None),
]


@pytest.mark.parametrize(("url", "leader", "kind"), KINDS)
def test_kind(url: str, leader: str, kind: str | None) -> None:
    assert kind_of(url, leader) == kind == kind_of(leader, url)


PAGES = [f"{HOME}page/{number}" for number in range(12)]
BEHIND = [f"{HOME}behind/{number}" for number in range(12)]


def named(number: int, links: list[str], url: str = HOME) -> list[str]:
    return [canonical(url), prose(number, 400, f"Page {number}"), *links]


def crawled(store: Path, site: Site, pieces: int | None = None, **settings: Any) -> dict[str, str]:
    """State and reason by URL, all having been crawled in so many pages a run."""
    for _ in range(len(site) // pieces + 1 if pieces else 1):
        options = EVERYTHING | settings  # also what says nothing new
        crawl(site, store, [HOME], strategy="breadth-first", pages=pieces, **options)
    assert faults_in(store) == []
    return states(store)


@pytest.mark.parametrize("pieces", [None, 3], ids=["in one", "in pieces"])
@pytest.mark.parametrize("home", [HOME, "http://www.a.test/"], ids=["home page", "page that is not there yet"])
def test_pages_that_all_name_one_and_differ_stand_for_themselves(store: Path, home: str, pieces: int | None) -> None:
    site: Site = {HOME: [prose(100, 400, "Home"), *PAGES]} | {url: [] for url in BEHIND}
    site |= {"http://www.a.test/": [prose(99, 400, "Away")]}
    site |= {url: named(number, [BEHIND[number]], home) for number, url in enumerate(PAGES)}
    states = crawled(store, site, pieces)
    assert {states[url] for url in PAGES} == {"fetched canonical-differs"}
    with open_store(store) as reader:
        (page,) = reader.page_table.find([PAGES[0]]).values()
        assert [reader.page_table.url(target) for target in reader.link_table.outlinks(page).tolist()] == [
            home,
            BEHIND[0],
        ]


def test_few_pages_copies_and_other_parameters_are_believed(tmp_path: Path) -> None:
    """Those that are few have too little text to be compared."""
    few, copies = PAGES[: DIFFERENT - 1], [f"{HOME}print/{number}" for number in range(12)]
    sorted_by = [f"{PAGES[11]}?sort={number}" for number in range(12)]
    site: Site = {HOME: [prose(100, 400, "Home"), *few, *copies, *sorted_by, PAGES[11]], PAGES[11]: [prose(50, 400)]}
    site |= {url: [canonical(HOME), prose(number, 20)] for number, url in enumerate(few)}
    site |= {url: [canonical(HOME), prose(100, 400, "Home")] for url in copies}
    site |= {url: named(number, [], PAGES[11]) for number, url in enumerate(sorted_by)}
    states = crawled(tmp_path / "crawl.db", site, traps=False)
    assert {states[url] for url in [*few, *copies, *sorted_by]} == {"alias canonical"}


NAMED, OWN, AWAY = f"{HOME}named", f"{HOME}own", "http://b.test/named"
TEXT, OTHER_TEXT = prose(50, 120), prose(51, 120)
MENU, LITTLE = prose(52, 60), prose(53, 20)


class Claimed(NamedTuple):
    """A page that names another as canonical, what both say, and what becomes of it."""

    url: str
    own: list[str]
    there: Any
    state: str


CLAIMS = {
    "all of it": Claimed(OWN, [OTHER_TEXT], [TEXT], "fetched canonical-differs"),
    "all but the menu": Claimed(OWN, [OTHER_TEXT, prose(52, 15)], [TEXT, prose(52, 15)], "fetched canonical-differs"),
    "printed": Claimed(OWN, [TEXT], [TEXT, MENU], "alias canonical"),
    "of a list, the second": Claimed(OWN, [MENU, prose(54, 40)], [MENU, prose(55, 40)], "alias canonical"),
    "a word, as variants do": Claimed(OWN, [TEXT, "<p>red"], [TEXT, "<p>blue"], "alias canonical"),
    "with little text": Claimed(OWN, [LITTLE], [TEXT], "alias canonical"),
    "from little text": Claimed(OWN, [OTHER_TEXT], [LITTLE], "alias canonical"),
    "in the query": Claimed(f"{NAMED}?sort=up", [OTHER_TEXT], [TEXT], "alias canonical"),
    "from one that is not there": Claimed(OWN, [OTHER_TEXT], 404, "fetched canonical-dead"),
    "from one that leads on": Claimed(OWN, [OTHER_TEXT], "/behind", "alias canonical"),
}


@pytest.mark.parametrize("pieces", [None, 1], ids=["in one", "in pieces"])
@pytest.mark.parametrize("is_first", [False, True], ids=["naming first", "named first"])
@pytest.mark.parametrize("target", [NAMED, AWAY], ids=["here", "away"])
@pytest.mark.parametrize("claimed", CLAIMS.values(), ids=CLAIMS)
def test_a_page_with_other_text_than_its_canonical_one_stands_for_itself(
    store: Path, claimed: Claimed, target: str, is_first: bool, pieces: int | None
) -> None:
    """Whichever is read first; then its links count."""
    own = [canonical(target), *claimed.own, f"{HOME}linked"]
    url = claimed.url.replace(NAMED, target)
    both = [target, url] if is_first else [url, target]
    site = {HOME: [prose(100, 400, "Home"), *both], url: own, target: claimed.there}
    site |= {f"{HOME}linked": [], f"{HOME}behind": []}
    found = crawled(store, site, pieces, scope="any")
    assert found[url] == claimed.state
    assert found[f"{HOME}linked"] == "fetched ok"
    counted = rows(store, "SELECT inlinks FROM pages WHERE url = ?", f"{HOME}linked")
    assert counted == [(claimed.state.startswith("fetched"),)]


def test_two_pages_that_name_each_other_and_differ_are_two(store: Path) -> None:
    site = {HOME: [OWN, NAMED], OWN: [canonical(NAMED), OTHER_TEXT], NAMED: [canonical(OWN), TEXT]}
    assert crawled(store, site) == {HOME: "fetched ok"} | dict.fromkeys((OWN, NAMED), "fetched canonical-differs")


def test_pages_that_say_the_same_as_one_another_refute_nothing() -> None:
    canonicals = Canonicals([])
    for page in range(3 * DIFFERENT):
        assert canonicals.add_claims(HOME, [(PAGES[page % 12], Fingerprint(page, 1, 1, None, None, None))], None) == []
    assert canonicals.refuted == {}


@pytest.mark.parametrize("form", ["{}", "show?id={}"])
@pytest.mark.parametrize("lasts", [False, True])
def test_pages_that_failed_with_200_are_read_once_one_says_something_else(form: str, lasts: bool, store: Path) -> None:
    """Of those that go on to say the same, two are asked again."""
    urls = [HOME, *(HOME + form.format(number) for number in range(1, 21))]

    def reply(request: httpx.Request, times: int) -> httpx.Response:
        number = urls.index(str(request.url))
        if number and number % 4 == 0 and (times == 1 or lasts):
            return httpx.Response(200, html="<title>Busy</title><p>Too many people read this, try again")
        links = "".join(f'<a href="{url}">to</a>' for url in urls)
        return httpx.Response(200, html=prose(number, title=f"Page {number}").replace("</body>", links))

    _, server = crawl(Server(dict.fromkeys(urls, reply)), store, [HOME])
    assert len(rows(store, "SELECT DISTINCT title FROM fetches WHERE title <> 'Busy'")) == (16 if lasts else 21)
    assert sorted(map(server.asked.count, urls[4::4])) == ([1, 1, 1, 2, 2] if lasts else [2, 2, 2, 2, 3])
    assert faults_in(store) == []
