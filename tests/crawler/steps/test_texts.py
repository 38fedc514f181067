"""Texts that a crawl keeps: of which pages, what becomes of them, through kills; and what of them a host repeats."""

import subprocess
from pathlib import Path

import httpx
import pytest
from support.intakes import DAYS_LATER
from support.killing_web import killing_web
from support.sites import Reply, Site, canonical, crawl, page, rows, texts_in

from minicrawl.store.reader import open_store

HOME = "http://a.test/"


def words(name: str) -> str:
    return f"<p>words of {name}, which nobody else says but {name}</p>"


def test_texts_are_kept_of_pages_that_are_html_and_allow_it(tmp_path: Path) -> None:
    site: Site = {
        HOME: [words("home"), "/moved", "/missing", "/copy", "/meta", "/header", "/noindex"],
        f"{HOME}moved": f"{HOME}target",
        f"{HOME}target": [words("target")],
        f"{HOME}copy": [canonical(HOME), words("copy")],
        f"{HOME}meta": ["<meta name=robots content=noarchive>", words("meta")],
        f"{HOME}header": page(words("header"), headers={"X-Robots-Tag": "otherbot: noindex\nminicrawl: noarchive"}),
        f"{HOME}noindex": ["<meta name=robots content=noindex>", words("noindex")],
    }
    crawl(site, tmp_path / "crawl.db", [HOME], text=True)
    kept = texts_in(tmp_path / "crawl.db")
    assert {url.removeprefix(HOME) for url in kept} == {"", "target", "copy", "noindex"}
    assert kept[f"{HOME}target"] == "words of target, which nobody else says but target"


def test_the_language_is_that_of_the_words(tmp_path: Path) -> None:
    french = "<p>Les textes de cette page sont en français, quoi que dise son modèle, que personne n'a traduit."
    english = "<p>The words of this page are in English, whatever its template says, which nobody has translated."
    site: Site = {
        HOME: [f"<html lang=en>{french}", "/own", "/none", "/short"],
        f"{HOME}own": [f"<html lang=fr-CA>{french}"],
        f"{HOME}none": [english],
        f"{HOME}short": page("<html lang=it><p>Login", headers={"X-Robots-Tag": "noindex"}),
    }
    crawl(site, tmp_path / "crawl.db", [HOME], text=True)
    with open_store(tmp_path / "crawl.db") as store:
        found = {url.removeprefix(HOME): (text.language, text.index) for url in site if (text := store.text(url))}
    assert found == {"": ("fr", True), "own": ("fr-CA", True), "none": ("en", True), "short": ("it", False)}


def test_other_texts_than_html_are_kept_and_lead_nowhere_as_before(tmp_path: Path) -> None:
    def plain(body: bytes, kind: str = "text/plain", status: int = 200, robots: str = "") -> Reply:
        fields = {"Content-Type": kind, "X-Robots-Tag": robots}
        return lambda *_: httpx.Response(status, content=body, headers=fields)

    site: Site = {
        HOME: [words("home"), *(f"/{name}" for name in ("a.txt", "b.md", "c.json", "404", "archive", "binary", "css"))],
        f"{HOME}a.txt": plain(b"words of a, see http://a.test/secret"),
        f"{HOME}b.md": plain(b"# Words of b\n\n[See](/secret)"),
        f"{HOME}c.json": plain(b'{"words": "of c"}', "application/json"),
        f"{HOME}404": plain(b"words of none", status=404),
        f"{HOME}archive": plain(b"words of archive", robots="noarchive"),
        f"{HOME}binary": plain(b"\x89PNG\0\0"),
        f"{HOME}css": plain(b"words { of: css }", "text/css"),
        f"{HOME}urls": plain(f"{HOME}listed\n".encode()),
        f"{HOME}listed": [words("listed")],
    }
    states = dict[bool, object]()
    for text in (True, False):
        store = tmp_path / f"{text}.db"
        crawl(site, store, [HOME, f"{HOME}urls"], text=text)
        kept = {url.removeprefix(HOME) for url in texts_in(store)}
        assert kept == ({"", "a.txt", "b.md", "c.json", "urls", "listed"} if text else set())
        states[text] = rows(store, "SELECT url, state FROM pages ORDER BY url")
    assert states[True] == states[False]
    with open_store(tmp_path / "True.db") as reader:
        found = [reader.text(f"{HOME}{name}") for name in ("a.txt", "b.md")]
    assert [text and text.title for text in found] == ["a.txt", "Words of b"]


