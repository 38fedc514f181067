"""Sites with planted faults, titles too, crawled as for an audit: those are found, and no others."""

import random
from collections import Counter
from pathlib import Path

import pytest
from support.audits import PLANTED, crawl_planted, found_in
from support.faulty_site import FAULTS, found
from support.sites import HOME, crawl

from minicrawl.store.reader import Store, open_store


@pytest.mark.parametrize("subject", PLANTED)
def test_faults_of_a_subject_are_found_and_no_others(subject: str, tmp_path: Path) -> None:
    assert crawl_planted(subject, tmp_path / "crawl.db").faults == found_in(tmp_path / "crawl.db")


@pytest.mark.parametrize("rule", FAULTS)
def test_faults_in_parts_of_pages_are_found_and_no_others(faulty: Store, rule: str) -> None:
    assert found(faulty, rule) == FAULTS[rule]


@pytest.mark.parametrize("seed", range(2))
def test_a_text_of_several_pages_is_found_once(seed: int, tmp_path: Path) -> None:
    """Of pages that say something of their own: copies have the same title as a matter of course."""
    rng = random.Random(seed)
    urls = [f"{HOME}{number}" for number in range(12)]
    said = {url: (rng.choice("abcd"), rng.choice("wxyz"), rng.random() < 0.3) for url in urls}
    site = {
        url: [
            f"<title>{title}</title><meta name=description content='{description}'>",
            "<meta name=robots content=noindex>" * hidden,
            f"<p>{url} alone says {url * 9}</p>",
        ]
        for url, (title, description, hidden) in said.items()
    }
    crawl({HOME: urls, **site}, tmp_path / "crawl.db", [HOME], audit=True)
    with open_store(tmp_path / "crawl.db") as store:
        for at, rule in enumerate(("title-duplicate", "description-duplicate")):
            texts = Counter(said[url][at] for url in urls if not said[url][2])
            others = {said[url][at]: number for url, number in found(store, rule).items()}
            assert others == {text: number - 1 for text, number in texts.items() if number > 1}
