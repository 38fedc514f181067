"""Pages in several languages: one is fetched first, the others after all else."""

from pathlib import Path

import pytest
from support.command_line import run
from support.sites import HOME, Server, Site, crawl, faults_in, rows

NAMES = [f"page{number}" for number in range(8)]
LANGUAGES = ("en", "de", "fr")


def alternates(name: str) -> list[str]:
    return [f'<link rel=alternate hreflang={language} href="{HOME}{language}/{name}">' for language in LANGUAGES]


def site() -> Site:
    """Pages in three languages that link to those of their own; the home page links to all in English and German."""
    web: Site = {HOME: [f"{HOME}{language}/{name}" for name in NAMES for language in LANGUAGES[:2]]}
    for language in LANGUAGES:
        for name in NAMES:
            web[f"{HOME}{language}/{name}"] = [*alternates(name), *(f"{HOME}{language}/{other}" for other in NAMES)]
    return web


def language(url: str) -> str:
    return url.removeprefix(HOME)[:2]


@pytest.mark.parametrize(("strategy", "pages"), [("greedy", 5), ("breadth-first", None)])
def test_one_language_of_a_page_is_fetched_first_and_the_others_last(
    tmp_path: Path, strategy: str, pages: int | None
) -> None:
    store, server = tmp_path / "crawl.db", Server(site())
    for _ in range(30 // pages if pages else 1):
        crawl(server, store, [HOME], strategy=strategy, pages=pages)
    asked = server.asked[1:]
    assert sorted(asked) == sorted(set(site()) - {HOME})
    assert sorted(url[len(HOME) + 3 :] for url in asked[: len(NAMES)]) == NAMES
    assert faults_in(store) == []
    # Alternates are no links: the French pages have only those of French pages.
    query = "SELECT min(inlinks), max(inlinks) FROM pages WHERE url LIKE '%/fr/%'"
    assert rows(store, query) == [(len(NAMES) - 1, len(NAMES) - 1)]


def test_why_tells(store: Path) -> None:
    crawl(site(), store, [HOME], pages=3)
    (twin, named_by) = rows(store, "SELECT t.url, n.url FROM pages t JOIN pages n ON n.id = t.named_by")[0]
    output = run("why", twin, "--store", store).stdout
    assert f"alternate   of {named_by}, read before it" in output


def test_the_version_of_a_seed_for_print_is_no_seed(store: Path) -> None:
    """Walkers do not start again there as at a seed, and it waits behind all other pages."""
    printed = f"{HOME}?print"
    names = [f"{HOME}{name}" for name in NAMES]
    head = f'<link rel=alternate media=print href="{printed}">'
    server = Server({HOME: [head, *names], printed: ["/page0"], **{name: [HOME] for name in names}})
    crawl(server, store, [HOME])
    assert server.asked[-1] == printed
    assert rows(store, f"SELECT depth FROM pages WHERE url = '{printed}'") == [(1,)]
    ranked = [url for (url,) in rows(store, "SELECT url FROM ranks ORDER BY importance DESC, url")]
    assert ranked[-1] == printed
