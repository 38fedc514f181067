"""What rounds of checks tell of pages: what has changed on them, and nothing else."""

import itertools
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest
from support import pdfs, skipping
from support.sites import Server, crawl, rows

from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.errors import SeedError, SettingError, StoreError
from minicrawl.model import WatchEvent, WatchRound
from minicrawl.parts.watch.messages import event_words
from minicrawl.parts.watch.rounds import CONFIRM, Watched

HOME = "http://a.test/"
PROSE = [f"Paragraph {number} of the guide tells of the harbour and its {number * 3} boats." for number in range(8)]
FRAME = "<nav><a href='/one'>One</a> <a href='/two'>Two</a></nav>"


def body(*more: str, title: str = "Guide", head: str = "", prose: Sequence[str] = PROSE, behind: str = "") -> str:
    text = "".join(f"<p>{each}</p>" for each in prose)
    return f"<title>{title}</title>{head}{FRAME}<main><h1>The guide</h1>{''.join(more)}{text}{behind}</main>"


class List:
    """Watched pages, whose replies may be set anew."""

    def __init__(self, folder: Path, *urls: str, **settings: Any) -> None:
        self.urls = urls or (HOME,)
        self.server = Server({})
        self.store = folder / "pages.watch.db"
        self.selectors: dict[str, str] = {}
        self.confirm: Sequence[float] = CONFIRM
        self.settings = {"delay": 0, **settings}

    def check(self, **pages: Any) -> WatchRound:
        """A round. pages: replies by path; "" for the first page of the list."""
        self.server.site |= {HOME + path: _reply(reply) for path, reply in pages.items()}
        watched = Watched(
            self.store, Seeds([*self.urls]), self.settings, self.selectors, self.confirm, transport=self.server
        )
        return skipping.run(watched.check())

    def requests(self, **pages: Any) -> int:
        before = len(self.server.asked)
        self.check(**pages)
        return len(self.server.asked) - before


def _reply(reply: Any) -> Any:
    if isinstance(reply, str):
        return lambda *_: httpx.Response(200, html=reply)
    return reply


def kind(content: str, media_type: str) -> Callable[..., httpx.Response]:
    return lambda *_: httpx.Response(200, content=content.encode(), headers={"content-type": media_type})


COUNT = itertools.count(1_000)
JSON_LD = '<script type="application/ld+json">{{"@type": "Product", "offers": {{"price": "{}"}}}}</script>'
FEED = "<rss><channel><title>News</title><lastBuildDate>{}</lastBuildDate>{}</channel></rss>"
ROWS = "<table><tr><th>a<th>b<tr><td>one<td>1{}<tr><td>two<td>1</table>"
FIGURE = "<figure><img src=/a.png alt=Port><figcaption>{}</figcaption></figure>"
FOOTNOTES = "</main><section class=footnotes><ol><li>{}</ol></section>"
ITEM = "<item><title>{}</title><link>http://a.test/{}</link></item>"


def offer(words: str) -> str:
    return body(f"<p>€ 5 <button>{words}</button></p>")


def table(number: int) -> str:
    return body(f"<table><tr><th>a<th>b<tr><td>x<td>{number}</table>")


def items(*words: str) -> str:
    return body(f"<ul>{''.join(f'<li>{word}' for word in words)}</ul>")


def linked(path: str) -> str:
    return body(f"<p>See <a href='{path}'>it</a> now.</p>")


def described(words: str) -> str:
    return body(head=f"<meta name=description content='{words}'>")


def feed(*titles: str) -> Callable[..., httpx.Response]:
    return kind(FEED.format(next(COUNT), "".join(ITEM.format(title, title) for title in titles)), "application/rss+xml")


def json_of(text: str) -> Callable[..., httpx.Response]:
    return kind(text, "application/json")


