"""Parameters that change nothing are found out, on any host, and those that change something are left alone."""

import itertools
import random
import re
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from support.command_line import answer
from support.prose import WORDS, prose
from support.sites import HOME, Server, crawl, faults_in, ranks, rows

Answer = Callable[[httpx.URL], list[str] | str | int]


def dynamic(answer: Answer, robots: str | int = 404) -> Server:
    """A server that makes its answers up."""
    return Server({}, robots, absent=lambda request, _: answer(request.url))


def number_of(url: httpx.URL) -> int:
    return int.from_bytes(url.path.encode()) % 99_991


def tokens(folders: str = "ab", pages: int = 5, name: str = "token") -> Answer:
    """Pages /a/1 and so on, which link to all others, each link with another token; they need none."""
    numbers = itertools.count()

    def answer(url: httpx.URL) -> list[str]:
        token = next(numbers) * 7919
        links = [
            f"{HOME}{folder}/{page}?{name}=t{token + place}"
            for place, (folder, page) in enumerate(itertools.product(folders, range(pages)))
        ]
        return [f"<h1>This is {url.path}, of all the one</h1><p>{'bla' * len(url.path)} {number_of(url)}", *links]

    return answer


@pytest.mark.parametrize(("strategy", "folders", "pages"), [("greedy", "abcdef", 5), ("breadth-first", "ab", 20)])
def test_tokens_on_the_host_of_a_seed_are_found_out(store: Path, strategy: str, folders: str, pages: int) -> None:
    """Every page is read, none of them often."""
    report, server = crawl(dynamic(tokens(folders, pages)), store, [HOME], strategy=strategy, pages=2_000)
    assert report.reason == "nothing-left"
    assert len(server.asked) < 80 * len(folders) + 2 * pages
    known = {url for (url,) in rows(store, "SELECT url FROM pages WHERE state = 'fetched'")}
    assert {f"{HOME}{folder}/{page}" for folder in folders for page in range(pages)} <= known
    assert rows(store, "SELECT count(*) FROM pages")[0][0] < 800 * len(folders) * pages // 5
    assert faults_in(store) == []


def board(url: httpx.URL) -> list[str] | int:
    """A forum that tells the time, who is online, and in every link the visit, which it makes up anew."""
    if not re.fullmatch(r"/(topic/([0-9]|1[01]))?", url.path):
        return 404
    rng, number = random.Random(next(VISITS)), number_of(url)
    visit = f"visit={rng.getrandbits(128):032x}"
    return [
        f"<title>Topic {number}</title><p>It is {rng.random():.6f}. Here are {rng.choice(WORDS)}, {rng.choice(WORDS)}.",
        prose(number, 500),
        *(f"{HOME}topic/{topic}?view=1&{visit}" for topic in range(12)),
    ]


def goods(url: httpx.URL) -> list[str]:
    """Goods by long ids, below a menu that says more than they do; without one there is none."""
    item = url.params.get("item", "none")
    name = f"<title>{item[:4]}</title><p>{item} is what you see" if len(item) > 4 else "<title>none</title><p>not found"
    ids = (f"{random.Random(number).getrandbits(128):032x}" for number in range(12))
    return [prose(1, 900), name, *(f"{HOME}goods?item={each}" for each in ids)]


VISITS = itertools.count()


def test_a_forum_that_is_never_the_same_twice_is_read_once(tmp_path: Path) -> None:
    report, server = crawl(dynamic(board), tmp_path / "crawl.db", [HOME], pages=300)
    assert (report.reason, len(server.asked) < 60) == ("nothing-left", True)
    read = {url for (url,) in rows(tmp_path / "crawl.db", "SELECT url FROM pages WHERE state = 'fetched'")}
    assert read == {HOME, *(f"{HOME}topic/{topic}?view=1" for topic in range(12))}
    _, server = crawl(dynamic(board), tmp_path / "crawl.db", [], refresh=True, discovery=0.0, pages=13)
    assert set(server.asked) == read, "aliases that nobody has asked for are not asked for now"
    assert faults_in(tmp_path / "crawl.db") == []


