"""Pages that are one page in several languages or versions: forms of URLs of real sites, and what they are not."""

from collections.abc import Sequence
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.analysis.top.variants import Titled, Twins, difference, form
from minicrawl.crawler.urls.keys import site_of


class Pair(NamedTuple):
    """Two URLs with their titles; `web`: other URLs of their site, each with "*" for every one of `names`."""

    one: str
    other: str
    titles: tuple[str | None, str | None] = (None, None)
    web: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    def urls(self) -> list[str]:
        filled = [
            url.replace("*", name).replace("//", "/").replace(":/", "://") for url in self.web for name in self.names
        ]
        return [self.one, self.other, *filled, *(url for url in self.web if "*" not in url)]

    def are_twins(self) -> bool:
        one, other = (Titled(url, title) for url, title in zip((self.one, self.other), self.titles, strict=True))
        return web_of(self.urls()).are(one, other)


def web_of(urls: Sequence[str]) -> Twins:
    """A web where every page links to every page of its registrable domain."""

    def linked(url: str) -> list[str]:
        return [other for other in urls if site_of(other) == site_of(url)]

    return Twins(set(urls).intersection, linked)


HTTPD = tuple(f"https://httpd.apache.org/docs/2.4/*/{page}.html" for page in ("glossary", "sitemap", "install"))
POSTGRES = tuple(f"https://www.postgresql.org/docs/*/{page}.html" for page in ("sql", "tutorial", "indexes"))
PYTHON = tuple(f"https://docs.python.org/*/{page}.html" for page in ("glossary", "bugs", "library/os"))

TWINS = {
    "httpd, languages": Pair("https://httpd.apache.org/docs/2.4/en/mod/", "https://httpd.apache.org/docs/2.4/fr/mod/",
                             ("Module Index", "Index des modules"), HTTPD, ("en", "fr")),
    "kernel.org, languages with a country": Pair(
        "https://www.kernel.org/doc/html/latest/translations/it_IT/index.html",
        "https://www.kernel.org/doc/html/latest/translations/zh_CN/index.html", ("Traduzione", "中文翻译"),
        tuple(f"https://www.kernel.org/doc/html/latest/translations/*/process/{page}.html" for page in "abc"),
        ("it_IT", "zh_CN")),
    "postgresql.org, plain numbers beside /current/": Pair(
        "https://www.postgresql.org/docs/16/", "https://www.postgresql.org/docs/15/",
        ("PostgreSQL 16.1 Documentation", "PostgreSQL 15.5 Documentation"), POSTGRES, ("16", "15", "current")),
    "python, a number and a dotted one": Pair(
        "https://docs.python.org/3/library/sys.html", "https://docs.python.org/3.11/library/sys.html",
        ("sys — Python 3.12.1 documentation", "sys — Python 3.11.2 documentation"), PYTHON, ("3", "3.11")),
    "python, no name for English": Pair(
        "https://docs.python.org/3/library/sys.html", "https://docs.python.org/fr/3/library/sys.html",
        ("sys — System-specific parameters", "sys — Paramètres et fonctions"), PYTHON, ("3", "fr/3")),
    "docusaurus, no name for the latest": Pair(
        "https://docusaurus.io/docs/installation", "https://docusaurus.io/docs/2.x/installation",
        ("Installation | Docusaurus", "Installation | Docusaurus"),
        tuple(f"https://docusaurus.io/docs/*/{page}" for page in ("cli", "blog", "pages")), ("", "2.x")),
    "boost, underlines": Pair(
        "https://www.boost.org/doc/libs/1_82_0/libs/regex/", "https://www.boost.org/doc/libs/1_83_0/libs/regex/",
        ("Boost.Regex", "Boost.Regex"),
        tuple(f"https://www.boost.org/doc/libs/*/libs/{page}/" for page in ("any", "asio", "bind")),
        ("1_82_0", "1_83_0")),
    "wikipedia, languages as hosts": Pair(
        "https://en.wikipedia.org/wiki/Berlin", "https://de.wikipedia.org/wiki/Berlin", ("Berlin", "Berlin"),
        tuple(f"https://*.wikipedia.org/wiki/{page}" for page in ("Hamburg", "Bonn", "Trier")), ("en", "de")),
    "debian, languages as endings": Pair(
        "https://www.debian.org/intro/about.de.html", "https://www.debian.org/intro/about.en.html", ("Über", "About"),
        tuple(f"https://www.debian.org/{page}.*.html" for page in ("index", "news", "contract")), ("de", "en")),
    "a language as a parameter": Pair(
        "https://shop.example/about?lang=de", "https://shop.example/about?lang=fr", (None, None),
        tuple(f"https://shop.example/{page}?lang=*" for page in "abc"), ("de", "fr")),
    "by http and https": Pair("http://www.sqlite.org/about.html", "https://www.sqlite.org/about.html", ("About",) * 2),
}  # fmt: skip

