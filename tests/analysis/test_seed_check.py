"""What seeds are, of which a crawl has asked for nothing else."""

from pathlib import Path

from support.sites import Server, Site, crawl
from support.skipping import run

from minicrawl.analysis.seed_check import ALONE, CheckedSeed, checked_seeds
from minicrawl.crawler.admission.seeds import gather_seeds
from minicrawl.crawler.run import crawl_with
from minicrawl.store.reader import open_store

HOME = "http://a.test/"
SITE: Site = {
    HOME: ["/x", "<title>Home</title>"],
    HOME + "away": HOME + "further",
    HOME + "further": "http://b.test/",
    "http://b.test/": ["/y"],
    HOME + "round": HOME + "round2",
    HOME + "round2": HOME + "round",
    "http://plain.test/": [],
}


def checked(folder: Path, seeds: list[str]) -> tuple[dict[str, CheckedSeed], Server]:
    server, gathered = Server(SITE, "User-agent: *\nDisallow: /private"), gather_seeds(seeds)
    options = {"delay": 0.0, "concurrency": 1, **ALONE}
    run(crawl_with(options, gathered, folder / "crawl.db", transport=server), grace=0.0)
    with open_store(folder / "crawl.db") as store:
        return {one.seed: one for one in checked_seeds(store, gathered)}, server


def test_each_seed_is_told_by_what_came_of_it(tmp_path: Path) -> None:
    seeds = [HOME, HOME + "away", HOME + "gone", HOME + "private/1", HOME + "round"]
    found, server = checked(tmp_path, seeds)
    assert list(found) == seeds
    home = found[HOME]
    assert (home.is_there, home.ends_at, home.redirects, home.status, home.title) == (True, HOME, 0, 200, "Home")
    away = found[HOME + "away"]
    assert (away.is_there, away.ends_at, away.redirects, away.status) == (True, "http://b.test/", 2, 200)
    gone = found[HOME + "gone"]
    assert (gone.is_there, gone.status, gone.reason) == (False, 404, "http-404")
    private = found[HOME + "private/1"]
    assert (private.is_there, private.status, private.meaning) == (False, None, "Disallow: /private")
    assert (found[HOME + "round"].is_there, found[HOME + "round"].reason) == (False, "redirect-loop")
    assert not {HOME + "x", "http://b.test/y", HOME + "private/1"} & set(server.asked)


def test_seed_that_a_crawl_has_not_asked_for_is_not_there(tmp_path: Path) -> None:
    crawl(SITE, tmp_path / "crawl.db", [HOME], **ALONE)
    with open_store(tmp_path / "crawl.db") as store:
        (found,) = checked_seeds(store, gather_seeds(["http://c.test/"]))
    assert (found.is_there, found.reason) == (False, "unknown")