@pytest.mark.parametrize(
    ("before", "after", "what", "added"),
    [
        (body("<p>59.00 EUR</p>"), body("<p>49.00 EUR</p>"), "price", "49.00 EUR"),
        (body("<p>$ 5</p>"), body("<p>$ 6</p>"), "price", "$ 6"),
        (offer("In stock"), offer("Sold out"), "availability", "€ 5 Sold out"),
        (body(), body(title="Handbook"), "title", "Handbook"),
        (body(), body(prose=[*PROSE[:3], "A new rule holds.", *PROSE[3:]]), "text", "A new rule holds."),
        (body(), body(prose=[*PROSE[:3], "Another paragraph.", *PROSE[4:]]), "text", "Another paragraph."),
        (body(title="Three views of Mars"), body(title="4 views of Mars"), "title", "4 views of Mars"),
        (body(title="3 views of Mars"), body(title="4 views of Mars"), "title", "4 views of Mars"),
        (table(1), table(2), "text", "x | 2"),
        (items("one job", "two jobs"), items("one job", "three jobs", "two jobs"), "text", "three jobs"),
        (body(ROWS.format("")), body(ROWS.format("<tr><td>three<td>1")), "text", "three | 1"),
        (body(FIGURE.format("The old port.")), body(FIGURE.format("The new port.")), "text", "The new port."),
        (body(), body(FIGURE.format("A port.")), "image", "A port."),
        (body(behind=FOOTNOTES.format("May.")), body(behind=FOOTNOTES.format("June.")), "text", "June."),
        (body("<h2>Boats</h2><p>Oars.</p>"), body("<h2>Ships</h2><p>Oars.</p>"), "text", "Ships"),
        (linked("/a"), linked("/b"), "link", "it http://a.test/b"),
        (body("<p><img src=/a.png alt=Map></p>"), body("<p><img src=/b.png alt=Map></p>"), "image", f"Map {HOME}b.png"),
        (body("<p><img src=/a.png></p>"), body("<p><img src=/b.png></p>"), "image", f"{HOME}b.png"),
        (body(), body(head="<meta name=robots content=noindex>"), "robots", "noindex"),
        (described("old"), described("new"), "description", "new"),
        (body(head=JSON_LD.format(3)), body(head=JSON_LD.format(4)), "price", "jsonld.offers.price: 4"),
        (json_of('{"a": {"b": [1, 2]}}'), json_of('{"a": {"b": [1, 3]}}'), "text", "a.b[]: 3"),
        (json_of('{"price": 1}'), json_of('{"price": 2}'), "price", "price: 2"),
        (kind("one\ntwo\n", "text/plain"), kind("one\ntwo\nthree\n", "text/plain"), "text", "three"),
        (kind("a,1\nb,2\n", "text/csv"), kind("a,1\nb,3\n", "text/csv"), "text", "b,3"),
        (feed("one"), feed("two", "one"), "text", "two | http://a.test/two"),
        (kind("PK\1", "application/zip"), kind("PK\1\2", "application/zip"), "bytes", "4 bytes"),
    ],
)
def test_a_change_is_told_once(tmp_path: Path, before: Any, after: Any, what: str, added: str) -> None:
    """In the round after it, and in no other; the twin: the page as it was."""
    pages = List(tmp_path)
    assert pages.check(**{"": before}).fresh == (HOME,)
    assert not pages.check().events
    (event,) = pages.check(**{"": after}).events
    assert (event.what, event.url) == ("changed", HOME)
    assert what in event.kinds
    assert added in event.added
    assert event.sends
    assert not pages.check().events


WORDS = ["anchor", "beacon", "cable", "dock", "engine", "ferry", "gull", "harbour", "island", "jetty", "keel", "lamp"]


def rotated(number: int) -> str:
    return f"Buy a {WORDS[number % 12]} and a {WORDS[number // 12 % 12]} today."


def listed(item: str, number: int) -> str:
    """Some of many things, others each time."""
    some = random.Random(number).sample(WORDS, 4)
    return f"<section><h2>Goes well with this</h2><ul>{''.join(map(item.format, some))}</ul></section>"


@pytest.mark.parametrize(
    "noise",
    [
        lambda n: f"<p>Visitors today: {n}</p>",
        lambda n: f"<p>{n:,} views</p>",
        lambda n: f"<p>Seite {n} mal besucht</p>",
        lambda n: f"<div class=ad>{rotated(n)}</div>",
        lambda n: f"<p>{rotated(n)}</p>",
        lambda n: f"<form><input type=hidden name=csrf value={n}>Request {n * 7919:020x}</form>",
        lambda n: f"<p>Updated {n} minutes ago</p>",
        lambda n: f"<p>vor {n} Stunden</p>",
        lambda n: f"<p>Page generated in 0.{n} seconds with {n % 17} queries</p>",
        lambda n: f"<p>An <a href='/x;jsessionid={n * 7919:020X}'>x</a>, a <a href='/y?sid={n * 31:020x}'>y</a>.</p>",
        lambda n: f"<p><img src='http://cdn{n % 4}.test/a.png?v={n}' alt=Map></p>",
        lambda n: f"<ul>{''.join(f'<li>{word}</li>' for word in sorted(WORDS, key=lambda word: hash((word, n))))}</ul>",
        lambda n: f"<p class=c{n}>{n % 23} people are looking at this right now</p>",
        lambda n: f"<p>In 12 von {n} Orten</p>",
        lambda n: f"<p>Seen by web{n % 3} at {n % 24}:{n % 60:02}</p><p>{('Home', 'Accueil', 'Start')[n % 3]}</p>",
        lambda n: listed("<li><a href=/{0}>A {0}</a> 5 zł", n),
        lambda n: listed("<div><a href=/{0}><img src=/{0}.png alt={0}></a><h3>A {0}</h3>3 March</div>", n),
    ],
)  # fmt: skip
def test_noise_is_not_told_and_hides_no_change(tmp_path: Path, noise: Callable[[int], str]) -> None:
    pages, numbers = List(tmp_path), itertools.count(1_000)  # the same noise in any order of tests
    pages.check(**{"": lambda *_: httpx.Response(200, html=body(noise(next(numbers))))})
    for _ in range(4):
        assert not pages.check().has_news
    changed = [*PROSE[:5], "The harbour is closed on Monday.", *PROSE[6:]]
    done = pages.check(**{"": lambda *_: httpx.Response(200, html=body(noise(next(numbers)), prose=changed))})
    (event,) = done.events
    assert event.added == ("The harbour is closed on Monday.",)
    assert event.removed == (PROSE[5],)