def test_views_of_topics_that_tell_the_time_are_a_trap(store: Path) -> None:
    def answer(url: httpx.URL) -> list[str] | int:
        topic = int(url.params.get("t", 0)) + (url.params.get("view") == "next")
        views = (f"{HOME}topic?t={topic}&view={view}" for view in ("print", "next", "all"))
        time = f"<title>Topic {topic}</title><p>It is {random.Random(next(VISITS)).random():.6f}."
        return [time, prose(topic, 300), f"{HOME}topic?t={topic + 1}", *views] if topic < 40 else 404

    crawl(dynamic(answer), store, [HOME])
    read = [url for (url,) in rows(store, "SELECT url FROM pages WHERE state = 'fetched'")]
    assert {f"{HOME}topic?t={topic}" for topic in range(1, 40)} <= set(read)
    assert len(read) < 40 + 30
    assert faults_in(store) == []


def test_probes_are_few_and_keep_to_robots_txt(tmp_path: Path) -> None:
    _, server = crawl(dynamic(tokens(), "User-agent: *\nDisallow: /*/0$\nDisallow: /*/1$"), tmp_path / "x.db", [HOME])
    assert not {HOME + "a/0", HOME + "a/1", HOME + "b/0", HOME + "b/1"} & set(server.asked)


def shop(url: httpx.URL) -> list[str]:
    """Lists of goods by category, page and order; pages beyond the last are the first, and so is page 1 left out."""
    values = dict(url.params)
    if url.path == "/":
        return [f"{HOME}list?cat={cat}&page={page}" for cat in "abcd" for page in (1, 2, 3, 7, 8, 9)]
    page = int(values.get("page", 1))
    page = page if page <= 3 else 1
    return [
        f"<h1>{values.get('cat', 'all')} {page}</h1>",
        *(f"{HOME}list?cat={values['cat']}&page={n}" for n in (1, 2, 3) if "cat" in values),
    ]


def search(url: httpx.URL) -> list[str]:
    """A search that finds something for some words only."""
    words = ["salt", "pepper", "sugar", *(f"nonsense{number}" for number in range(30))]
    said = url.params.get("q", "")
    found = f"{said} is here" if said in words[:3] else "nothing was found"
    return [f"<h1>{found}</h1>", *(f"{HOME}search?q={word}" for word in words)]


def languages(url: httpx.URL) -> list[str]:
    said = url.params.get("lang", "en")
    return [
        f"<h1>{url.path} in {said}</h1>",
        *(f"{HOME}{page}?lang={lang}" for page in "abcdef" for lang in ("en", "de", "fr")),
    ]


def shelves(url: httpx.URL) -> list[str]:
    """The shop, where every category is a page of its own, and has other pages beyond its last."""
    shelf = url.path.strip("/")
    page = int(url.params.get("page", 1))
    page = page if page <= 3 else 1
    links = [f"{HOME}{name}?page={n}" for at, name in enumerate(SHELVES) for n in (1, 2, 3, 10 + at, 30 + at)]
    own = [f"{HOME}{shelf}?page={n}" for n in (1, 2, 3)]
    return [f"<h1>{shelf} {page}</h1>", *(own if shelf else links)]


SHELVES = ("ale", "bread", "cheese", "dill", "eggs", "figs", "grapes", "honey", "ice", "jam", "kale", "leek")


@pytest.mark.parametrize("answer", [shop, shelves, search, languages, goods])
def test_parameters_that_matter_stay(store: Path, answer: Callable[[httpx.URL], list[str]]) -> None:
    crawl(dynamic(answer), store, [HOME])
    assert rows(store, "SELECT count(*) FROM parameters WHERE verdict = 'session'") == [(0,)]
    linked = {link for link in answer(httpx.URL(HOME)) if link.startswith("http")}
    assert linked <= {url for (url,) in rows(store, "SELECT url FROM pages WHERE reason <> 'session'")}


SOLD = [f"{HOME}goods/{number}" for number in range(40)]


def named(says: Callable[[str, dict[str, str]], object], link: str, *, plain: bool = True) -> Answer:
    """Forty goods, each with a link of its own to a page that says something by its path and parameters. plain: the
    front page links to that without any."""

    def answer(url: httpx.URL) -> list[str] | int:
        number = url.path.removeprefix("/goods/")
        if url.path == "/":
            return [prose(1), *SOLD, *([HOME + link.partition("?")[0]] if plain else [])]
        if number.isdigit():
            return [prose(number_of(url)), HOME, HOME + link.format(number=number, id=random.Random(number).random())]
        return [prose(hash_of(says(url.path, dict(url.params)))), HOME]

    return answer