def test_without_the_option_nothing_is_kept(tmp_path: Path) -> None:
    crawl({HOME: [words("home")]}, tmp_path / "crawl.db", [HOME])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["crawl.db", "crawl.db.lock"]
    assert texts_in(tmp_path / "crawl.db") == {}


def test_a_page_read_again_says_what_it_says_now_and_one_that_is_gone_nothing(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    pages = {f"{HOME}{name}": [words(name)] for name in ("stays", "changes", "goes", "moves")}
    crawl({HOME: ["/stays", "/changes", "/goes", "/moves"], **pages}, store, [HOME], text=True)
    before = texts_in(store)
    assert len(before) == 5
    pages |= {f"{HOME}changes": [words("others")], f"{HOME}goes": 410, f"{HOME}moves": HOME}  # type: ignore[dict-item]
    crawl({HOME: ["/stays", "/changes", "/goes", "/moves"], **pages}, store, [], **DAYS_LATER)
    after = texts_in(store)
    assert rows(store, "SELECT state FROM pages WHERE url LIKE '%goes'") == [("gone",)]
    assert after.keys() == {HOME, f"{HOME}stays", f"{HOME}changes"}
    assert after[f"{HOME}stays"] == before[f"{HOME}stays"]
    assert after[f"{HOME}changes"] == "words of others, which nobody else says but others"


@pytest.mark.slow
def test_texts_are_the_same_with_workers_and_through_kills(tmp_path: Path) -> None:
    kept, seeds = list[dict[str, str]](), [f"http://h{host}.test/" for host in range(20)]
    with killing_web() as web:
        for workers in (0, 2):
            store = tmp_path / f"{workers}.db"
            asked = web.crawl_command(store, seeds, "--text", "--workers", str(workers))
            for requests in (20, 45, 70):
                assert web.kill(asked, requests)
                texts_in(store)
            subprocess.run(asked, stdout=subprocess.DEVNULL, check=True)
            kept.append(texts_in(store))
    assert kept[0]
    assert kept[0] == kept[1]


HOST = "http://a.test/"
TOPICS = ["badgers", "lanterns", "glaciers", "violins", "saffron", "harbours", "comets", "looms"]
COOKIES = (
    "<div>We and our partners keep cookies on this device, to measure how these pages are read, as told below.</div>"
)


def content(topic: str) -> tuple[str, str]:
    """The main content of a page, in two parts, and as Markdown."""
    return (
        f"<h1>About {topic}</h1><p>Few know as much of {topic} as those who keep {topic} at home, year after year.</p>"
        f"<h2>Example</h2><pre>import shared</pre><h2>See also</h2><p>Another word on {topic}.</p>",
        f"<p>More of {topic}, and no end of it: {topic} fill books, if someone writes them.</p>",
    )


ENTRY, BANNER = "<div><a href=/{0}>All about {0}</a></div>", "<div>The encyclopedia</div>"


def site(topics: list[str], entry: str = ENTRY, banner: str = BANNER) -> Site:
    """A site without any element, class or id that tells its content from its menus."""
    menu = "".join(map(entry.format, topics))
    head, foot = f"{banner}{menu}", "<div>Imprint of a company</div><div><a href=/>Home</a></div>"
    pages = {topic: content(topic) for topic in topics}
    return {HOST: [menu]} | {
        f"{HOST}{topic}": [head, first, COOKIES, second, foot] for topic, (first, second) in pages.items()
    }


def as_crawled(store: Path, topic: str) -> tuple[str, str, str]:
    """A page's content as Markdown and as the index has it, and all its text."""
    with open_store(store) as reader:
        kept = reader.text(f"{HOST}{topic}")
        assert kept is not None
    return f"{kept.content}\n", kept.content_text, kept.text


@pytest.mark.parametrize(
    ("entry", "banner"),
    [
        (ENTRY, BANNER),
        ("<div><a href=/{0}>About {0}</a></div>", BANNER),
        ("<h3><a href=/{0}>About {0}</a></h3>", "<h1>The encyclopedia</h1>"),
        ("<li><a href=/{0}>About {0}</a></li>", "<h1><a href=/>The encyclopedia</a></h1>"),
    ],
    ids=["other words", "words of titles", "headings", "list"],
)
def test_menu_banner_and_footer_of_a_site_are_no_content(tmp_path: Path, entry: str, banner: str) -> None:
    crawl(site(TOPICS, entry, banner), tmp_path / "crawl.db", [HOST], text=True)
    for topic in TOPICS:
        markdown, words, text = as_crawled(tmp_path / "crawl.db", topic)
        assert markdown == (
            f"# About {topic}\n\nFew know as much of {topic} as those who keep {topic} at home, year after year.\n\n"
            f"## Example\n\n```\nimport shared\n```\n\n## See also\n\nAnother word on {topic}.\n\n"
            f"More of {topic}, and no end of it: {topic} fill books, if someone writes them.\n"
        )
        assert words.split() == [word for word in markdown.split() if word.strip("#`")]
        assert "The encyclopedia" in text


@pytest.mark.parametrize("pages", [1, 3])
def test_of_a_site_of_few_pages_all_is_content(tmp_path: Path, pages: int) -> None:
    topics = TOPICS[:pages]
    crawl(site(topics), tmp_path / "crawl.db", [f"{HOST}{topics[0]}"], text=True, deny=["/$"])
    for topic in topics:
        markdown, words, text = as_crawled(tmp_path / "crawl.db", topic)
        assert all(f"[All about {other}]" in markdown or other == topic for other in topics)
        assert words.split() == text.split()


def test_page_of_links_keeps_what_menus_repeat_and_a_short_page_beside_a_long_menu_has_its_words_alone(
    tmp_path: Path,
) -> None:
    topics = [f"{one} and {other}" for one in TOPICS for other in TOPICS]
    menu = "".join(f"<li><a href=/{number}>All about {topic}</a></li>" for number, topic in enumerate(topics))
    words = [f"<h1>About {topic}</h1><p>{f'Few know as much of {topic}. ' * 3}</p>" for topic in topics[:12]]
    side, lists = f"<nav><ul>{menu}</ul></nav>", f"<h1>Contents</h1><p>Of all.</p><ul>{menu}</ul>"
    side_site = {HOST: [lists, side]} | {f"{HOST}{number}": [word, side] for number, word in enumerate(words)}
    bare_site = {HOST: [lists]} | {f"{HOST}{number}": [f"<ul>{menu}</ul>", word] for number, word in enumerate(words)}
    for name, web in (("side", side_site), ("bare", bare_site)):
        crawl(web, tmp_path / f"{name}.db", [HOST], text=True)
        contents = as_crawled(tmp_path / f"{name}.db", "")[1].split("\n")
        assert contents == ["Contents", "Of all.", *(f"All about {topic}" for topic in topics)], name
        for number, topic in enumerate(topics[:12]):
            title, prose = as_crawled(tmp_path / f"{name}.db", str(number))[1].split("\n")
            assert (title, prose.startswith(f"Few know as much of {topic}.")) == (f"About {topic}", True)


ONCE = "What is said in {0} alone is told here and on no other page, however its element may be named."
LITTLE = "One in ten of {0} is left."
NAMED = {
    "aside": f"<aside><h3>Note</h3><p>{ONCE}</p></aside>",
    "class": f"<div class=sidebar><p>{ONCE}</p></div>",
    "form": f"<form><h3>Note</h3><p>{ONCE}</p></form>",
    "within another": f"<div class=widgets><aside class=widget><p>{ONCE}</p></aside></div>",
    "nav of an index": f"<nav><p>{ONCE}</p></nav>",
    "note of one line": f"<aside>{LITTLE}</aside>",
    "byline": f"<div class=byline><a href=/ann>Ann Lee</a>: {LITTLE}</div>",
}


@pytest.mark.parametrize("place", ["before", "behind"])
@pytest.mark.parametrize("name", NAMED)
def test_what_a_name_alone_takes_out_is_content_of_the_only_page_that_says_it(
    tmp_path: Path, name: str, place: str
) -> None:
    topics, everywhere = TOPICS, NAMED[name].format("these pages")
    web: Site = {HOST: ["<ul>", *(f"<li><a href=/{topic}>{topic}</a></li>" for topic in topics)]}
    for number, topic in enumerate(topics):
        beside = (NAMED[name].format(topic) if number == 2 else "") + everywhere
        main = f"<main>{''.join(content(topic))}</main>"
        web[f"{HOST}{topic}"] = [beside + main if place == "before" else main + beside]
    crawl(web, tmp_path / "crawl.db", [HOST], text=True)
    for number, topic in enumerate(topics):
        markdown, _, text = as_crawled(tmp_path / "crawl.db", topic)
        words = ONCE if ONCE in NAMED[name] else LITTLE
        own, other = words.format(topic), words.format("these pages")
        assert (own in markdown, own in text) == (number == 2, number == 2)
        assert (other in markdown, text.count(other)) == (False, 1)
        if number == 2:
            assert (markdown.index(own) < markdown.index(f"# About {topic}")) == (place == "before")


def test_comments_are_content_and_the_way_to_a_page_is_not_though_it_has_several_urls(tmp_path: Path) -> None:
    web: Site = {HOST: ["<ul>", *(f"<li><a href=/{topic}>{topic}</a></li>" for topic in TOPICS)]}
    for topic in TOPICS:
        path = f"<div class=breadcrumbs><a href=/>Home</a> / <a href=/all>All</a> / About {topic}</div>"
        main = f"<main>{''.join(content(topic))}<p>{f'As has been told of {topic} for many years. ' * 5}</main>"
        urls = [f"/{topic}?reply={number}" for number in range(3)]
        comments = f"<div class=comments><p>{ONCE.format(topic)}</p></div><ul>"
        page = [path, main, comments, *(f"<li><a href='{url}'>Reply</a></li>" for url in urls)]
        web |= dict.fromkeys([f"{HOST}{topic}", *(f"{HOST}{url[1:]}" for url in urls)], page)
    crawl(web, tmp_path / "crawl.db", [HOST], text=True)
    for topic in TOPICS:
        markdown, _, text = as_crawled(tmp_path / "crawl.db", topic)
        assert (ONCE.format(topic) in markdown, "Home" in markdown, "Home" in text) == (True, False, True)


def test_links_beside_little_else_are_the_content_of_an_index_and_a_menu_is_not(tmp_path: Path) -> None:
    entries = "".join(f"<li><a href=/{topic}>All that is known about {topic}</a>" for topic in TOPICS)
    menu = f"<nav><ul>{entries}</ul></nav>"
    index = "".join(f"<li><a href=/{topic}#a>A page of {topic} for children</a>" for topic in TOPICS)
    web: Site = {
        HOST: [menu, f"<main><h1>Pages</h1><p>Choose one of these, if you please.</p></main><nav>{index}</nav>"]
    }
    web |= {f"{HOST}{topic}": [menu, f"<main>{''.join(content(topic))}</main>"] for topic in TOPICS[1:]}
    web[f"{HOST}{TOPICS[0]}"] = [menu, f"<main><h1>{TOPICS[0]}</h1><p>Nothing is known of it, as yet.</p></main>"]
    crawl(web, tmp_path / "crawl.db", [HOST], text=True)
    markdown = as_crawled(tmp_path / "crawl.db", "")[0]
    assert all(f"A page of {topic} for children" in markdown for topic in TOPICS)
    for topic in ("", *TOPICS):
        markdown, _, text = as_crawled(tmp_path / "crawl.db", topic)
        assert ("All that is known" in markdown, text.count("All that is known")) == (False, len(TOPICS))