@pytest.mark.parametrize(
    ("noise", "is_told"),
    [
        (lambda n: f"{n} boats lie here.", True),
        (lambda n: ("Open now.", "Closed now.")[n // 100 % 2], True),
        (lambda n: rotated(n * 7), False),
    ],
)
def test_a_line_beside_known_noise_is_told(tmp_path: Path, noise: Callable[[int], str], is_told: bool) -> None:
    """At the second check at the latest. Twin: beside ever other words."""
    pages, told = List(tmp_path), list[bool]()
    for check in range(12):
        more = "<p>News.</p>" * (check > 9)
        replies = [body(f"<p>{noise(check * 100 + answer)}</p>{more}") for answer in range(3)]
        told.append(any("News." in event.added for event in pages.check(**{"": in_turn(*replies)}).events))
    assert any(told) is is_told


def test_what_differs_is_asked_again_and_what_does_not_is_not(tmp_path: Path) -> None:
    pages = List(tmp_path, HOME, HOME + "other")
    assert pages.requests(**{"": body("<p>1 EUR</p>"), "other": body()}) == 6  # each thrice: noise shows
    assert pages.requests() == 2
    assert pages.requests(**{"": body("<p>2 EUR</p>")}) == 4
    assert pages.requests() == 2


def in_turn(*replies: str) -> Callable[..., httpx.Response]:
    """One reply after the other, and the last one from then on."""
    left = itertools.chain(replies, itertools.repeat(replies[-1]))
    return lambda *_: httpx.Response(200, html=next(left))


def shown(*banners: str) -> Callable[..., httpx.Response]:
    return in_turn(*(body(f"<p>{banner}</p>" if banner else "") for banner in banners))


def test_a_stale_copy_among_the_answers_is_no_change(tmp_path: Path) -> None:
    """A cache that has an old copy of the page, now and then; two answers of three decide on a price."""
    pages = List(tmp_path)
    pages.check(**{"": body(prose=[*PROSE, "As it is now."])})
    assert not pages.check(
        **{"": in_turn(*(body(prose=[*PROSE, f"As it {tense}."]) for tense in ("was", "is now")))}
    ).events
    assert not pages.check().events


@pytest.mark.parametrize(("times", "is_told"), [("110", False), ("101", False), ("100", False), ("111", True)])
def test_a_banner_that_some_answers_of_a_moment_have_is_no_change(tmp_path: Path, times: str, is_told: bool) -> None:
    """Also where one of them says what the one before it says, which is stored once."""
    pages = List(tmp_path)
    pages.check(**{"": body()})
    done = pages.check(**{"": shown(*("Free shipping today" * int(time) for time in times))})
    assert [event.added for event in done.events] == [("Free shipping today",)] * is_told


@pytest.mark.parametrize(("answers", "is_told"), [([2, 1, 2], True), ([2, 1, 1], False), ([2, 2, 2], True)])
def test_of_a_price_two_answers_of_three_decide(tmp_path: Path, answers: list[int], is_told: bool) -> None:
    pages = List(tmp_path)
    pages.check(**{"": body("<p>1 EUR</p>")})
    replies = iter(answers)
    done = pages.check(**{"": lambda *_: httpx.Response(200, html=body(f"<p>{next(replies)} EUR</p>"))})
    assert [event.added for event in done.events] == [("2 EUR",)] * is_told


LOGIN = "<title>Sign in</title><h1>Sign in</h1><form>Name <input> Password <input type=password></form>"


@pytest.mark.parametrize(
    ("reply", "what", "why"),
    [
        (404, "lost", "http-404"),
        (410, "lost", "http-410"),
        ("<title>Nothing here</title><p>Sorry, there is no such page.</p>", "replaced", "Nothing here"),
        ("/login", "replaced", "Sign in"),
    ],
)
def test_a_page_that_is_lost_is_told_once_and_that_it_is_back(tmp_path: Path, reply: Any, what: str, why: str) -> None:
    pages = List(tmp_path)
    pages.check(**{"": body()})
    if reply == "/login":
        pages.server.site[HOME + "login"] = _reply(LOGIN)
        reply = lambda *_: httpx.Response(302, headers={"location": "/login"})  # noqa: E731
    (event,) = pages.check(**{"": reply}).events
    assert (event.what, event.why) == (what, why)
    assert not pages.check().events
    (back,) = pages.check(**{"": body()}).events
    assert back.what == "back"
    assert not pages.check().events


def test_a_page_that_is_not_there_at_first_is_told_once_and_that_it_has_come(tmp_path: Path) -> None:
    pages = List(tmp_path, HOME, HOME + "other")
    told = [
        [(event.what, event.url) for event in pages.check(**{"": reply, "other": body()}).events]
        for reply in (404, 404, 503, body(), body())
    ]
    assert told == [[("lost", HOME)], [], [], [("back", HOME)], []]


def test_a_page_that_moves_is_told_with_its_address_and_watched_there(tmp_path: Path) -> None:
    pages = List(tmp_path)
    pages.check(**{"": body(), "new": body()})
    (event,) = pages.check(**{"": lambda *_: httpx.Response(301, headers={"location": "/new"})}).events
    assert (event.kinds, event.added) == (("address",), (HOME + "new",))
    assert not pages.check().events
    (event,) = pages.check(new=body(prose=[*PROSE, "More of it."])).events
    assert event.added == ("More of it.",)
    there = lambda *_: httpx.Response(301, headers={"location": "/other"})  # noqa: E731
    for answers, is_told in (([body(), LOGIN], False), ([body(), LOGIN, body()], True)):
        done = pages.check(new=there, other=in_turn(*answers))
        assert [event.added for event in done.events] == [(HOME + "other",)] * is_told


def test_a_page_of_the_list_that_redirects_from_the_start_is_its_target(tmp_path: Path) -> None:
    pages = List(tmp_path, HOME + "old", HOME + "new")
    redirect = lambda *_: httpx.Response(301, headers={"location": "/new"})  # noqa: E731
    pages.check(old=redirect, new=body())
    assert not pages.check().events
    events = pages.check(new=body(prose=[*PROSE, "More of it."])).events
    assert sorted(event.url for event in events) == [HOME + "new", HOME + "old"]


@pytest.mark.parametrize("reply", [503, 403, httpx.ConnectError("refused")])
def test_a_host_that_cannot_be_asked_is_told_once_and_that_it_can_again(tmp_path: Path, reply: Any) -> None:
    urls = [HOME + name for name in "abc"]
    pages = List(tmp_path, *urls)
    pages.check(a=body("<p>A</p>"), b=body("<p>B</p>"), c=body("<p>C</p>"))
    (event,) = pages.check(a=reply, b=reply, c=reply).events
    assert (event.what, event.url, sorted(event.pages)) == ("unreadable", "a.test", urls)
    assert not pages.check().events
    done = pages.check(a=body("<p>A</p>"), b=body("<p>B</p>"), c=body("<p>C</p>", prose=[*PROSE, "News."]))
    assert [(event.what, event.url) for event in done.events] == [("readable", "a.test"), ("changed", urls[2])]


def test_a_wall_that_comes_and_goes_is_told_once(tmp_path: Path) -> None:
    """It answers 200 and stays for minutes; the page is as it was before and after it."""
    wall = "<title>Just a moment</title><p>Checking your browser.</p>"
    pages = List(tmp_path)
    pages.check(**{"": body()})
    told = [[event.what for event in pages.check(**{"": each}).events] for each in (wall, body(), wall, body(), wall)]
    assert told == [["replaced"], ["back"], [], [], []]
    assert [event.what for event in pages.check(**{"": LOGIN}).events] == ["replaced"]


def test_a_session_that_is_lost_is_no_change_of_its_pages(tmp_path: Path) -> None:
    """Three pages of a host lead to its login; of two each is told."""
    urls = [f"{HOME}p{number}" for number in range(4)]
    pages = List(tmp_path, *urls)
    own = {f"p{number}": body(prose=[f"Of page {number} alone.", *PROSE]) for number in range(4)}
    pages.check(**own, login=LOGIN)
    login = lambda *_: httpx.Response(302, headers={"location": "/login"})  # noqa: E731
    (event,) = pages.check(p0=login, p1=login, p2=login).events
    assert (event.what, event.url, event.why, len(event.pages)) == ("unreadable", "a.test", "Sign in", 3)
    assert not pages.check().events
    (event,) = pages.check(**own).events
    assert (event.what, event.url) == ("readable", "a.test")
    assert [event.what for event in pages.check(p0=login, p1=login).events] == []
    assert [event.what for event in pages.check(p3=login).events] == ["replaced"]


@pytest.mark.parametrize(("well", "what"), [(1, "replaced"), (0, "unreadable")])
def test_many_pages_that_lead_to_the_front_page_are_lost_if_another_page_is_well(
    tmp_path: Path, well: int, what: str
) -> None:
    pages = List(tmp_path, HOME, *(f"{HOME}p{number}" for number in range(3 + well)))
    own = {f"p{number}": body(prose=[f"Of page {number} alone.", *PROSE]) for number in range(3 + well)}
    pages.check(**{"": LOGIN.replace("Sign in", "Home")}, **own)
    home = lambda *_: httpx.Response(302, headers={"location": "/"})  # noqa: E731
    (event,) = pages.check(p0=home, p1=home, p2=home).events
    assert (event.what, len(event.pages)) == (what, 3)
    assert [*event_words(event)] == ["3 pages of a.test lead to its front page now"]
    assert not pages.check().events


def test_only_what_a_selector_matches_counts_and_a_dead_one_is_told(tmp_path: Path) -> None:
    pages = List(tmp_path, HOME, HOME + "other")
    pages.selectors = {HOME: ".price", HOME + "other": ".missing"}
    (event,) = pages.check(**{"": body("<p class=price>1 EUR</p>"), "other": body()}).events
    assert (event.what, event.url) == ("selector", HOME + "other")
    assert not pages.check(**{"": body("<p class=price>1 EUR</p>", title="Another", prose=PROSE[:2])}).events
    (event,) = pages.check(**{"": body("<p class=price>2 EUR</p>")}).events
    assert (event.removed, event.added) == (("1 EUR",), ("2 EUR",))
    (event,) = pages.check(**{"": body()}).events
    assert event.added == ("the selector matches nothing",)


def test_a_selector_names_values_of_json(tmp_path: Path) -> None:
    pages = List(tmp_path)
    pages.selectors = {HOME: "json:items[].price"}
    reply = '{{"at": {}, "items": [{{"name": "lamp", "price": {}}}]}}'
    pages.check(**{"": kind(reply.format(1, 3), "application/json")})
    assert not pages.check(**{"": kind(reply.format(2, 3), "application/json")}).events
    (event,) = pages.check(**{"": kind(reply.format(3, 4), "application/json")}).events
    assert (event.removed, event.added) == (("3",), ("4",))


def test_what_is_new_on_many_pages_of_a_host_is_told_once(tmp_path: Path) -> None:
    """On two it is told of each."""
    urls = [f"{HOME}p{number}" for number in range(5)]
    pages = List(tmp_path, *urls)
    texts = {f"p{number}": [f"This is page {number} of the book.", *PROSE] for number in range(5)}
    pages.check(**{name: body(prose=text) for name, text in texts.items()})
    few = {name: body(prose=["On two pages.", *text]) for name, text in list(texts.items())[:2]}
    assert [event.url for event in pages.check(**few).events] == urls[:2]
    many = {name: body(prose=["Free shipping.", *text]) for name, text in list(texts.items())[1:]}
    events = pages.check(**many).events
    assert [(event.url, event.added, event.pages) for event in events if event.pages] == [
        ("a.test", ("Free shipping.",), tuple(urls[1:]))
    ]
    assert [event.removed for event in events if not event.pages] == [("On two pages.",)]
    texts["p1"].append("It is sold.")
    tip = "<aside><p>Buy oars from us.</p></aside>"  # beside the content, also of the page that has changed otherwise
    tips = {name: body(prose=["Free shipping.", *text]) + tip for name, text in list(texts.items())[1:]}
    assert [event.sends for event in pages.check(**tips).events if event.pages] == [False]


def test_what_changes_at_every_check_is_told_no_more_which_is_said_once(tmp_path: Path) -> None:
    """Weather, the same in all answers of one moment. A price is told each time."""
    pages = List(tmp_path)
    weather = [body(f"<h2>Weather</h2><p>{word} and mild.</p><p>{n + 1} EUR</p>") for n, word in enumerate(WORDS[:8])]
    pages.check(**{"": weather[0]})
    told = [pages.check(**{"": each}).events for each in weather[1:]]
    lines = [["mild" in line for event in events for line in event.added].count(True) for events in told]
    assert lines == [1, 1, 0, 0, 0, 0, 0]
    assert [event.why for events in told for event in events if event.what == "habit"] == ["Weather"]
    assert all(any("price" in event.kinds for event in events) for events in told)


@pytest.mark.parametrize("page", [feed, items])
def test_each_item_that_a_list_gets_at_its_top_is_told(tmp_path: Path, page: Callable[..., Any]) -> None:
    """However often. Twin: a list of the latest five, where one goes as another comes, in a page but not in a feed."""
    pages = List(tmp_path)
    pages.check(**{"": page(*WORDS[4:])})
    assert all(pages.check(**{"": page(*WORDS[number:])}).events for number in (3, 2, 1, 0))
    pages = List(tmp_path / "latest")
    told = [pages.check(**{"": page(*WORDS[number : number + 5])}).has_news for number in range(7, 0, -1)]
    assert told == [False, *[True] * 2, *[page is feed] * 4]


def test_a_number_that_changes_at_two_checks_in_a_row_waits_for_the_third(tmp_path: Path) -> None:
    """Where it rests it is told then; an exchange rate, which is no price, changes again, and is told no more. Twin: a
    date, of which more than one number is another, is told at once."""
    pages = List(tmp_path)
    told = [pages.check(**{"": shown(f"{boats} boats.")}).has_news for boats in (1, 2, 3, 3, 3)]
    assert told == [False, True, False, True, False]
    pages = List(tmp_path / "twin")
    told = [pages.check(**{"": shown(f"1 EUR = 1.{n * 7919 % 10_000:04} USD")}).has_news for n in range(6)]
    assert told == [False, True, False, False, False, False]
    pages = List(tmp_path / "date")
    dates = ("19 May 2027, 15:30", "27 May 2027, 17:00", "4 May 2027, 10:15", "4 May 2027, 10:15")
    assert [pages.check(**{"": shown(f"Date: {each}")}).has_news for each in dates] == [False, True, True, False]


def test_where_the_page_was_as_stored_at_some_moment_two_checks_must_find_a_change(tmp_path: Path) -> None:
    """An advertisement that alternates by chance; and a change that a cache holds back: it is told, a check later."""
    pages = List(tmp_path)
    pages.check(**{"": shown("")})
    assert not pages.check(**{"": shown("New.", "")}).events
    assert not pages.check(**{"": shown("New.")}).events
    assert [event.added for event in pages.check().events] == [("New.",)]


@pytest.mark.parametrize(
    ("moments", "is_told"), [([("New.", "", "New.")], True), ([("New.", "")] * 2, True), ([("New.", "")] * 3, False)]
)
def test_a_server_that_is_late_hides_no_change(tmp_path: Path, moments: Sequence[Sequence[str]], is_told: bool) -> None:
    """Two answers of three count as a check; the same lines are noise the third time."""
    pages = List(tmp_path)
    pages.check(**{"": shown("")})
    assert not any(pages.check(**{"": shown(*moment)}).events for moment in moments)
    assert any(pages.check(**{"": shown("New.")}).events for _ in moments) is is_told


def test_two_checks_must_find_that_a_page_is_as_it_was_before(tmp_path: Path) -> None:
    """A banner that was not in three answers by chance. Twins: what comes in its place, and a price."""
    pages = List(tmp_path)
    pages.check(**{"": shown("")})
    assert [event.added for event in pages.check(**{"": shown("Now open.")}).events] == [("Now open.",)]
    assert not pages.check(**{"": shown("")}).events
    assert [event.removed for event in pages.check().events] == [("Now open.",)]
    pages = List(tmp_path / "twin")
    pages.check(**{"": shown("Now open.")})
    for banner in ("Closed on Monday.", "3 EUR", "4 EUR", "3 EUR"):
        assert [event.added for event in pages.check(**{"": shown(banner)}).events] == [(banner,)]
    assert [pages.check(**{"": body(title=title)}).has_news for title in ("Guide", "Book", "Guide")] == [True] * 3


def test_of_three_first_answers_those_that_are_alike_are_of_the_page(tmp_path: Path) -> None:
    """Wherever an error page stands among them; what they have is no noise."""
    error = "<title>Error</title><h1>Out of order</h1><p>Try again later.</p>"
    for place in range(3):
        pages = List(tmp_path / f"{place}")
        replies = [error if number == place else body() for number in range(3)]
        pages.check(**{"": in_turn(*replies)})
        (event,) = pages.check(**{"": body(prose=PROSE[1:])}).events
        assert (event.what, event.removed) == ("changed", (PROSE[0],))


AGO = {
    "Anna, 3 minutes ago": "Anna, yesterday",
    "Bert · 5 min. ago": "Bert · 2h ago",
    "Dora vor 3 Minuten": "Dora gestern",
    "Ida, godzinę temu": "Ida, 5 minut temu",
    "Nils för 2 timmar sedan": "Nils för 3 timmar sedan",
    "Eva (hace 2 horas)": "Eva (hace 3 horas)",
    "Jan · 3 мин. назад": "Jan · вчера",
    "Kim · 23時間前": "Kim · 昨日",
    "Build 3f2a91c7": "Build 90b1cc2e",
    "Right now 1,234 people are reading this page with you, and 56 of them live near by.": (
        "Right now 987 people are reading this page with you, and 41 of them live near by."
    ),
    "Derzeit sehen 12 Personen diesen Artikel an": "Derzeit sehen 31 Personen diesen Artikel an",
    "A long title of what is said of the harbour and its boats (12 comments)": (
        "A long title of what is said of the harbour and its boats (1.2k comments)"
    ),
    "Kommentare (3)": "Kommentare (41)",
}


def test_what_the_hour_alone_changes_is_not_told(tmp_path: Path) -> None:
    """Though all answers of a moment have it."""
    pages = List(tmp_path)
    pages.check(**{"": items(*AGO)})
    assert not pages.check(**{"": items(*AGO.values())}).events


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Open today", "Closed today"),
        ("Version 2.3.1", "Version 2.3.2"),
        ("12 people work here", "13 people work here"),
        ("Opens at 10:15", "Opens at 11:15"),
        ("vor Ort", "im Haus"),
        ("Senior 12 places", "Senior 14 places"),
        ("Disk space 10 GB", "Disk space 12 GB"),
        ("The boats may leave at night.", "The boats may not leave at night."),
        ("The fair is on 3 March 2027 at 10:15.", "The fair is on 4 March 2027 at 10:15."),
        ("Only 3 left in stock", "Sold out"),
        ("2 door sedan", "4 door sedan"),
        ("5 coupons for Temu", "6 coupons for Temu"),
        ("Comments until 12 May 2026", "Comments until 19 May 2026"),
    ],
)
def test_what_looks_like_the_hour_is_a_change(tmp_path: Path, before: str, after: str) -> None:
    pages = List(tmp_path)
    pages.check(**{"": items("one", before)})
    (event,) = pages.check(**{"": items("one", after)}).events
    assert event.sends
    assert event.added == (after,)