def hash_of(said: object) -> int:
    return int.from_bytes(str(said).encode()) % 99_991


@pytest.mark.parametrize("plain", [True, False])
@pytest.mark.parametrize(
    "link", ["best?from=p{number}", "best?at={id}", "best?lang=en&ref={number}", "best/{number}?x=y&ref={number}"]
)
def test_links_that_say_where_they_stand_are_links_to_one_page(store: Path, link: str, plain: bool) -> None:
    """All of them count for it, and few of them are read."""
    shared = link.startswith("best?")
    site = named(lambda path, _: path, link, plain=plain and shared)
    _, server = crawl(dynamic(site), store, [HOME])
    ranked = sorted(ranks(store).items(), key=lambda page: -page[1])
    assert ranked[1][0].startswith(HOME + "best") == shared
    assert len(server.asked) < 41 + (20 if shared else 41)
    assert rows(store, "SELECT count(*) FROM pages WHERE state = 'error'") == [(0,)]
    assert faults_in(store) == []


def test_signs_without_news_are_few_on_a_page_that_links_to_all(store: Path) -> None:
    """Its links may be to pages of a list: none is known without the parameter before twelve were read, and then they
    are refused as a trap, but still count for the page that they repeat."""

    def answer(url: httpx.URL) -> list[str]:
        if url.path == "/":
            return [*SOLD, *(f"{good}?place={place}" for place, good in enumerate(SOLD))]
        return [prose(number_of(url)), HOME]

    crawl(dynamic(answer), store, [HOME], strategy="breadth-first")
    assert rows(store, "SELECT count(*) FROM parameters WHERE verdict = 'session'") == [(0,)]
    states = dict(rows(store, "SELECT reason, count(*) FROM pages WHERE state = 'alias' GROUP BY reason"))
    assert states["same-page"] >= 12
    assert sum(states.values()) == len(SOLD)


@pytest.mark.parametrize(
    "says",
    [
        lambda _, asked: int(asked["number"]) // 2,
        lambda _, asked: asked["number"] if asked["number"] < "3" else "nothing",
        lambda _, asked: int(asked["number"]) % 6 and "no comment",
    ],
)
def test_what_a_parameter_of_each_page_brings_is_read(store: Path, says: Callable[..., object]) -> None:
    """No more is lost than what a trap loses anyway: nothing is known as the page without the parameter."""
    site = named(lambda path, asked: says(path, asked) if asked else "nothing", "said?number={number}")
    crawl(dynamic(site), store, [HOME])
    assert rows(store, "SELECT verdict FROM parameters WHERE name = 'number'") == [("content",)]
    assert rows(store, "SELECT count(*) FROM pages WHERE reason = 'session'") == [(0,)]
    texts = "SELECT count(DISTINCT payload) FROM fetches JOIN pages ON fetch = fetches.id WHERE url LIKE '%number=%'"
    said = {says("", {"number": str(number)}) for number in range(40)}
    assert rows(store, texts)[0][0] > len(said) // 2


def test_server_that_insists_on_its_token_keeps_it(tmp_path: Path) -> None:
    plain = tokens()

    def answer(url: httpx.URL) -> list[str] | str | int:
        return plain(url) if url.params or url.path == "/" else f"{url}?token=fresh"

    crawl(dynamic(answer), tmp_path / "crawl.db", [HOME], pages=300)
    assert rows(tmp_path / "crawl.db", "SELECT DISTINCT verdict FROM parameters WHERE verdict <> '?'") == [("content",)]


@pytest.mark.parametrize("option", ["traps", "keep_parameters"])
def test_who_wants_none_of_it_gets_none(tmp_path: Path, option: str) -> None:
    off = {option: option == "keep_parameters"}
    _, server = crawl(dynamic(tokens()), tmp_path / "crawl.db", [HOME], pages=60, **off)
    assert [url for url in server.asked if "?" not in url and url.count("/") == 4 and url[-1].isdigit()] == []


def test_why_tells_what_a_url_is_known_as(store: Path) -> None:
    crawl(dynamic(tokens()), store, [HOME])
    assert answer("why", HOME + "a/3?token=other", "--store", store)["url"] == HOME + "a/3"
