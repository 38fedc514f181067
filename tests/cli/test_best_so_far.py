"""The live table of a crawl, that at its end, and what top says: one list in one order."""

from pathlib import Path

import pytest
from support.command_line import answer
from support.sites import crawl, web_of_sites

from minicrawl.cli.best_so_far import SHOWN, Best, BestSoFar
from minicrawl.dashboard.one_store import StoreReadings
from minicrawl.model import Progress
from minicrawl.timing import Timing


def best_of(store: Path) -> Best:
    pages = answer("top", "--n", SHOWN, "--store", store)
    return tuple((page["importance"], page["url"]) for page in pages)


@pytest.mark.parametrize("seed", range(3))
def test_live_list_is_that_of_top_all_the_time(tmp_path: Path, seed: int) -> None:
    """Also where pages wait, redirect or are not there, and sites have more lines to offer than they are let have."""
    store = tmp_path / "crawl.db"
    site, seeds = web_of_sites(seed, redirects=0.2)
    missing = [url for at, url in enumerate(site) if at % 9 == 4]
    site |= dict.fromkeys(missing, 404)
    site |= {"http://large.test/": [f"http://large.test/{name}" for name in "abcdefgh"], "http://eleventh.test/": []}
    site |= {f"http://large.test/{name}": ["http://large.test/"] for name in "abcdefgh"}
    seen: list[Best] = []

    def look(progress: Progress) -> None:
        live = BestSoFar(store)()
        seen.append(live)
        assert live == (best_of(store) if live else ())

    crawl(
        site,
        store,
        [*seeds, "http://large.test/", "http://eleventh.test/"],
        jump="sites",
        on_progress=look,
        timing=Timing(progress=0.0, looks_apart=0.0, batch=0.0),
    )
    assert len(set(seen)) > 5
    final = BestSoFar(store)()
    assert final == best_of(store)
    assert len(final) == SHOWN
    assert [line.page.url for line in StoreReadings(store).top(None, SHOWN).lines] == [url for _, url in final]
    assert sum("large.test" in url for _, url in final) == 3


def test_store_is_not_looked_at_again_and_again(tmp_path: Path) -> None:
    """What is not there yet is no mistake; a look that takes a second is the only one for the next fifty."""
    times = iter([0.0, *(1.0, 2.0), 3.0, 51.9, *(52.1, 52.2)])
    store = tmp_path / "crawl.db"
    best = BestSoFar(store, lambda: next(times))
    assert best() == ()
    crawl({"http://a.test/": []}, store, ["http://a.test/"])
    (page,) = best()
    crawl({"http://b.test/": []}, store, ["http://b.test/"], scope="any")
    assert best() == best() == (page,)
    assert len(best()) == 2