def section(heading: str, *lines: str, tag: str = "li") -> str:
    return f"<h2>{heading}</h2>{''.join(f'<{tag}>{line}</{tag}>' for line in lines)}"


@pytest.mark.parametrize(
    ("heading", "tag"),
    [
        ("Related articles", "li"),
        ("People who viewed this also viewed", "li"),
        ("Poll: tea or ale?", "li"),
        ("Das könnte Sie auch interessieren", "li"),
        ("À lire aussi", "li"),
        ("Читайте также", "li"),
        ("Quote of the day", "p"),
        ("You may also like", "h3"),
    ],
)  # fmt: skip
def test_below_words_that_announce_changes_these_send_no_message(tmp_path: Path, heading: str, tag: str) -> None:
    """Twins: below other words; what stands behind; a price; and a page that is of these alone."""

    def told(before: str, after: str) -> list[tuple[tuple[str, ...], bool]]:
        pages = List(tmp_path / f"{next(COUNT)}")
        pages.check(**{"": before})
        return [(event.added, event.sends) for event in pages.check(**{"": after}).events]

    sections = section("Hours", "Monday", tag=tag), section(heading, "oars", tag=tag)
    page = body(behind="".join((*sections, "<h2>Also</h2><p>The boats are blue.</p>")))
    assert told(page, page.replace("oars", "sails")) == [(("sails",), False)]
    assert told(page, page.replace("Monday", "Sunday")) == [(("Sunday",), True)]
    assert told(page, page.replace("blue", "red")) == [(("The boats are red.",), True)]
    assert [sends for _, sends in told(page, page.replace("oars", "9 EUR"))] == [True]
    others = page.replace(heading, "People who come late ring the bell.")
    assert told(others, others.replace("oars", "sails")) == [(("sails",), True)]
    alone = section(heading, *WORDS, tag=tag)
    assert told(alone, alone.replace("lamp", "tiller")) == [(("tiller",), True)]