MONTHS = tuple(f"https://blog.example/*/{month:02}/" for month in range(1, 13))
OTHERS = {
    "archives of years": Pair("https://blog.example/2023/", "https://blog.example/2024/", ("Archive", "Archive"),
                              MONTHS, ("2023", "2024", "latest")),
    "pages of a list": Pair("https://shop.example/news/page/2", "https://shop.example/news/page/3", ("News", "News"),
                            tuple(f"https://shop.example/{list}/page/*" for list in ("a", "b", "c", "d")), ("2", "3")),
    "numbered chapters": Pair(
        "https://book.example/chapter/3/", "https://book.example/chapter/4/", ("Chapter 3", "Chapter 4"),
        tuple(f"https://book.example/chapter/*/exercise/{number}" for number in range(9)), ("3", "4", "5")),
    "sections with dots": Pair(
        "https://book.example/3.1/", "https://book.example/3.2/", ("3.1 Assignment", "3.2 The Environment Model"),
        tuple(f"https://book.example/*/exercise-{number}" for number in range(9)), ("3.1", "3.2")),
    "articles about numbers": Pair("https://en.wikipedia.org/wiki/3", "https://en.wikipedia.org/wiki/4", ("3", "4"),
                                   tuple(f"https://en.wikipedia.org/wiki/{page}" for page in "abc"), ("",)),
    "folders called it and is": Pair(
        "https://uni.example/it/", "https://uni.example/is/", ("Computing", "Systems"),
        ("https://uni.example/*/staff", "https://uni.example/it/network", "https://uni.example/is/library"),
        ("it", "is")),
    "a developers' section": Pair(
        "https://www.statsmodels.org/stable/index.html", "https://www.statsmodels.org/stable/dev/index.html",
        ("Introduction — statsmodels", "Developer Page — statsmodels"),
        tuple(f"https://www.statsmodels.org/stable/*/{page}" for page in "abc"), ("", "dev")),
    "two projects": Pair("https://x.example/one/docs/", "https://x.example/two/docs/", ("Docs", "Docs"),
                         tuple(f"https://x.example/*/docs/{page}" for page in "abc"), ("one", "two")),
    "a version known by its front page alone": Pair(
        "https://x.example/1.0/", "https://x.example/2.0/", ("X 1.0", "X 2.0"), ("https://x.example/1.0/a",)),
    "two pages by http and https": Pair("http://x.example/", "https://x.example/", ("X", "Welcome to nginx!")),
}  # fmt: skip


@pytest.mark.parametrize("pair", TWINS.values(), ids=TWINS)
def test_twins_of_real_sites(pair: Pair) -> None:
    assert pair.are_twins()
    assert form(pair.one) == form(pair.other)


@pytest.mark.parametrize("pair", OTHERS.values(), ids=OTHERS)
def test_what_only_looks_like_a_version_is_none(pair: Pair) -> None:
    assert not pair.are_twins()


@pytest.mark.parametrize("pair", [pair for pair in TWINS.values() if pair.web])
def test_a_form_alone_proves_nothing(pair: Pair) -> None:
    assert not pair._replace(web=pair.web[:2]).are_twins()


SEGMENTS = st.sampled_from(["en", "de", "pt-br", "3", "3.11", "2023", "latest", "main", "docs", "a", "index.html", ""])
URLS = st.builds(
    lambda host, path: f"https://{host}x.test/{'/'.join(path)}",
    st.sampled_from(["", "www.", "de.", "v2."]),
    st.lists(SEGMENTS, max_size=4),
)
TITLES = st.sampled_from([None, "Docs 3.1", "Docs", "Other pages here"])


@given(st.lists(st.builds(Titled, URLS, TITLES), min_size=2, max_size=12, unique_by=lambda page: page.url))
def test_twins_are_so_both_ways_have_one_form_and_do_not_depend_on_what_was_asked_before(pages: list[Titled]) -> None:
    one, other, *_ = pages
    urls = [page.url for page in pages]
    asked = web_of(urls)
    for page in pages:
        asked.are(page, other)
    are_twins = web_of(urls).are(one, other)
    assert asked.are(one, other) == asked.are(other, one) == web_of(urls).are(other, one) == are_twins
    assert not are_twins or form(one.url) == form(other.url)


@given(URLS, URLS)
def test_difference_leaves_what_both_have(one: str, other: str) -> None:
    found = difference(one, other)
    if found is not None:
        assert "".join(found.head + found.one + found.tail) == one
        assert "".join(found.head + found.other + found.tail) == other
