"""Seeds out of the stores of real crawls, and the command that prints them."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from support.hubs import WEB, A
from support.sites import crawl, random_site, rows

from minicrawl.analysis.seeding import (
    CORES,
    DEPTHS,
    RANDOM,
    Seeding,
    claims,
    crawled_web,
    find_seeds,
)
from minicrawl.cli import main
from minicrawl.store.reader import open_store


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(main, ["seeds", *(str(word) for word in words)])


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("seeding") / "crawl.db"
    crawl(WEB, path, [A])
    return path


def seeding(store: Path, count: int, random_sets: int = 0, seed: int = 0) -> Seeding:
    with open_store(store) as reader:
        web = crawled_web(reader)
        return find_seeds(web, reader.page_table.url, count, random_sets=random_sets, rng=np.random.default_rng(seed))


def test_links_between_hosts_of_a_site_count_only_per_host(store: Path) -> None:
    for per, counted, places in (("site", 12, 4), ("host", 15, 5)):
        told = json.loads(run("--per", per, "--json", "--store", store).stdout)
        assert (told["per"], told["fetched"], told["counted"], told["places"]) == (per, 10, counted, places)


def test_measures_are_those_of_a_plain_search(tmp_path: Path) -> None:
    """What each set of seeds reaches: by following links page by page, with importance as the store has it."""
    seed = 1
    web, seeds = random_site(seed, pages=120, hosts=12)
    store = tmp_path / "crawl.db"
    crawl(web, store, seeds)
    importance = dict(rows(store, "SELECT url, importance FROM ranks"))
    found = seeding(store, 6, random_sets=3, seed=seed)
    measures = found.measures
    assert measures is not None

    def levels(start: list[str]) -> list[set[str]]:
        seen, level, found = set(start), set(start), []
        for _ in range(DEPTHS + 1):
            found.append(level)
            level = {link for page in level for link in web[page]} - seen
            seen |= level
        return found

    count = len(found.cores)
    assert count >= 3
    mass = 0.0
    for pages, at in zip(levels([core.seed for core in found.cores]), measures.depths[CORES], strict=True):
        held = sum(importance[page] for page in pages)
        mass += held
        assert at.pages == len(pages)
        assert at.mass == pytest.approx(mass, abs=1e-5)
        if pages:
            assert at.importance == pytest.approx(held / len(pages) * len(importance), rel=1e-3)
    known = rows(store, "SELECT url FROM pages WHERE state = 'fetched' ORDER BY id")
    rng = np.random.default_rng(seed)
    drawn = [[known[page][0] for page in rng.choice(len(known), count, replace=False)] for _ in range(3)]
    for depth, at in enumerate(measures.depths[RANDOM]):
        assert at.pages == pytest.approx(np.mean([len(levels(start)[depth]) for start in drawn]))
    assert measures.sets == 3


def test_claims_are_decided_by_what_was_measured(store: Path) -> None:
    """All fail against sets that are just as good, but for the distance; all hold against worse ones."""
    found = seeding(store, 10, random_sets=2)
    assert found.measures is not None
    cores, distances = found.measures.depths[CORES], found.measures.distances
    worse = tuple(replace(at, pages=at.pages - 1, importance=-1.0, mass=at.mass / 2) for at in cores)
    for drawn, held in ((cores, [False, False, True, False]), (worse, [True, True, True, True])):
        measures = replace(found.measures, depths={CORES: cores, RANDOM: drawn}, random_distances=distances)
        assert [claim.held for claim in claims(measures)] == held