@pytest.mark.parametrize("heading", ["Latest articles", "Recent posts", "Neueste Beiträge", "最新文章"])
def test_a_list_of_what_is_new_is_what_people_watch(tmp_path: Path, heading: str) -> None:
    pages = List(tmp_path)
    pages.check(**{"": body(behind=section(heading, "oars"))})
    (event,) = pages.check(**{"": body(behind=section(heading, "sails", "oars"))}).events
    assert (event.added, event.sends) == (("sails",), True)


def test_a_banner_of_cookies_sends_no_message(tmp_path: Path) -> None:
    """Twin: a page about them."""
    pages = List(tmp_path)
    pages.check(**{"": body()})
    for words in (
        "We use cookies. Accept or reject?",
        "Diese Website verwendet Cookies. Mit der Nutzung stimmen Sie zu.",
    ):
        assert not pages.check(**{"": body(f"<p>{words}</p>")}).has_news
    policy = [f"We use cookies of kind {number}, which you may accept or reject." for number in range(5)]
    pages.check(**{"": body(prose=policy)})
    assert pages.check(**{"": body(prose=[*policy, "We use a cookie to count, unless you reject it."])}).has_news


def test_a_change_beside_the_content_sends_no_message(tmp_path: Path) -> None:
    def page(tip: str) -> str:
        return f"{body()}<aside><p>Tip of the day: {tip} can be bought at the desk.</p></aside>"

    pages = List(tmp_path)
    pages.check(**{"": page("oars")})
    done = pages.check(**{"": page("sails")})
    assert [event.sends for event in done.events] == [False]
    assert not done.has_news


def test_the_first_answer_is_told_without_confirmation(tmp_path: Path) -> None:
    pages = List(tmp_path)
    pages.confirm = ()
    assert pages.requests(**{"": body()}) == 1
    (event,) = pages.check(**{"": body("<p>Told at once.</p>")}).events
    assert event.added == ("Told at once.",)


def test_a_page_that_leaves_the_list_is_forgotten_and_a_new_one_remembered(tmp_path: Path) -> None:
    pages = List(tmp_path, HOME + "a")
    pages.check(a=body(), b=body())
    pages.urls = (HOME + "b",)
    assert pages.check().fresh == (HOME + "b",)
    pages.urls = (HOME + "a", HOME + "b")
    done = pages.check(a=body("<p>Later.</p>"))
    assert (done.fresh, done.events) == ((HOME + "a",), ())


def test_a_page_that_robots_txt_forbids_is_said_to_be_so(tmp_path: Path) -> None:
    pages = List(tmp_path, HOME + "open", HOME + "closed")
    pages.server.robots = "User-agent: *\nDisallow: /closed"
    done = pages.check(open=body(), closed=body())
    assert [(event.what, event.why, event.pages) for event in done.events] == [
        ("unreadable", "robots", (HOME + "closed",))
    ]
    assert done.read == 1


@pytest.mark.parametrize(("reads", "added"), [(True, "Fee: 30 EUR"), (False, "bytes")])
def test_of_a_pdf_the_text_is_compared_where_it_is_read(tmp_path: Path, reads: bool, added: str) -> None:
    """Else its bytes are, and a file that was written anew is another one."""

    def paper(fee: int, producer: bytes = b"/Producer (a)") -> Callable[..., httpx.Response]:
        content = pdfs.document(["The harbour", f"Fee: {fee} EUR", *PROSE[:3]], about=producer)
        return lambda *_: httpx.Response(200, content=content, headers={"content-type": "application/pdf"})

    pages = List(tmp_path, pdf=reads)
    pages.confirm = ()
    pages.check(**{"": paper(20)})
    assert bool(pages.check(**{"": paper(20, b"/Producer (b)")}).events) != reads
    (event,) = pages.check(**{"": paper(30)}).events
    assert (event.what, event.added[0].endswith(added)) == ("changed", True)


def test_a_page_that_forbids_copies_is_watched(tmp_path: Path) -> None:
    pages = List(tmp_path)
    forbids = "<meta name=robots content=noarchive>"
    pages.check(**{"": body(head=forbids)})
    (event,) = pages.check(**{"": body("<p>Told.</p>", head=forbids)}).events
    assert event.added == ("Told.",)


def test_validators_are_sent_but_not_always_and_each_page_is_asked_once(tmp_path: Path) -> None:
    def answer(request: httpx.Request, _: int) -> httpx.Response:
        if request.headers.get("if-none-match") == '"one"':
            return httpx.Response(304, headers={"etag": '"one"'})
        return httpx.Response(200, html=body(), headers={"etag": '"one"'})

    pages = List(tmp_path, *(f"{HOME}{page}" for page in "abc"))
    pages.check(**dict.fromkeys("abc", answer))
    first = len(pages.server.requests)
    for _ in range(9):
        assert not pages.check().events
    asked = [request for request in pages.server.requests[first:] if request.url.path != "/robots.txt"]
    assert len(asked) == 9 * 3
    assert sum("if-none-match" not in request.headers for request in asked) in range(3, 7)


def test_a_crawl_of_the_store_of_a_list_is_refused(tmp_path: Path) -> None:
    pages = List(tmp_path)
    pages.check(**{"": body()})
    with pytest.raises(SettingError, match="is the store of watched pages: use 'minicrawl watch'"):
        crawl(pages.server, pages.store, [HOME])


def test_what_pages_of_a_host_have_in_common_is_stored_once(tmp_path: Path) -> None:
    """Also of a page that was watched before there was another one; with all of it gone, the host is forgotten."""
    draw = random.Random(7)
    common = [f"Line {number}: {draw.getrandbits(200):x}." for number in range(100)]
    pages, sizes = List(tmp_path, HOME + "0"), list[int]()
    for number in range(4):
        pages.urls = tuple(f"{HOME}{each}" for each in range(number + 1))
        pages.check(**{str(number): body(prose=[f"Page {number}.", *common])})
        views = "SELECT sum(length(view)) FROM (SELECT view FROM watched UNION ALL SELECT view FROM watched_hosts)"
        sizes.append(rows(pages.store, views)[0][0])
    assert sizes[3] < 1.1 * sizes[1] < 2.3 * sizes[0]
    for number in range(4):
        (event,) = pages.check(**{str(number): body(prose=[f"Page {number}.", *common[1:]])}).events
        assert event.removed == (common[0],)
    pages.urls = ("http://b.test/",)
    pages.check()
    assert rows(pages.store, "SELECT * FROM watched_hosts") == []


@pytest.mark.parametrize("column", ["view", "memory"])
def test_what_is_damaged_is_named_in_a_sentence_with_the_way_out(tmp_path: Path, column: str) -> None:
    other = HOME + "other"
    pages = List(tmp_path, HOME, other)
    pages.check(**{"": body(), "other": body()})
    rows(pages.store, f"UPDATE watched SET {column} = x'00ff' WHERE url = ?", HOME)
    with pytest.raises(StoreError, match=rf"what is kept of {HOME} is damaged \(.*\); leave it out") as refused:
        pages.check()
    assert "\n" not in str(refused.value)
    pages.urls = (other,)
    assert not pages.check().events
    pages.urls = (HOME, other)
    assert pages.check().fresh == (HOME,)


def test_an_empty_list_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SeedError, match="has no page to watch"):
        Watched(tmp_path / "w.db", Seeds([]), {}, {})


def test_events_of_a_kind_that_is_not_wanted_are_kept_and_send_nothing(tmp_path: Path) -> None:
    pages = List(tmp_path)
    pages.check(**{"": body("<p>1 EUR</p>")})
    watched = Watched(
        pages.store, Seeds([HOME]), pages.settings, {}, kinds=frozenset({"price"}), transport=pages.server
    )
    pages.server.site[HOME] = _reply(body("<p>1 EUR</p>", prose=[*PROSE, "Of no interest."]))
    assert [event.sends for event in skipping.run(watched.check()).events] == [False]
    pages.server.site[HOME] = _reply(body("<p>2 EUR</p>", prose=[*PROSE, "Of no interest."]))
    done: Sequence[WatchEvent] = skipping.run(watched.check()).events
    assert [event.sends for event in done] == [True]
